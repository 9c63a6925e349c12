/** Updates a session's stored rules with the rules on the disk. */
import type { PanelRule, RuleState, SessionRule, SessionRules } from '../host/panel-schema.ts'
import { fileKey, RULE_STATES } from '../host/panel-schema.ts'

const allRules = (rules: SessionRules): Array<PanelRule> => RULE_STATES.flatMap((state) => rules[state])

export const newOnDisk = (stored: SessionRules, disk: SessionRules): Array<PanelRule> => {
  const storedKeys = new Set(allRules(stored).map(fileKey))
  return allRules(disk).filter((rule) => !storedKeys.has(fileKey(rule)))
}

// A session may be shared, so it does not store the header (frontmatter) of a person's own rule.
const withHeader = (stored: SessionRule, onDisk: PanelRule | undefined): SessionRule => {
  if (!stored.own || !onDisk) return stored
  const { description, keywords, globs, note, met = [], unmet = [] } = onDisk
  const conditions = [...met, ...unmet]
  // If some conditions did not hold, the session does not say which, so all are shown as unmet.
  const shown = conditions.length > 0 && { [stored.unmet ? 'unmet' : 'met']: conditions }
  return { ...stored, description, keywords, globs, note, ...shown }
}

/** `stored` has the rules of a session's last request, and `disk` the rules that a request would have now. */
export const withDisk = (stored: SessionRules, disk: SessionRules, isProjectHere = true): SessionRules => {
  const rulesOnDisk = new Map(allRules(disk).map((rule) => [fileKey(rule), rule]))
  const storedIn = (state: RuleState) =>
    stored[state].map((rule) => withHeader(rule, rulesOnDisk.get(fileKey(rule))))
  const newRules = new Set(newOnDisk(stored, disk))
  const newIn = (state: RuleState) => disk[state].filter((rule) => newRules.has(rule))
  const storedAndNewIn = (state: RuleState) => [...storedIn(state), ...newIn(state)]
  const offKeys = new Set(stored.off.map(fileKey))
  // `isSent` marks a rule that has a fault only in its checks. The fault is not shown while the rule is off.
  const leftOutOnDisk = disk.leftOut.filter((file) => !(file.isSent && offKeys.has(fileKey(file))))
  return {
    ...stored,
    inForce: storedIn('inForce'),
    offered: storedIn('offered'),
    // The next message will send or offer these new rules.
    joining: [...newIn('inForce'), ...newIn('offered')],
    off: storedIn('off'),
    waiting: storedAndNewIn('waiting'),
    manual: storedAndNewIn('manual'),
    unmet: storedAndNewIn('unmet'),
    folders: disk.folders,
    leftOut: isProjectHere ? leftOutOnDisk : stored.leftOut,
  }
}
