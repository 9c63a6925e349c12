/** What breaks rules in a session: a function of its history, the rules and the files as they are now. */
import { resolve } from 'node:path'
import { type Broken, stillBroken } from '../checks/judge.ts'
import { type DonePart, isDone } from '../host/message-parts.ts'
import { markIn } from '../host/panel-schema.ts'
import { readText, withoutMark } from '../text/read.ts'
import type { History } from './history.ts'
import type { Rule } from './rule-files.ts'

/** Lists the calls of a history that have succeeded. */
export const donePartsOf = (history: History): Array<DonePart> =>
  history.flatMap(({ parts }) => parts).filter(isDone)

/** Reads a file without its byte-order mark; null where it cannot be read as text. */
export const textOf = async (path: string): Promise<string | null> => {
  const { data } = await readText(path)
  return data && withoutMark(data.text)
}

/** Identifies what breaks a rule, wherever it stands in its file. */
export const brokenKey = ({ rule, path, text }: Broken): string => JSON.stringify([rule, path, text])

/** Lists what broke rules in a history, each once. */
export const brokenIn = (history: History): Array<Broken> => {
  const all = donePartsOf(history).flatMap((part) => markIn(part.state)?.broken ?? [])
  return [...new Map(all.map((one) => [brokenKey(one), one])).values()]
}

/**
 * Lists what still breaks rules in the files now; reads none where nothing did.
 *
 * @param rules without them only the lines are looked for
 */
export const standing = async (
  broken: Array<Broken>,
  { worktree }: { worktree: string },
  rules?: Array<Rule>,
): Promise<Array<Broken>> => {
  const files = new Map<string, string | null>()
  for (const { path } of broken) {
    if (!files.has(path)) files.set(path, await textOf(resolve(worktree, path)))
  }
  return broken.flatMap((one) => {
    const checks = rules?.find(({ name }) => name === one.rule)?.checks
    const text = files.get(one.path) ?? null
    return text === null || (rules && !checks) ? [] : stillBroken(one, checks, text) ?? []
  })
}
