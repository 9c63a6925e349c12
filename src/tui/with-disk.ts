/** Brings the rules that a session stores up to date with the disk. */
import type { PanelRule, RuleState, SessionRule, SessionRules } from '../host/panel-schema.ts'
import { fileKey, RULE_STATES } from '../host/panel-schema.ts'

const allRules = (rules: SessionRules): Array<PanelRule> => RULE_STATES.flatMap((state) => rules[state])

/** Lists the rules that are on the disk, but not stored in the session. */
export const newOnDisk = (stored: SessionRules, disk: SessionRules): Array<PanelRule> => {
  const storedKeys = new Set(allRules(stored).map(fileKey))
  return allRules(disk).filter((rule) => !storedKeys.has(fileKey(rule)))
}

/**
 * Adds the header (frontmatter) from the disk to a stored rule of the person's own. A session may be shared, so
 * it stores no header, only an empty `unmet` if a condition did not hold.
 */
const withHeader = (stored: SessionRule, onDisk: PanelRule | undefined): SessionRule => {
  if (!stored.own || !onDisk) return stored
  const { description, keywords, globs, note, met = [], unmet = [] } = onDisk
  const completed = { ...stored, description, keywords, globs, note }
  const conditions = [...met, ...unmet]
  if (conditions.length === 0) return completed
  // It is unknown which of them did not hold, so all are shown as unmet.
  return stored.unmet ? { ...completed, unmet: conditions } : { ...completed, met: conditions }
}

/**
 * Adds new rules on the disk to the rules of a session's last request (`stored`). `disk` has the rules that a
 * request would have now. A stored rule keeps its state. The person's own rules get their headers.
 */
export const withDisk = (stored: SessionRules, disk: SessionRules, isProjectHere = true): SessionRules => {
  const rulesOnDisk = new Map(allRules(disk).map((rule) => [fileKey(rule), rule]))
  const storedIn = (state: RuleState) =>
    stored[state].map((rule) => withHeader(rule, rulesOnDisk.get(fileKey(rule))))
  const newRules = new Set(newOnDisk(stored, disk))
  const newIn = (state: RuleState) => disk[state].filter((rule) => newRules.has(rule))
  const storedAndNewIn = (state: RuleState) => [...storedIn(state), ...newIn(state)]
  const offKeys = new Set(stored.off.map(fileKey))
  // If a file has `isSent`, only its checks are faulty. They do not run while its rule is switched off.
  const leftOutOnDisk = disk.leftOut.filter((file) => !(file.isSent && offKeys.has(fileKey(file))))
  return {
    // `broken`, `faults` and `instructions` stay as stored.
    ...stored,
    inForce: storedIn('inForce'),
    offered: storedIn('offered'),
    // The next message will send or offer these.
    joining: [...newIn('inForce'), ...newIn('offered')],
    off: storedIn('off'),
    waiting: storedAndNewIn('waiting'),
    manual: storedAndNewIn('manual'),
    unmet: storedAndNewIn('unmet'),
    folders: disk.folders,
    // If the project is on another machine, only the stored faulty files are known.
    leftOut: isProjectHere ? leftOutOnDisk : stored.leftOut,
  }
}
