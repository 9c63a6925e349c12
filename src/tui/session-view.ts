/** The folder `tui/`: what the terminal shows. This file computes that from the data in a session and on the disk. */
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
  type SessionRule,
  type SessionRules,
  type StoredPart,
} from '../host/panel-schema.ts'
import type { SetupFault } from '../host/plugin-entries.ts'

/** What SAT did in a session. */
type Activity = {
  /** How many files were formatted. */
  formatted: number
  /** How many calls were corrected. */
  corrected: number
  /** How many rules were shown before a file was written. */
  shownBeforeWrite: number
  /** How many lines, and how many rules with `require`, there was no time to check. */
  unchecked: NonNullable<CallMark['unchecked']>
  /** The formatters that fail now. */
  failing: CallMark['failed']
}

/** What the terminal shows of a session. */
export type SessionView = Activity & {
  rules: SessionRules
  /** Whether the session has been sent these rules; if not, its next message sends them. */
  isSent: boolean
  /** Whether the option `rules` is `false`. */
  isOff: boolean
  /** Whether the host has not loaded the server half, or is too old for it. If so, only `faults` has a meaning. */
  isUnloaded: boolean
  faults: Array<SetupFault>
}

/** The fields of a part of a message that are read here. */
export type ViewedPart = StoredPart & { id?: string; messageID?: string; state?: unknown }

/** The ids of the message part that lists (or will list) a session's switched-off rules, and these rules (`off`). */
export type SwitchedOffPart = { sessionID: string; messageID: string; id: string; off: Array<NamedFile> }

/**
 * Finds the part that lists the switched-off rules. If no rule was switched off yet, returns the id that the part will
 * get. Returns undefined until the hidden message is stored.
 */
export const switchedOffPartIn = (
  sessionID: string,
  parts: Array<ViewedPart>,
): SwitchedOffPart | undefined => {
  const { id, messageID } = parts.find(isHiddenPart) ?? {}
  if (!id || !messageID) return undefined
  // A new part gets the id of the first hidden part with a 2 at the end. With a 1, the server half stores changes.
  return { sessionID, messageID, id: findOffPart(parts)?.id ?? `${id}2`, off: readSwitchedOff(parts) }
}

/** Counts the rules that the answer to a refused call names: "… not written yet. The rules `a`, ``b`c`` apply to …". */
const countNamedRules = (state: unknown): number => {
  const error = String(Object(state).error ?? '')
  if (!error.includes(RULES_FIRST)) return 0
  const [, names = ''] = /\. The rules? (.+?) appl(?:y|ies) to /.exec(error) ?? []
  // Matches a name between two equally long runs of backticks; the name may contain shorter runs.
  return names.match(/(`+)[^`](?:.*?[^`])?\1(?!`)/g)?.length ?? 0
}

/** Whether a part is a tool call with data on what SAT did, or one that SAT refused. */
export const hasActivity = ({ state }: ViewedPart): boolean =>
  Object(Object(state).metadata)[METADATA_KEY] !== undefined || countNamedRules(state) > 0

/** Sums up what SAT did, from the message parts of a session, the oldest first. */
export const activityIn = (parts: Array<ViewedPart>): Activity => {
  const files = new Set<string>()
  const failing = new Map<string, CallMark['failed'][number]>()
  const unchecked = { lines: 0, rules: 0 }
  let corrected = 0
  let shownBeforeWrite = 0
  for (const { state } of parts) {
    shownBeforeWrite += countNamedRules(state)
    const mark = readCallMark(state)
    if (!mark) continue
    for (const file of mark.formatted) files.add(file)
    if (mark.corrected) corrected++
    unchecked.lines += mark.unchecked?.lines ?? 0
    unchecked.rules += mark.unchecked?.rules ?? 0
    for (const failure of mark.failed) failing.set(failure.command, failure)
    for (const command of mark.mended) failing.delete(command)
  }
  return { formatted: files.size, corrected, shownBeforeWrite, unchecked, failing: [...failing.values()] }
}

const allRules = (rules: SessionRules): Array<PanelRule> => RULE_STATES.flatMap((state) => rules[state])

/** Lists the rules on the disk that the rules stored in a session lack. */
export const newOnDisk = (stored: SessionRules, disk: SessionRules): Array<PanelRule> => {
  const storedKeys = new Set(allRules(stored).map(fileKey))
  return allRules(disk).filter((rule) => !storedKeys.has(fileKey(rule)))
}

/** If a rule is one of the person's own, adds the header of its file, because no session stores this header. */
const withHeader = (rule: SessionRule, onDisk: PanelRule | undefined): SessionRule => {
  if (!rule.own || !onDisk) return rule
  const { description, keywords, globs, note, met = [], unmet = [] } = onDisk
  const conditions = [...met, ...unmet]
  const conditionFields = conditions.length > 0 && (rule.unmet ? { unmet: conditions } : { met: conditions })
  return { ...rule, description, keywords, globs, note, ...conditionFields }
}

/**
 * Brings the rules stored in a session up to date with the disk: adds new rules and the headers of the person's own
 * rules; takes the folders of other tools and, if the project is on this disk, the faults of rule files from the disk.
 *
 * @param stored the rules as of the last request of the session
 * @param disk the rules that a request of the session would have now
 * @param isProjectHere whether the project is on this disk, not on that of another machine
 */
export const withDisk = (stored: SessionRules, disk: SessionRules, isProjectHere = true): SessionRules => {
  const rulesOnDisk = new Map(allRules(disk).map((rule) => [fileKey(rule), rule]))
  const known = { ...stored }
  for (const state of RULE_STATES) {
    known[state] = stored[state].map((rule) => withHeader(rule, rulesOnDisk.get(fileKey(rule))))
  }
  const newRules = new Set(newOnDisk(stored, disk))
  const isNew = (rule: PanelRule) => newRules.has(rule)
  const offKeys = new Set(stored.off.map(fileKey))
  return {
    ...known,
    folders: disk.folders,
    joining: [...disk.inForce, ...disk.offered].filter(isNew),
    waiting: [...known.waiting, ...disk.waiting.filter(isNew)],
    manual: [...known.manual, ...disk.manual.filter(isNew)],
    unmet: [...known.unmet, ...disk.unmet.filter(isNew)],
    leftOut: isProjectHere
      ? disk.leftOut.filter((file) => !file.isSent || !offKeys.has(fileKey(file)))
      : stored.leftOut,
  }
}

// Current tokenizers need about one token for four bytes of English text or code.
const BYTES_PER_TOKEN = 4

/** Estimates the number of tokens that rules add to a request. */
export const tokensOf = (...rules: Array<PanelRule>): number =>
  rules.reduce((sum, { bytes }) => sum + Math.round(bytes / BYTES_PER_TOKEN), 0)
