/** The folder `tui/`: what the terminal shows. This file computes it from a session's metadata and from the disk. */
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
  /** How many files were formatted, and how many calls were corrected. */
  formatted: number
  corrected: number
  /** How many rules were shown before a file was written. */
  shownBeforeWrite: number
  /** How many lines and rules there was no time to check. */
  unchecked: NonNullable<CallMark['unchecked']>
  /** The formatters that fail now. */
  failing: CallMark['failed']
}

/** What the terminal shows of a session. */
export type SessionView = Activity & {
  rules: SessionRules
  /** Whether the session has these rules; if not, its first message will send them. */
  isSent: boolean
  /** Whether the option `rules` is `false`. */
  isOff: boolean
  /** Whether the host has not loaded the server half. If so, only `faults` has a meaning. */
  isUnloaded: boolean
  faults: Array<SetupFault>
}

/** The fields of a part of a message that are read here. */
export type ViewedPart = StoredPart & { id?: string; messageID?: string; state?: unknown }

/** The ids of the message part that lists a session's switched-off rules, and these rules (`off`). */
export type SwitchedOffPart = { sessionID: string; messageID: string; id: string; off: Array<NamedFile> }

/** Finds the part that lists the switched-off rules, or its future id; undefined until the hidden message is stored. */
export const switchedOffPartIn = (
  sessionID: string,
  parts: Array<ViewedPart>,
): SwitchedOffPart | undefined => {
  const { id, messageID } = parts.find(isHiddenPart) ?? {}
  if (!id || !messageID) return undefined
  // A new part gets the hidden part's id with a 2. The server half uses the id with a 1, for a part with changes.
  return { sessionID, messageID, id: findOffPart(parts)?.id ?? `${id}2`, off: readSwitchedOff(parts) }
}

/** Counts the rules in the answer to a refused call: "… not written yet. The rules `a`, ``b`c`` apply to …". */
const countNamedRules = (state: unknown): number => {
  const error = String(Object(state).error ?? '')
  if (!error.includes(RULES_FIRST)) return 0
  const [, names = ''] = /\. The rules? (.+?) appl(?:y|ies) to /.exec(error) ?? []
  // Matches a name in backticks, of which it may contain shorter runs.
  return names.match(/(`+)[^`](?:.*?[^`])?\1(?!`)/g)?.length ?? 0
}

/** Whether a part is a tool call with data on what SAT did. */
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

/** Lists the rules on the disk that a session was not sent. */
export const newOnDisk = (sent: SessionRules, disk: SessionRules): Array<PanelRule> => {
  const sentKeys = new Set(allRules(sent).map(fileKey))
  return allRules(disk).filter((rule) => !sentKeys.has(fileKey(rule)))
}

/** If a rule is one of the person's own, adds its header from the disk, because no session stores it. */
const withHeader = (rule: SessionRule, onDisk: PanelRule | undefined): SessionRule => {
  if (!rule.own || !onDisk) return rule
  const { description, keywords, globs, note, met = [], unmet = [] } = onDisk
  const conditions = [...met, ...unmet]
  const state = conditions.length > 0 && (rule.unmet ? { unmet: conditions } : { met: conditions })
  return { ...rule, description, keywords, globs, note, ...state }
}

/**
 * Adds to the rules that a session was sent: new rules on the disk, faults, and the headers of the person's own rules.
 *
 * @param stored the rules that the session was sent
 * @param disk the rules that a request of the session would have now
 * @param isProjectHere whether the project is on this disk; if so, a fault that is not found there has been fixed
 */
export const withDisk = (stored: SessionRules, disk: SessionRules, isProjectHere = true): SessionRules => {
  const rulesOnDisk = new Map(allRules(disk).map((rule) => [fileKey(rule), rule]))
  const sent = { ...stored }
  for (const state of RULE_STATES) {
    sent[state] = stored[state].map((rule) => withHeader(rule, rulesOnDisk.get(fileKey(rule))))
  }
  const newRules = new Set(newOnDisk(sent, disk))
  const isNew = (rule: PanelRule) => newRules.has(rule)
  const off = new Set(sent.off.map(fileKey))
  return {
    ...sent,
    folders: disk.folders,
    joining: [...disk.inForce, ...disk.offered].filter(isNew),
    waiting: [...sent.waiting, ...disk.waiting.filter(isNew)],
    manual: [...sent.manual, ...disk.manual.filter(isNew)],
    unmet: [...sent.unmet, ...disk.unmet.filter(isNew)],
    leftOut: isProjectHere
      ? disk.leftOut.filter((file) => !file.isSent || !off.has(fileKey(file)))
      : sent.leftOut,
  }
}

// Current tokenizers need about one token for four bytes of English text or code.
const BYTES_PER_TOKEN = 4

/** Estimates the number of tokens that rules add to a request. */
export const tokensOf = (...rules: Array<PanelRule>): number =>
  rules.reduce((sum, { bytes }) => sum + Math.round(bytes / BYTES_PER_TOKEN), 0)
