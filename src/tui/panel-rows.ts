/** Creates the rows of the panel in the sidebar: faults, the rules in force, and counts of all other rules. */
import { basename } from 'node:path'
import { RULE_STATES } from '../host/panel-schema.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { cut, cutPath, widthOf } from './columns.ts'
import type { Entry } from './rules-lines.ts'
import { countFaults, describeActivity, faultEntries, ruleEntries, TO_FIX } from './rules-lines.ts'
import { type SessionView, tokensOf } from './session-view.ts'

// The width of a section in the host's sidebar.
const WIDTH = 36
const RULES_SHOWN = 8
const FAULTS_SHOWN = 4
const NAME_WIDTH = 18

/** A line of the panel: `text`, then `muted` in a paler color. */
export type Row = {
  text: string
  tone: 'text' | 'textMuted' | 'warning'
  muted?: string
  entry?: Entry
  wraps?: true
}

const mutedRow = (text: string): Row => ({ text: cut(text, WIDTH), tone: 'textMuted' })

const countRow = (number: number, label: string): Array<Row> =>
  number > 0 ? [mutedRow(`${number} ${label}`)] : []

const faultRow = (entry: Entry): Row => {
  const { category, title, why, violation } = entry
  const label = category === TO_FIX ? `${title}: ${why}` : `${basename(title)} ${category.toLowerCase()}`
  // The title of a broken rule ends with path and line, which matter most.
  const text = violation ? cutPath(title, WIDTH - 2) : cut(label, WIDTH - 2)
  return { text: `! ${text}`, tone: 'warning', entry }
}

const ruleRow = (entry: Entry): Row => {
  const shorten = entry.title.includes('/') ? cutPath : cut
  const text = `• ${shorten(entry.title, NAME_WIDTH)} `
  const cost = ` ~${entry.cost}`
  const reasonWidth = WIDTH - widthOf(text) - cost.length
  const reason = cutPath(entry.why, reasonWidth)
  const padding = ' '.repeat(reasonWidth - widthOf(reason))
  return { text, tone: 'text', muted: `${reason}${padding}${cost}`, entry }
}

export const foldedTextsOf = (view: SessionView): { rules: string; toFix: string } => {
  const count = countFaults(faultEntries(view))
  return { rules: pluralize(view.rules.inForce.length, 'rule'), toFix: count > 0 ? `! ${count} to fix` : '' }
}

export const rowsOf = (view: SessionView): Array<Row> => {
  const faults = faultEntries(view)
  if (view.isUnloaded) {
    return faults.map((entry) => ({ text: `! ${entry.note}`, tone: 'warning', entry, wraps: true }))
  }
  const { inForce, off, waiting, offered, manual, unmet, instructions } = view.rules
  const listedRules = [...ruleEntries(view, 'inForce'), ...ruleEntries(view, 'joining')]
  const total = `${pluralize(inForce.length, 'rule')}, ~${tokensOf(...inForce, ...offered)} tokens a request`
  const hasNoRules = RULE_STATES.every((state) => view.rules[state].length === 0)
  const activity = describeActivity(view)
  return [
    ...faults.slice(0, FAULTS_SHOWN).map(faultRow),
    ...countRow(countFaults(faults.slice(FAULTS_SHOWN)), 'more to fix, /rules'),
    ...(inForce.length > 0 ? [mutedRow(total)] : []),
    ...listedRules.slice(0, RULES_SHOWN).map(ruleRow),
    ...countRow(listedRules.length - RULES_SHOWN, 'more, /rules'),
    ...countRow(off.length, 'switched off, /rules'),
    ...countRow(waiting.length, 'waiting for a file or keyword'),
    ...countRow(offered.length, `offered to the model ~${tokensOf(...offered)}`),
    ...countRow(manual.length + unmet.length, 'not sent, /rules'),
    ...(hasNoRules ? [mutedRow(view.isOff ? 'Rules are off' : 'No rules yet: /rules shows how')] : []),
    ...(instructions.length === 1
      ? [mutedRow(`${cutPath(markName(instructions[0]!.path), 19)} sent by OpenCode`)]
      : countRow(instructions.length, 'files sent by OpenCode')),
    ...(activity === '' ? [] : [{ text: activity, tone: 'textMuted', wraps: true } as const]),
  ]
}
