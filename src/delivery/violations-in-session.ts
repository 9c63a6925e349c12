/** Finds the unresolved violations of a session: its history records them, and the present files still contain them. */
import { resolve } from 'node:path'
import { TimeBudget } from '../checks/budget.ts'
import { toleratedOf, unresolvedInText } from '../checks/unresolved.ts'
import { dropCopiesOf, groupBy, type Violation } from '../checks/violations.ts'
import type { Client } from '../host/client.ts'
import { isCompletedCall, METADATA_KEY, metadataOf, type ToolPart } from '../host/message-parts.ts'
import { readCallMark } from '../host/panel-schema.ts'
import { candidatePaths } from '../paths/path-in-worktree.ts'
import { type PresentFiles, readSaved } from '../steps/saved-file.ts'
import { LruMap } from '../text/lru-map.ts'
import { type History, historyOf, type MessagePart } from './history.ts'
import { hasChecks, type Rule } from './rule-files.ts'
import { checkingRules, type RequestInput } from './rules-in-request.ts'
import { isForFile } from './touched-files.ts'

/** Returns a key that is the same for any line number, and for any number in `and 3 more lines`. */
export const violationKey = ({ rule, path, text, more }: Violation): string =>
  JSON.stringify([rule, path, more ? '' : text])

/** For each key in `mentioned`, removes only one of the violations that have this key. */
export const unmentioned = (violations: Array<Violation>, mentioned: Array<unknown>): Array<Violation> => {
  const isUnmentioned = dropCopiesOf(mentioned)
  return violations.filter((violation) => isUnmentioned(violationKey(violation)))
}

/**
 * Returns the unresolved violations that have more reports than mentions. If a violation was
 * reported three times and mentioned once, `keys` contains its key twice.
 *
 * @param reported all reports, with repetitions
 * @param mentioned the keys of earlier reminders, and of reports that the model gets now
 */
export const toRemind = (
  unresolved: Array<Violation>,
  reported: Array<Violation>,
  mentioned: Array<unknown>,
): { violations: Array<Violation>; keys: Array<string> } => {
  const reportedByKey = groupBy(reported, violationKey)
  const groups = [...groupBy(unresolved, violationKey)].map(([key, group]) => {
    // A line that a report only counted (`and 3 more lines`) has no report of its own, but counts as reported once.
    const reports = reportedByKey.get(key)?.length ?? group.length
    return { key, group, due: Math.max(0, reports - mentioned.filter((each) => each === key).length) }
  })
  return {
    violations: groups.flatMap(({ group, due }) => due === 0 ? [] : group.slice(-due)),
    keys: groups.flatMap(({ key, due }) => Array<string>(due).fill(key)),
  }
}

export const REMINDER_KEY = 'opencode-sat-reminder'

export const reminderKeysIn = (part: MessagePart): Array<unknown> =>
  part.type === 'text' ? [part.metadata?.[REMINDER_KEY] ?? []].flat() : []

/** Includes calls that failed, because a subagent may have written files before its error. */
const isEndedSubagentCall = (part: MessagePart): part is ToolPart =>
  part.type === 'tool' && part.tool === 'task' && ['completed', 'error'].includes(part.state.status)

/** Does not parse the metadata, to save time, because each request checks all calls of the session. */
const hasCausedViolations = ({ state }: ToolPart): boolean =>
  Object(Object(Object(state).metadata)[METADATA_KEY]).broken?.length > 0

/** Returns the marked parts: calls with violations, reminders, and calls of subagents that ended. */
export const markedParts = (history: History): Array<MessagePart> =>
  history.flatMap(({ parts }) => parts).filter((part) =>
    isEndedSubagentCall(part)
    || (isCompletedCall(part) ? hasCausedViolations(part) : reminderKeysIn(part).length > 0)
  )

export const allMarkedParts = (history: History, request: RequestInput): Array<MessagePart> =>
  checkingRules(request).some(hasChecks) ? [...request.earlierMarked ?? [], ...markedParts(history)] : []

const violationsIn = (parts: Array<MessagePart>): Array<Violation> =>
  parts.flatMap((part) => isCompletedCall(part) ? readCallMark(part.state)?.broken ?? [] : [])

/** Returns the violations that the present files still contain, each once. */
export const unresolvedIn = async (
  violations: Array<Violation>,
  { worktree }: { worktree: string },
  rules?: Array<Rule>,
  budget = new TimeBudget(),
  read = readSaved,
): Promise<Array<Violation>> => {
  const byKey = new Map<unknown, Violation>()
  for (const each of violations) {
    // All violations with `more` are kept, because their counts of lines add up.
    const key = each.more ? each : `${each.line} ${violationKey(each)}`
    byKey.set(key, { ...each, tolerated: toleratedOf([byKey.get(key) ?? each, each]) || undefined })
  }
  const ruleNamed = (name: string) => rules?.find((rule) => rule.name === name)
  const unresolvedInFile = async ([path, ofPath]: [string, Array<Violation>]) => {
    const candidates = await candidatePaths(path, { real: { directory: worktree, worktree } })
    const checksFile = (rule: Rule | undefined) => rule?.checks && isForFile(rule, candidates)
    const ofFile = ofPath.filter(({ rule }) => !rules || checksFile(ruleNamed(rule)))
    const file = ofFile.length === 0 ? null : await read(resolve(worktree, path))
    if (!file) return []
    // If time ran out, all violations in the file count as unresolved.
    const unresolved = await unresolvedInText(ofFile, (name) => ruleNamed(name)?.checks, file.text, budget)
    if (!unresolved) budget.uncheckedViolations += ofFile.length
    return unresolved ?? ofFile
  }
  const byPath = groupBy([...byKey.values()], ({ path }) => path)
  return (await Promise.all([...byPath].map(unresolvedInFile))).flat()
}

/** Returns the violations, with repetitions, that are recorded in the marked parts and in the parts of subagents. */
export type FindRecorded = (marked: Array<MessagePart>) => Promise<Array<Violation>>

const MAX_SUBAGENT_CALLS = 1_000

export const recordedFinder = (client: Client): FindRecorded => {
  const bySubagentCall = new LruMap<string, Promise<Array<Violation>>>(MAX_SUBAGENT_CALLS)
  const findRecorded: FindRecorded = async (marked) => {
    const ofSubagents = marked.filter(isEndedSubagentCall).map((call) =>
      bySubagentCall.getOrCreate(call.id, async () => {
        const { data } = await historyOf(client, String(metadataOf(call)['sessionId']))
        return findRecorded(markedParts(data ?? []))
      })
    )
    return [violationsIn(marked), ...await Promise.all(ofSubagents)].flat()
  }
  return findRecorded
}

export type FindUnresolved = ReturnType<typeof unresolvedFinder>

export const unresolvedFinder =
  (findRecorded: FindRecorded, place: { worktree: string }, presentFiles: PresentFiles) =>
  async (history: History, request: RequestInput, budget?: TimeBudget): Promise<Array<Violation>> => {
    const recorded = await findRecorded(allMarkedParts(history, request))
    const read = (path: string) => presentFiles.read(path)
    return unresolvedIn(recorded, place, checkingRules(request), budget, read)
  }
