/** What breaks rules in a session: a function of its history, the rules and the files as they are now. */
import { resolve } from 'node:path'
import { TimeBudget } from '../checks/budget.ts'
import { type Broken, stillBroken } from '../checks/marks.ts'
import type { Client } from '../host/client.ts'
import { type DonePart, isDone, metadataOf } from '../host/message-parts.ts'
import { readFormatMark } from '../host/panel-schema.ts'
import type { ReadMessages } from '../steps/read-messages.ts'
import { type FileState, readState } from '../steps/step-call.ts'
import { LruMap } from '../text/lru-map.ts'
import { type EntryPart, type History, historyOf } from './history.ts'
import type { Rule } from './rule-files.ts'
import { isForFile, namesOf } from './touched-files.ts'

/** Reads the text of a file as it is now; null where there is none, undefined where it cannot be read as text. */
export type ReadNow = (path: string) => Promise<FileState['text']>

const textOf: ReadNow = async (path) => (await readState(path)).text

/** Reads each file once, for all that is asked of it for one request; some are known. */
export const readingOnce = (known: Map<string, FileState['text']>): ReadNow => {
  const read = new Map([...known].map(([path, text]) => [path, Promise.resolve(text)]))
  return (path) => {
    const text = read.get(path) ?? textOf(path)
    read.set(path, text)
    return text
  }
}

/** Identifies what breaks a rule, wherever it stands in its file. */
export const brokenKey = ({ rule, path, text }: Broken): string => JSON.stringify([rule, path, text])

/** The key of the metadata of a reminder of what stands: what it names. */
export const REMINDER_KEY = 'opencode-sat-reminder'

/** Lists what a part reminds of, by its keys. */
export const remindedIn = (part: EntryPart): Array<unknown> =>
  part.type === 'text' ? [part.metadata?.[REMINDER_KEY] ?? []].flat() : []

const isSubagents = (part: EntryPart): part is DonePart => isDone(part) && part.tool === 'task'

/** Lists the parts of a history that say what broke rules: calls, those that ran a subagent, and reminders. */
export const markedParts = (history: History): Array<EntryPart> =>
  history.flatMap(({ parts }) => parts).filter((part) =>
    isSubagents(part)
    || (isDone(part) ? readFormatMark(part.state)?.broken.length : remindedIn(part).length > 0)
  )

/** The parts of a session's history that hold marks. Each message is read once. */
export class MarkedParts {
  readonly #messages: ReadMessages
  readonly #parts = new Map<string, EntryPart>()

  constructor(messages: ReadMessages) {
    this.#messages = messages
  }

  /** Reads the new messages of a history, and returns all parts that hold marks. */
  read(history: History): Array<EntryPart> {
    const { first, added } = this.#messages.next(this, history)
    if (first === 0) this.#parts.clear()
    for (const part of markedParts(added)) this.add(part)
    return [...this.#parts.values()]
  }

  /** Adds a part that got marks after its message was read. */
  add(part: EntryPart): void {
    this.#parts.set(part.id, part)
  }
}

/** Lists what broke rules by some parts, as often as it was told. */
export const allBrokenIn = (parts: Array<EntryPart>): Array<Broken> =>
  parts.flatMap((part) => isDone(part) ? readFormatMark(part.state)?.broken ?? [] : [])

/**
 * Lists what still breaks rules in the files now, each once; reads none where nothing did. Where there is no time for a
 * file, what broke rules in it is taken to stand, and counted as `budget.unseen`.
 *
 * @param rules without them only the lines are looked for
 */
export const standing = async (
  broken: Array<Broken>,
  { worktree }: { worktree: string },
  rules?: Array<Rule>,
  budget = new TimeBudget(),
  read = textOf,
): Promise<Array<Broken>> => {
  const checksOf = (rule: string) => rules?.find(({ name }) => name === rule)?.checks
  const once = [...new Map(broken.map((one) => [`${one.line} ${brokenKey(one)}`, one])).values()]
  const paths = [...new Set(once.map(({ path }) => path))]
  const names = new Map(
    await Promise.all(
      paths.map(async (path) =>
        [path, await namesOf(path, { real: { directory: worktree, worktree } })] as const
      ),
    ),
  )
  const isFor = ({ rule, path }: Broken) =>
    rules?.some((one) => one.name === rule && one.checks && isForFile(one, names.get(path)!)) ?? true
  const known = once.filter(isFor)
  const files = [...new Set(known.map(({ path }) => path))].map(async (path) => {
    const text = await read(resolve(worktree, path))
    if (typeof text !== 'string') return []
    const here = known.filter((one) => one.path === path)
    const still = await stillBroken(here, checksOf, text, budget)
    if (!still) budget.unseen += here.length
    return still ?? here
  })
  return (await Promise.all(files)).flat()
}

/** Lists what still breaks some rules, by the marked parts of a session and of its subagents' sessions. */
export type BrokenNow = (
  marked: Array<EntryPart>,
  rules: Array<Rule>,
  budget?: TimeBudget,
  read?: ReadNow,
) => Promise<Array<Broken>>

// One that is dropped is read from its session again.
const MAX_SUBAGENTS = 1_000

/** Makes the function that lists what still breaks rules. The session of a subagent is read once for a call that ran it. */
export const brokenNowIn = (client: Client, place: { worktree: string }): BrokenNow => {
  const bySubagents = new LruMap<string, Promise<Array<Broken>>>(MAX_SUBAGENTS)
  const allBroken = async (marked: Array<EntryPart>): Promise<Array<Broken>> => {
    const found = marked.filter(isSubagents).map((part) =>
      bySubagents.getOrCreate(part.id, async () => {
        const { data } = await historyOf(client, String(metadataOf(part)['sessionId']))
        return allBroken(markedParts(data ?? []))
      })
    )
    return [allBrokenIn(marked), ...await Promise.all(found)].flat()
  }
  return async (marked, rules, budget, read) =>
    rules.some(({ checks }) => checks) ? standing(await allBroken(marked), place, rules, budget, read) : []
}
