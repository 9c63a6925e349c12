/** Creates the rows of the panel in the sidebar. */
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { cut, cutPath, widthOf } from './columns.ts'
import {
  describeActivity,
  entriesInForce,
  entriesJoining,
  type Entry,
  faultEntries,
  shortLabel,
} from './rules-lines.ts'
import { type SessionView, tokensOf } from './session-view.ts'

// The width of a section in the host's sidebar.
const WIDTH = 36
const RULES_SHOWN = 8
const FAULTS_SHOWN = 4
const NAME_WIDTH = 18

/**
 * A row: its text and colour (`tone`), the muted text after it, and the entry that a click opens. A row that `wraps`
 * may take several lines.
 */
export type Row = {
  text: string
  tone: 'text' | 'textMuted' | 'warning'
  muted?: string
  entry?: Entry
  wraps?: true
}

const mutedRow = (text: string): Row => ({ text: cut(text, WIDTH), tone: 'textMuted' })

/** Creates a row such as `3 waiting for a file`; none if the number is not positive. */
const countRow = (number: number, label: string): Array<Row> =>
  number > 0 ? [mutedRow(`${number} ${label}`)] : []

const ruleRow = (entry: Entry): Row => {
  const cost = ` ~${entry.cost}`
  const text = `• ${(entry.title.includes('/') ? cutPath : cut)(entry.title, NAME_WIDTH)} `
  const reasonWidth = WIDTH - widthOf(text) - cost.length
  const reason = cutPath(entry.why, reasonWidth)
  return { text, tone: 'text', muted: `${reason}${' '.repeat(reasonWidth - widthOf(reason))}${cost}`, entry }
}

/** Creates the rows of the unfolded section: at least one, and no more than the sidebar has room for. */
export const rowsOf = (view: SessionView): Array<Row> => {
  const { rules } = view
  const faults = faultEntries(view)
  if (view.isUnloaded) {
    return faults.map((entry) => ({ text: `! ${entry.note}`, tone: 'warning', entry, wraps: true }))
  }
  const sentEntries = entriesInForce(view)
  const joiningEntries = entriesJoining(view)
  const { off, waiting, offered, manual, unmet, instructions } = rules
  const tokens = tokensOf(...rules.inForce, ...offered)
  const hasNone = [sentEntries, joiningEntries, off, waiting, offered, manual, unmet].every((group) =>
    group.length === 0
  )
  const activity = describeActivity(view)
  return [
    ...faults.slice(0, FAULTS_SHOWN).map((entry): Row => ({
      text: `! ${(entry.line === undefined ? cut : cutPath)(shortLabel(entry), WIDTH - 2)}`,
      tone: 'warning',
      entry,
    })),
    ...countRow(faults.length - FAULTS_SHOWN, 'more to fix, /rules'),
    ...(sentEntries.length > 0
      ? [mutedRow(`${pluralize(sentEntries.length, 'rule')}, ~${tokens} tokens a request`)]
      : []),
    ...[...sentEntries, ...joiningEntries].slice(0, RULES_SHOWN).map(ruleRow),
    ...countRow(sentEntries.length + joiningEntries.length - RULES_SHOWN, 'more, /rules'),
    ...countRow(off.length, 'switched off, /rules'),
    ...countRow(waiting.length, 'waiting for a file'),
    ...countRow(offered.length, `offered to the model ~${tokensOf(...offered)}`),
    ...countRow(manual.length + unmet.length, 'not sent, /rules'),
    ...(hasNone ? [mutedRow(view.isOff ? 'Rules are off' : 'No rules yet: /rules shows how')] : []),
    ...(instructions.length > 1
      ? countRow(instructions.length, 'files by OpenCode')
      : instructions.map(({ path }) => mutedRow(`${cutPath(markName(path), 24)} by OpenCode`))),
    ...(activity === '' ? [] : [{ text: activity, tone: 'textMuted', wraps: true } as const]),
  ]
}
