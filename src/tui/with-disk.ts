/** Updates a session's stored rules with the rules on the disk. */
import type { PanelRule, RuleState, SessionRule, SessionRules } from '../host/panel-schema.ts'
import { fileKey, RULE_STATES } from '../host/panel-schema.ts'

const allRules = (rules: SessionRules): Array<PanelRule> => RULE_STATES.flatMap((state) => rules[state])

/** Lists the rules that are on the disk, but not stored in the session. */
export const newOnDisk = (stored: SessionRules, disk: SessionRules): Array<PanelRule> => {
  const storedKeys = new Set(allRules(stored).map(fileKey))
  return allRules(disk).filter((rule) => !storedKeys.has(fileKey(rule)))
}

/**
 * If a stored rule is the person's own, adds its header (frontmatter) from the disk. A session may be shared, so
 * it does not store this header. If a condition in the header did not hold, the session stores only an empty `unmet`.
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
 * Adds the rules that are new on the disk to the rules of a session's last request (`stored`). `disk` has the rules
 * that a request would have now. A stored rule keeps its state. The person's own rules get their headers.
 */
export const withDisk = (stored: SessionRules, disk: SessionRules, isProjectHere = true): SessionRules => {
  const rulesOnDisk = new Map(allRules(disk).map((rule) => [fileKey(rule), rule]))
  const storedIn = (state: RuleState) =>
    stored[state].map((rule) => withHeader(rule, rulesOnDisk.get(fileKey(rule))))
  const newRules = new Set(newOnDisk(stored, disk))
  const newIn = (state: RuleState) => disk[state].filter((rule) => newRules.has(rule))
  const storedAndNewIn = (state: RuleState) => [...storedIn(state), ...newIn(state)]
  const offKeys = new Set(stored.off.map(fileKey))
  // `isSent` marks a fault in a rule's checks. Drops these faults for switched-off rules, whose checks do not run.
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
