/** Creates the entries of the list /rules. The panel shows some of them in short. */
import { basename } from 'node:path'
import { countUnchecked } from '../checks/format-violations.ts'
import type { NamedFile, SessionRules } from '../host/panel-schema.ts'
import { EXAMPLE_RULE } from '../host/slash-commands.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { type SessionView, tokensOf } from './session-view.ts'
import { VERSION } from './version.ts'

/**
 * An entry of /rules. Its line shows `title`, `remark` (something that the person may want to fix), `why` (the reason),
 * and `cost` in tokens. Enter shows `note`, then the text of `file`, or `text` if there is no file. `on` is undefined
 * unless the rule can be switched. `offer` is a folder or file of another tool that SAT could read.
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

/** Creates the entries of rules, sorted by name. */
const ruleEntries = (
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

const joinNames = (names: Array<string> = []): string => names.join(', ')

/** Describes what SAT did in a session, such as `2 edits corrected, 3 files formatted`; empty if nothing. */
export const describeActivity = (
  { corrected, formatted, shownBeforeWrite, unchecked }: SessionView,
): string =>
  [
    ...(corrected > 0 ? [`${pluralize(corrected, 'edit')} corrected`] : []),
    ...(formatted > 0 ? [`${pluralize(formatted, 'file')} formatted`] : []),
    ...(shownBeforeWrite > 0 ? [`${pluralize(shownBeforeWrite, 'rule')} came before a file`] : []),
    ...(unchecked.lines + unchecked.rules > 0 ? [`no time to check ${countUnchecked(unchecked)}`] : []),
  ].join(', ')

const locationOf = ({ path, line }: { path: string; line?: number | undefined }): string =>
  markName(line === undefined ? path : `${path}:${line}`)

/** Lists the entries of faults that the person should fix. They come first. */
export const faultEntries = ({ faults, failing, rules }: SessionView): Array<Entry> => [
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
    const title = `${rule} ${locationOf({ path, line })}`
    return { category: BROKEN, title, why, note: `It breaks ${rule}: ${why}`, file: { path }, line, broken }
  }),
  ...rules.leftOut.toSorted((a, b) => compare(a.path, b.path)).map((file) => {
    const category = file.isSent ? 'Not checked' : file.isOffered ? 'Only offered' : 'Left out'
    const state = file.isSent ? 'Its words are sent, but nothing is checked' : category
    const { reason } = file
    return { category, title: locationOf(file), why: reason, note: `${state}: ${reason}`, file }
  }),
]

/** Lists the entries of rules in force. */
export const entriesInForce = ({ rules, isSent }: SessionView): Array<Entry> =>
  ruleEntries(
    isSent ? 'In force' : 'Sent with the first message',
    rules.inForce,
    (rule) => ({
      why: joinTexts(rule.kind === 'file' ? rule.file : 'always', ...rule.met ?? []),
      note: rule.kind === 'file' ? `In force since ${rule.file}.` : 'Always in force.',
      cost: tokensOf(rule),
      on: true,
    }),
  )

/** Lists the entries of rules that were saved after the last message. */
export const entriesJoining = ({ rules }: SessionView): Array<Entry> =>
  ruleEntries('Join with your next message', rules.joining, (rule) => ({
    why: 'with your next message',
    note: 'Saved after the last message; in force with your next one.',
    cost: tokensOf(rule),
  }))

/** Lists the entries of all other rules: switched off, waiting, offered or not sent. */
const otherRules = ({ rules }: SessionView): Array<Entry> => [
  ...ruleEntries('Off in this session', rules.off, () => ({
    why: 'switched off',
    note: 'Switched off in this session only; the file stays as it is.',
    on: false,
  })),
  ...ruleEntries('Waiting for a file', rules.waiting, ({ globs, keywords, description }) => ({
    why: joinTexts(joinNames(globs), joinNames(keywords), description),
    note: joinTexts(
      globs && `Joins when a file in the session matches ${joinNames(globs)}`,
      keywords && `Joins when a message of yours has ${joinNames(keywords)}`,
    ),
    on: true,
  })),
  ...ruleEntries('Offered to the model by its description', rules.offered, (rule) => ({
    why: rule.description ?? '',
    note: `The model reads it when this applies: ${rule.description ?? 'its description'}`,
    cost: tokensOf(rule),
    on: true,
  })),
  ...ruleEntries('Not sent', rules.manual, () => ({
    why: 'no pattern, no description',
    note: 'Not sent: its header has neither a pattern nor a description, and it does not always apply.',
  })),
  ...ruleEntries('Conditions that do not hold', rules.unmet, ({ unmet, description }) => ({
    why: joinTexts(...unmet ?? [], description),
    note: `It would be sent with ${joinTexts(...unmet ?? []) || 'its conditions'}.`,
  })),
]

/** Lists the entries of files that SAT does not send: OpenCode's instruction files, and rules of other tools. */
const filesNotSent = ({ rules }: SessionView): Array<Entry> => [
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

/**
 * Lists the entries of /rules in order. The last one says how to write a rule. If there are no rules, an entry in their
 * place says the same, or that rules are off.
 */
export const listEntries = (view: SessionView): Array<Entry> => {
  if (view.isUnloaded) return faultEntries(view)
  const rules = [...entriesInForce(view), ...entriesJoining(view), ...otherRules(view)]
  const activity = describeActivity(view)
  return [
    ...faultEntries(view),
    ...(rules.length === 0 ? [view.isOff ? OFF : { ...HELP, category: 'No rules yet' }] : rules),
    ...filesNotSent(view),
    ...(activity === ''
      ? []
      : [{ category: 'Done in this session', title: activity, why: '', note: '', text: activity }]),
    HELP,
  ]
}

const FILE_CATEGORIES = ['Left out', 'Not checked', 'Only offered']

/** Describes the entry of a fault in short, for the panel: `release.md:2 left out`, `option tools: expected …`. */
export const shortLabel = ({ category, title, why }: Entry): string => {
  if (FILE_CATEGORIES.includes(category)) return `${basename(title)} ${category.toLowerCase()}`
  return category === BROKEN ? title : `${title}: ${why}`
}
