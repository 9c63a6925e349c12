/** What breaks rules in a session: a function of its history, the rules and the files as they are now. */
import { resolve } from 'node:path'
import { type Broken, stillBroken } from '../checks/judge.ts'
import type { Client } from '../host/client.ts'
import { donePartsOf, isDone } from '../host/message-parts.ts'
import { markIn } from '../host/panel-schema.ts'
import { NO_SUCH_FILE } from '../safe.ts'
import { LruMap } from '../text/lru-map.ts'
import { readText, withoutMark } from '../text/read.ts'
import { type EntryPart, type History, historyOf } from './history.ts'
import type { Rule } from './rule-files.ts'

/** Reads a file without its byte-order mark; null where there is none, undefined where it cannot be read as text. */
export const textOf = async (path: string): Promise<string | null | undefined> => {
  const { data, error } = await readText(path)
  if (data) return withoutMark(data.text)
  return error === NO_SUCH_FILE ? null : undefined
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

/** The key of the metadata of a reminder of what stands: what it names. */
export const REMINDER_KEY = 'opencode-sat-reminder'

/** Lists what a part reminds of, by its keys. */
export const remindedIn = (part: EntryPart): Array<unknown> =>
  part.type === 'text' ? [part.metadata?.[REMINDER_KEY] ?? []].flat() : []

/** Keeps each of what broke rules once. */
export const eachOnce = (broken: Array<Broken>): Array<Broken> => [
  ...new Map(broken.map((one) => [brokenKey(one), one])).values(),
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
    return typeof text === 'string'
      ? stillBroken(known.filter((one) => one.path === path), checksOf, text)
      : []
  })
  return (await Promise.all(files)).flat()
}

const isSubagents = ({ tool }: { tool: string }): boolean => tool === 'task'

/** Keeps of a history what says which lines broke rules: calls, those that ran a subagent, and reminders. */
export const onlyMarked = (history: History): History =>
  history.map(({ info, parts }) => ({
    info,
    parts: parts.filter((part) =>
      isDone(part) ? isSubagents(part) || markIn(part.state)?.broken.length : remindedIn(part).length > 0
    ),
  }))

/** Lists what still breaks some rules, of a history and of the sessions of its subagents, each once. */
export type BrokenNow = (history: History, rules: Array<Rule>) => Promise<Array<Broken>>

// One that is dropped is read from its session again.
const MAX_SUBAGENTS = 1_000

/** Makes the function that lists what still breaks rules. The session of a subagent is read once for a call that ran it. */
export const brokenNowIn = (client: Client, place: { worktree: string }): BrokenNow => {
  const bySubagents = new LruMap<string, Promise<Array<Broken>>>(MAX_SUBAGENTS)
  return async (history, rules) => {
    if (!rules.some(({ checks }) => checks)) return []
    const found = donePartsOf(history).filter(isSubagents).map(({ id, state }) =>
      bySubagents.getOr(id, async () => {
        const { data } = await historyOf(client, String(state.metadata['sessionId']))
        return allBrokenIn(data ?? [])
      })
    )
    return standing(eachOnce([allBrokenIn(history), ...await Promise.all(found)].flat()), place, rules)
  }
}
