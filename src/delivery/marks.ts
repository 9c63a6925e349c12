/** What breaks rules in a session: a function of its history, the rules and the files as they are now. */
import { resolve } from 'node:path'
import { type Broken, stillBroken } from '../checks/judge.ts'
import { donePartsOf } from '../host/message-parts.ts'
import { markIn } from '../host/panel-schema.ts'
import { readText, withoutMark } from '../text/read.ts'
import type { History } from './history.ts'
import type { Rule } from './rule-files.ts'

/** Reads a file without its byte-order mark; null where it cannot be read as text. */
export const textOf = async (path: string): Promise<string | null> => {
  const { data } = await readText(path)
  return data && withoutMark(data.text)
}

/** Identifies what breaks a rule, wherever it stands in its file. */
export const brokenKey = ({ rule, path, text }: Broken): string => JSON.stringify([rule, path, text])

/** Lists what broke rules in a history, as often as it was told. */
export const allBrokenIn = (history: History): Array<Broken> =>
  donePartsOf(history).flatMap((part) => markIn(part.state)?.broken ?? [])

/** Lists the lines that broke a rule and that steps of the present turn removed. */
export const removedIn = (history: History): Array<string> => {
  const start = history.findLastIndex(({ info }) => info.role === 'user')
  return donePartsOf(history.slice(start + 1)).flatMap((part) => markIn(part.state)?.removed ?? [])
}

/** Lists what broke rules in a history, each once. */
export const brokenIn = (history: History): Array<Broken> => [
  ...new Map(allBrokenIn(history).map((one) => [brokenKey(one), one])).values(),
]

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
  const checksOf = (rule: string) => rules?.find(({ name }) => name === rule)?.checks
  const known = rules ? broken.filter(({ rule }) => checksOf(rule)) : broken
  const files = [...new Set(known.map(({ path }) => path))].map(async (path) => {
    const text = await textOf(resolve(worktree, path))
    return text === null ? [] : stillBroken(known.filter((one) => one.path === path), checksOf, text)
  })
  return (await Promise.all(files)).flat()
}
