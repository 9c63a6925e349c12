/** Creates the entries of /rules. The panel shows them in short. */
import { basename } from 'node:path'
import { countUnchecked } from '../checks/tell-broken.ts'
import type { NamedFile, SessionRules } from '../host/panel-schema.ts'
import { EXAMPLE_RULE } from '../host/slash-commands.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { type SessionView, tokensOf } from './session-view.ts'
import { VERSION } from './version.ts'

/**
 * An entry of /rules. Its line shows `title`, `remark` (something that the person may want to fix), `why` (the reason), and
 * `cost` in tokens. Enter shows `note`, then the text of `file`, or `text` if there is no file. `on` is undefined unless
 * the rule can be switched. `offer` is a folder or file of another tool that SAT could read.
 */
export type Entry = {
  category: string
  title: string
  why: string
  remark?: string | undefined
  note: string
  cost?: number
  file?: NamedFile | undefined
  /** The line of the file to show. */
  line?: number | undefined
  text?: string
  /** The rule that a line of the file breaks, and that line. */
  broken?: { rule: string; text: string }
  on?: boolean
  offer?: string
}

// Natural order: `rule-2` before `rule-10`.
const { compare } = new Intl.Collator('en', { numeric: true })

type Rule = SessionRules['inForce'][number]

/** Creates the entries of rules, in the order of their names. */
const rulesIn = (
  category: string,
  rules: Array<Rule>,
  entryOf: (rule: Rule) => Pick<Entry, 'why' | 'note' | 'cost' | 'on'>,
): Array<Entry> =>
  rules.toSorted((a, b) => compare(a.name, b.name))
    .map((rule) => ({ category, title: rule.name, remark: rule.note, ...entryOf(rule), file: rule }))

const HOW_TO = `A rule is a Markdown file in .opencode/rules/, such as style.md:

    Use named exports.

It is sent with every request. To send it only once a matching file is read or
changed, begin the file with:

    ---
    globs: src/**/*.ts
    ---

To check each line that the agent adds, forbid a pattern, and prove the pattern
with a wrong line and a right one:

${EXAMPLE_RULE.replace(/^/gm, '    ')}

/add-rule writes such a file, or adds to OpenCode's own instruction file
(AGENTS.md), and says which. You can name the file:
/add-rule .opencode/rules/style.md use tabs`

const HELP: Entry = {
  category: `SAT ${VERSION}`,
  title: 'How to write a rule',
  why: '.opencode/rules/style.md',
  note: '',
  text: HOW_TO,
}

const OFF: Entry = {
  category: 'No rules',
  title: 'Rules are off',
  why: 'the option rules is false',
  note: 'The option rules of SAT is false: no rule file is sent.',
}

const BROKEN = 'Breaks a rule'

/** Joins the texts that are neither missing nor empty. */
export const joinTexts = (...texts: Array<string | undefined>): string => texts.filter(Boolean).join('; ')

const list = (names: Array<string> = []): string => names.join(', ')

/** Says what SAT did in a session; empty if it did nothing. */
export const describeActivity = ({ corrected, formatted, before, unchecked }: SessionView): string =>
  [
    ...(corrected > 0 ? [`${pluralize(corrected, 'edit')} corrected`] : []),
    ...(formatted > 0 ? [`${pluralize(formatted, 'file')} formatted`] : []),
    ...(before > 0 ? [`${pluralize(before, 'rule')} came before a file`] : []),
    ...(unchecked.lines + unchecked.rules > 0 ? [`no time to check ${countUnchecked(unchecked)}`] : []),
  ].join(', ')

const placeOf = ({ path, line }: { path: string; line?: number | undefined }): string =>
  markName(line === undefined ? path : `${path}:${line}`)

/** Lists the entries that the person should fix. They come first. */
export const toFix = ({ faults, failing, rules }: SessionView): Array<Entry> => [
  ...faults.map((fault) => ({ category: 'To fix', ...fault })),
  ...failing.map(({ command, why }) => ({
    category: 'To fix',
    title: command,
    why,
    note: `This formatter ${why}: ${command}`,
    text: 'It is set in "formatter" of opencode.json, or in "format_on_save" of the options of SAT.',
  })),
  ...rules.faults.map(({ feature, reason }) => ({
    category: 'To fix',
    title: feature,
    why: reason,
    note: `The ${feature}: ${reason}`,
    text: 'The rules are sent all the same. The log of OpenCode has more.',
  })),
  ...rules.broken.map(({ path, line, ...broken }) => {
    const [rule, why] = [markName(broken.rule), markName(broken.text)]
    const title = `${rule} ${placeOf({ path, line })}`
    return { category: BROKEN, title, why, note: `It breaks ${rule}: ${why}`, file: { path }, line, broken }
  }),
  ...rules.leftOut.toSorted((a, b) => compare(a.path, b.path)).map((file) => {
    const category = file.isSent ? 'Not checked' : file.isOffered ? 'Only offered' : 'Left out'
    const state = file.isSent ? 'Its words are sent, but nothing is checked' : category
    const { reason } = file
    return { category, title: placeOf(file), why: reason, note: `${state}: ${reason}`, file }
  }),
]

