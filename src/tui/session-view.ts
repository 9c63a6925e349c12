/** The room `tui/`: what the terminal shows of SAT: of a session by its messages' metadata, of the rest as it is on the disk. */
import { METADATA_KEY, RULES_FIRST } from '../host/message-parts.ts'
import {
  fileKey,
  findOffPart,
  type FormatMark,
  isHiddenPart,
  type NamedFile,
  type PanelRule,
  readFormatMark,
  readSwitchedOff,
  type SessionRules,
} from '../host/panel-schema.ts'
import type { SetupFault } from '../host/plugin-entries.ts'

/**
 * What SAT did in a session: how many files were formatted and calls corrected, how many rules came before a new file, what
 * was not checked for lack of time; and which formatters fail now.
 */
type Done = {
  formatted: number
  corrected: number
  before: number
  unchecked: NonNullable<FormatMark['unchecked']>
  failing: FormatMark['failed']
}

/** What is shown. */
export type SessionView = Done & {
  rules: SessionRules
  /** Whether the session has these rules; if not, its first message will send them. */
  isSent: boolean
  /** Whether the option `rules` is `false`. */
  isOff: boolean
  /** Whether the host has not loaded the plugin's other half, so that nothing else is true. */
  isUnloaded: boolean
  faults: Array<SetupFault>
}

/** The fields of a part of a message that are read here. */
export type ViewedPart = {
  id?: string
  messageID?: string
  type?: string
  metadata?: unknown
  state?: unknown
}

/** The part of a session that says what is switched off, and what it says now. */
export type Switch = { sessionID: string; messageID: string; id: string; off: Array<NamedFile> }

/** Finds where a session keeps what is switched off; undefined before its hidden message is stored. */
export const switchIn = (sessionID: string, parts: Array<ViewedPart>): Switch | undefined => {
  const { id, messageID } = parts.find(isHiddenPart) ?? {}
  if (!id || !messageID) return undefined
  // The server's half numbers its own part of changes 1.
  return { sessionID, messageID, id: findOffPart(parts)?.id ?? `${id}2`, off: readSwitchedOff(parts) }
}

/** Counts the rules that a refused call names: "… not written yet. The rules `a`, `b` apply to …". */
const rulesNamed = (state: unknown): number => {
  const error = String(Object(state).error ?? '')
  const [, named = ''] = (error.includes(RULES_FIRST) && /\. The rules? (.+?) appl(?:y|ies) to /.exec(error))
    || []
  return named.match(/(`+)[^`](?:.*?[^`])?\1(?!`)/g)?.length ?? 0
}

/** Whether a call says what SAT did. */
export const isMarked = ({ state }: ViewedPart): boolean =>
  Object(Object(state).metadata)[METADATA_KEY] !== undefined || rulesNamed(state) > 0

/** Reads the parts of a session, the oldest first. */
export const doneIn = (parts: Array<ViewedPart>): Done => {
  const files = new Set<string>()
  const failing = new Map<string, FormatMark['failed'][number]>()
  let [corrected, before] = [0, 0]
  const unchecked = { lines: 0, rules: 0 }
  for (const { state } of parts) {
    before += rulesNamed(state)
    const mark = readFormatMark(state)
    if (!mark) continue
    for (const file of mark.formatted) files.add(file)
    if (mark.corrected) corrected++
    unchecked.lines += mark.unchecked?.lines ?? 0
    unchecked.rules += mark.unchecked?.rules ?? 0
    for (const one of mark.failed) failing.set(one.command, one)
    for (const command of mark.mended) failing.delete(command)
  }
  return { formatted: files.size, corrected, before, unchecked, failing: [...failing.values()] }
}

const STATES = ['inForce', 'off', 'waiting', 'offered', 'manual', 'unmet'] as const

const allOf = (rules: SessionRules): Array<PanelRule> => STATES.flatMap((state) => rules[state])

/** Lists the rules on the disk that a session was not sent. */
export const newOnDisk = (sent: SessionRules, disk: SessionRules): Array<PanelRule> => {
  const before = new Set(allOf(sent).map(fileKey))
  return allOf(disk).filter((rule) => !before.has(fileKey(rule)))
}

type ShownRule = SessionRules['inForce'][number]

/** Makes the function that adds to a rule of the person's own what no session stores of it: the words of its header. */
const withOwnWords = (disk: SessionRules) => {
  const byKey = new Map(allOf(disk).map((rule) => [fileKey(rule), rule]))
  return (rule: ShownRule): ShownRule => {
    const read = rule.own && byKey.get(fileKey(rule))
    if (!read) return rule
    const { description, keywords, globs, note, met = [], unmet = [] } = read
    const conditions = [...met, ...unmet]
    return {
      ...rule,
      description,
      keywords,
      globs,
      note,
      ...(conditions.length > 0 && (rule.unmet ? { unmet: conditions } : { met: conditions })),
    }
  }
}

/**
 * Adds to the rules that a session was sent what was saved since: rules that join with its next message, and faults; and
 * what the session does not store of the person's own rules.
 *
 * @param disk the rules that a request of the session would hold now
 * @param isHere whether the project is on this disk, so that a fault that is not there is gone
 */
export const withDisk = (stored: SessionRules, disk: SessionRules, isHere = true): SessionRules => {
  const read = withOwnWords(disk)
  const sent = { ...stored }
  for (const state of STATES) sent[state] = stored[state].map(read)
  const added = new Set(newOnDisk(sent, disk))
  const off = new Set(sent.off.map(fileKey))
  const isNew = (rule: PanelRule) => added.has(rule)
  return {
    ...sent,
    folders: disk.folders,
    joining: [...disk.inForce, ...disk.offered].filter(isNew),
    waiting: [...sent.waiting, ...disk.waiting.filter(isNew)],
    manual: [...sent.manual, ...disk.manual.filter(isNew)],
    unmet: [...sent.unmet, ...disk.unmet.filter(isNew)],
    leftOut: isHere ? disk.leftOut.filter((file) => !file.isSent || !off.has(fileKey(file))) : sent.leftOut,
  }
}

// English text and code take about four bytes a token with the tokenizers of today.
const BYTES_PER_TOKEN = 4

/** Estimates the tokens of what some rules add to a request. */
export const tokensOf = (...rules: Array<PanelRule>): number =>
  rules.reduce((sum, { bytes }) => sum + Math.round(bytes / BYTES_PER_TOKEN), 0)
