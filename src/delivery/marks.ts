/** What breaks rules in a session: a function of its history, the rules and the files as they are now. */
import { resolve } from 'node:path'
import { listBroken } from '../checks/answer.ts'
import { placeOf, shownLine } from '../checks/judge.ts'
import { type Checks, forbiddenIn } from '../checks/patterns.ts'
import { METADATA_KEY } from '../host/message-parts.ts'
import { FormatMarkSchema, type Mark } from '../host/panel-schema.ts'
import type { Place } from '../paths/boundary.ts'
import { readText, withoutMark } from '../text/read.ts'
import type { EntryPart, History } from './history.ts'
import type { Rule } from './rule-files.ts'

type ToolPart = Extract<EntryPart, { type: 'tool' }>
/** A call that has succeeded. */
export type DonePart = ToolPart & { state: Extract<ToolPart['state'], { status: 'completed' }> }

/** Whether a part is a call that has succeeded. */
export const isDone = (part: EntryPart): part is DonePart =>
  part.type === 'tool' && part.state.status === 'completed'

/** Reads what is stored of the formatting and the checks after a call. */
export const callMarkOf = ({ state }: DonePart) =>
  FormatMarkSchema.safeParse(state.metadata[METADATA_KEY]).data

/** The key of the metadata of a reminder: what it names. */
export const REMINDER_KEY = 'opencode-sat-reminder'

/** Identifies what breaks a rule, wherever it stands in its file. */
export const markKey = ({ rule, path, text, lacks }: Mark): string =>
  JSON.stringify([rule, path, text, lacks])

/** Lists what broke rules in a history, each once. */
export const marksIn = (history: History): Array<Mark> => {
  const parts = history.flatMap(({ parts }) => parts).filter(isDone)
  const marks = parts.flatMap((part) => callMarkOf(part)?.broken ?? [])
  return [...new Map(marks.map((mark) => [markKey(mark), mark])).values()]
}

/** Gives what the model was reminded of, by the keys of the marks. */
export const remindedIn = (history: History): Set<unknown> =>
  new Set(
    history.flatMap(({ parts }) => parts).flatMap((part) => {
      const keys: unknown = part.type === 'text' && part.metadata?.[REMINDER_KEY]
      return Array.isArray(keys) ? keys : []
    }),
  )

/** Gives a mark with the present number of its line, if it still stands in the text of its file. */
const standingIn = (mark: Mark, checks: Checks | undefined, text: string): Array<Mark> => {
  const { line = 1, text: shown, lacks } = mark
  if (lacks !== undefined) {
    return !checks || checks.require.some(({ source, isIn }) => source === lacks && !isIn(text)) ? [mark] : []
  }
  const place = shown === undefined ? undefined : placeOf(shown, line, text)
  return place && (!checks || forbiddenIn(checks, place.text)) ? [{ ...mark, line: place.number }] : []
}

/**
 * Lists what still breaks rules, read from the files now; nothing is read where there is no mark.
 *
 * @param rules without them only the lines are looked for
 */
export const standingMarks = async (
  marks: Array<Mark>,
  { worktree }: Pick<Place, 'worktree'>,
  rules?: Array<Rule>,
): Promise<Array<Mark>> => {
  const files = new Map<string, string | null>()
  const standing: Array<Mark> = []
  for (const mark of marks) {
    const checks = rules?.find(({ name }) => name === mark.rule)?.checks
    if (rules && !checks) continue
    if (!files.has(mark.path)) {
      const { data } = await readText(resolve(worktree, mark.path))
      files.set(mark.path, data && withoutMark(data.text))
    }
    const text = files.get(mark.path) ?? null
    if (text !== null) standing.push(...standingIn(mark, checks, text))
  }
  return standing
}

/** Makes the marks of what breaks a rule in a file. */
export const marksOf = (
  rule: string,
  path: string,
  breaks: Array<{ line: number; text: string } | { lacks: string }>,
): Array<Mark> =>
  breaks.map((one) => ({ rule, path, ...('lacks' in one ? one : { ...one, text: shownLine(one.text) }) }))

/**
 * Names what breaks rules on stderr, where the process is `opencode run`: its screen is not drawn, and it ends with its
 * turn.
 */
export const printBroken = (broken: Array<Mark>, argv = process.argv): void => {
  const isRun = argv.slice(2).find((word) => !word.startsWith('-')) === 'run'
  if (isRun && broken.length > 0) process.stderr.write(`Still breaks rules:\n${listBroken(broken)}\n`)
}
