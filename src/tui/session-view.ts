/** The folder `tui/`: what the terminal shows. This file derives it from a session's parts and the disk. */
import { METADATA_KEY, RULES_FIRST } from '../host/message-parts.ts'
import {
  type CallMark,
  fileKey,
  findOffPart,
  isHiddenPart,
  type NamedFile,
  type PanelRule,
  readCallMark,
  readSwitchedOff,
  RULE_STATES,
  type RuleState,
  type SessionRule,
  type SessionRules,
  type StoredPart,
} from '../host/panel-schema.ts'
import type { SetupFault } from '../host/setup.ts'

/** What the screen shows of a session: what SAT did in it (see `activityIn`), and its rules. */
export type SessionView = ReturnType<typeof activityIn> & {
  rules: SessionRules
  /** Whether rules were sent in this session. If not, its next message will send `rules`. */
  areRulesSent: boolean
  /** Whether the option `rules` is `false`. */
  isOff: boolean
  /** Whether the host has not loaded the server half, or is too old for it. If so, only `faults` has a meaning. */
  isUnloaded: boolean
  faults: Array<SetupFault>
}

/** A message part of the host; of a tool call, `state` has the arguments, the result or error, and the metadata. */
export type ViewedPart = StoredPart & { id?: string; messageID?: string; state?: unknown }

/** The message part for the switched-off rules: its place, and the rules in it (`off`). It may not exist yet. */
export type SwitchedOffPart = { sessionID: string; messageID: string; id: string; off: Array<NamedFile> }

/** Returns the part for the switched-off rules; undefined if the session has no hidden message of SAT. */
export const switchedOffPartIn = (
  sessionID: string,
  parts: Array<ViewedPart>,
): SwitchedOffPart | undefined => {
  const { id: firstId, messageID } = parts.find(isHiddenPart) ?? {}
  if (!firstId || !messageID) return undefined
  // A new part gets the suffix 2, because the server half stores changes of the panel in a part with the suffix 1.
  return { sessionID, messageID, id: findOffPart(parts)?.id ?? `${firstId}2`, off: readSwitchedOff(parts) }
}

// Matches "`a`, ``b`c``" in "… is not written yet. The rules `a`, ``b`c`` apply to …".
const NAMES_IN_REFUSAL = /\. The rules? (.+?) appl(?:y|ies) to /
// Matches a name between two equally long runs of backticks: `a`, and ``b`c``, which contains a shorter run.
const QUOTED_NAME = /(`+)[^`](?:.*?[^`])?\1(?!`)/g

/** Counts the rules in the error of a write that SAT refused because the model had not seen them; else returns 0. */
const countShownRules = (state: unknown): number => {
  const error = String(Object(state).error ?? '')
  if (!error.includes(RULES_FIRST)) return 0
  const [, names = ''] = NAMES_IN_REFUSAL.exec(error) ?? []
  return names.match(QUOTED_NAME)?.length ?? 0
}

/** Whether `activityIn` can find something in a part: data that SAT stored in a call, or rules in a call's error. */
export const hasActivity = ({ state }: ViewedPart): boolean =>
  Object(Object(state).metadata)[METADATA_KEY] !== undefined || countShownRules(state) > 0

/** Sums up what SAT did in a session, from its message parts (the oldest first). */
export const activityIn = (parts: Array<ViewedPart>) => {
  const files = new Set<string>()
  const failing = new Map<string, CallMark['failed'][number]>()
  const unchecked = { lines: 0, rules: 0 }
  let corrected = 0
  let shownBeforeWrite = 0
  for (const { state } of parts) {
    shownBeforeWrite += countShownRules(state)
    const call = readCallMark(state)
    if (!call) continue
    for (const file of call.formatted) files.add(file)
    if (call.corrected) corrected++
    unchecked.lines += call.unchecked?.lines ?? 0
    unchecked.rules += call.unchecked?.rules ?? 0
    // A formatter is failing until a later call says that it works again.
    for (const failure of call.failed) failing.set(failure.command, failure)
    for (const command of call.mended) failing.delete(command)
  }
  return { formatted: files.size, corrected, shownBeforeWrite, unchecked, failing: [...failing.values()] }
}

const allRules = (rules: SessionRules): Array<PanelRule> => RULE_STATES.flatMap((state) => rules[state])

/** Lists the rules that are on the disk, but not stored in the session. */
export const newOnDisk = (stored: SessionRules, disk: SessionRules): Array<PanelRule> => {
  const storedKeys = new Set(allRules(stored).map(fileKey))
  return allRules(disk).filter((rule) => !storedKeys.has(fileKey(rule)))
}

/**
 * Adds the header (frontmatter) on the disk to a stored rule of the person's own. A session may be shared, so it stores
 * only whether all conditions in that header held at its last request: if so, `unmet` is missing; if not, it is `[]`.
 */
const withHeader = (stored: SessionRule, onDisk: PanelRule | undefined): SessionRule => {
  if (!stored.own || !onDisk) return stored
  const { description, keywords, globs, note, met = [], unmet = [] } = onDisk
  const conditions = [...met, ...unmet]
  const completed = { ...stored, description, keywords, globs, note }
  if (conditions.length === 0) return completed
  const didHold = stored.unmet === undefined
  return didHold ? { ...completed, met: conditions } : { ...completed, unmet: conditions }
}

/**
 * Brings the stored rules of a session's last request up to date with `disk`, the rules that a request would have now:
 * adds new rules, and the headers of the person's own rules. A stored rule stays in its state.
 */
export const withDisk = (stored: SessionRules, disk: SessionRules, isProjectHere = true): SessionRules => {
  const rulesOnDisk = new Map(allRules(disk).map((rule) => [fileKey(rule), rule]))
  const storedIn = (state: RuleState) =>
    stored[state].map((rule) => withHeader(rule, rulesOnDisk.get(fileKey(rule))))
  const newRules = new Set(newOnDisk(stored, disk))
  const newIn = (state: RuleState) => disk[state].filter((rule) => newRules.has(rule))
  const offKeys = new Set(stored.off.map(fileKey))
  // Of a file with `isSent`, only the checks are faulty, and they do not run while the rule is switched off.
  const leftOutOnDisk = disk.leftOut.filter((file) => !(file.isSent && offKeys.has(fileKey(file))))
  return {
    ...stored,
    inForce: storedIn('inForce'),
    offered: storedIn('offered'),
    // The next message will send or offer these.
    joining: [...newIn('inForce'), ...newIn('offered')],
    off: storedIn('off'),
    waiting: [...storedIn('waiting'), ...newIn('waiting')],
    manual: [...storedIn('manual'), ...newIn('manual')],
    unmet: [...storedIn('unmet'), ...newIn('unmet')],
    folders: disk.folders,
    // If the project is on another machine, only the stored faulty files are known.
    leftOut: isProjectHere ? leftOutOnDisk : stored.leftOut,
  }
}

// Current tokenizers need about one token for four bytes of English text or code.
const BYTES_PER_TOKEN = 4

/** Estimates the number of tokens that rules add to a request. */
export const tokensOf = (...rules: Array<PanelRule>): number =>
  rules.reduce((sum, { bytes }) => sum + Math.round(bytes / BYTES_PER_TOKEN), 0)
