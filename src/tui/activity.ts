/** Sums up what SAT did in a session, such as how many files it formatted. */
import { METADATA_KEY, RULES_FIRST } from '../host/message-parts.ts'
import { type CallMark, readCallMark } from '../host/panel-schema.ts'

// Captures the names of rules in an error such as "… is not written yet. The rules `a`, `b` apply to …".
const NAMES_IN_REFUSAL = /\. The rules? (.+?) appl(?:y|ies) to /
// Matches a quoted name. A name that contains a backtick is quoted with several backticks: `` b`c ``.
const QUOTED_NAME = /(`+)[^`](?:.*?[^`])?\1(?!`)/g

const countShownRules = (state: unknown): number => {
  const error = String(Object(state).error ?? '')
  if (!error.includes(RULES_FIRST)) return 0
  return NAMES_IN_REFUSAL.exec(error)?.[1]?.match(QUOTED_NAME)?.length ?? 0
}

export const hasActivity = ({ state }: { state?: unknown }): boolean =>
  Object(Object(state).metadata)[METADATA_KEY] !== undefined || countShownRules(state) > 0

export type Activity = ReturnType<typeof activityIn>

/** Sums up a session's message parts (the oldest first). */
export const activityIn = (parts: Array<{ state?: unknown }>) => {
  const files = new Set<string>()
  const failing = new Map<string, CallMark['failed'][number]>()
  // How many lines, and how many rules with a `require`, SAT had no time to check.
  const unchecked = { lines: 0, rules: 0 }
  let corrected = 0
  // Counts the rules that SAT showed to the model by refusing a write.
  let shownBeforeWrite = 0
  for (const { state } of parts) {
    shownBeforeWrite += countShownRules(state)
    const call = readCallMark(state)
    if (!call) continue
    for (const file of call.formatted) files.add(file)
    if (call.corrected) corrected++
    unchecked.lines += call.unchecked?.lines ?? 0
    unchecked.rules += call.unchecked?.rules ?? 0
    for (const failure of call.failed) failing.set(failure.command, failure)
    for (const command of call.mended) failing.delete(command)
  }
  return { formatted: files.size, corrected, shownBeforeWrite, unchecked, failing: [...failing.values()] }
}