/** Lists the rules in force. */
export const inForce = ({ rules, isSent }: SessionView): Array<Entry> =>
  rulesIn(
    isSent ? 'In force' : 'Sent with the first message',
    rules.inForce,
    (rule) => ({
      why: joinTexts(rule.kind === 'file' ? rule.file : 'always', ...rule.met ?? []),
      note: rule.kind === 'file' ? `In force since ${rule.file}.` : 'Always in force.',
      cost: tokensOf(rule),
      on: true,
    }),
  )

/** Lists the rules that were saved after the last message. */
export const joining = ({ rules }: SessionView): Array<Entry> =>
  rulesIn('Join with your next message', rules.joining, (rule) => ({
    why: 'with your next message',
    note: 'Saved after the last message; in force with your next one.',
    cost: tokensOf(rule),
  }))

const others = ({ rules }: SessionView): Array<Entry> => [
  ...rulesIn('Off in this session', rules.off, () => ({
    why: 'switched off',
    note: 'Switched off in this session only; the file stays as it is.',
    on: false,
  })),
  ...rulesIn('Waiting for a file', rules.waiting, ({ globs, keywords, description }) => ({
    why: joinTexts(list(globs), list(keywords), description),
    note: joinTexts(
      globs && `Joins when a file in the session matches ${list(globs)}`,
      keywords && `Joins when a message of yours has ${list(keywords)}`,
    ),
    on: true,
  })),
  ...rulesIn('Offered to the model by its description', rules.offered, (rule) => ({
    why: rule.description ?? '',
    note: `The model reads it when this applies: ${rule.description ?? 'its description'}`,
    cost: tokensOf(rule),
    on: true,
  })),
  ...rulesIn('Not sent', rules.manual, () => ({
    why: 'no pattern, no description',
    note: 'Not sent: its header has neither a pattern nor a description, and it does not always apply.',
  })),
  ...rulesIn('Conditions that do not hold', rules.unmet, ({ unmet, description }) => ({
    why: joinTexts(...unmet ?? [], description),
    note: `It would be sent with ${joinTexts(...unmet ?? []) || 'its conditions'}.`,
  })),
]

const otherEntries = ({ rules }: SessionView): Array<Entry> => [
  ...rules.instructions.map((file) => ({
    category: 'From OpenCode itself',
    title: markName(file.path),
    why: 'sent by OpenCode',
    note: 'An instruction file, which OpenCode itself sends.',
    file,
  })),
  ...rules.folders.map((path) => ({
    category: 'Rules of other tools, not read',
    title: markName(path),
    why: 'Enter: have them read',
    note: '',
    offer: path,
  })),
]

/** Lists the entries of /rules in order. One says how to write a rule: the last, and the first if there are no rules. */
export const entriesOf = (view: SessionView): Array<Entry> => {
  if (view.isUnloaded) return toFix(view)
  const rules = [...inForce(view), ...joining(view), ...others(view)]
  const activity = describeActivity(view)
  return [
    ...toFix(view),
    ...(rules.length === 0 ? [view.isOff ? OFF : { ...HELP, category: 'No rules yet' }] : rules),
    ...otherEntries(view),
    ...(activity === ''
      ? []
      : [{ category: 'Done in this session', title: activity, why: '', note: '', text: activity }]),
    HELP,
  ]
}

const FILE_CATEGORIES = ['Left out', 'Not checked', 'Only offered']

/** Describes a fault in short, for the panel: `release.md:2 left out`, `option tools: expected …`. */
export const inShort = ({ category, title, why }: Entry): string => {
  if (FILE_CATEGORIES.includes(category)) return `${basename(title)} ${category.toLowerCase()}`
  return category === BROKEN ? title : `${title}: ${why}`
}
