/** The lines of /rules, which the panel shows in short. */
import { basename } from 'node:path'
import { countUnchecked } from '../checks/tell-broken.ts'
import type { NamedFile, SessionRules } from '../host/panel-schema.ts'
import { EXAMPLE_RULE } from '../host/slash-commands.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { type SessionView, tokensOf } from './session-view.ts'
import { VERSION } from './version.ts'

/**
 * One line: `why` is its reason, `remark` what the person may want to fix, `note` is shown above its text, `text` is the
 * text of a line without a file, `cost` its tokens. A rule that the session may have is `on` or off; `offer` is a folder or
 * file of another tool that could be read.
 */
export type Entry = {
  category: string
  title: string
  why: string
  remark?: string | undefined
  note: string
  cost?: number
  file?: NamedFile | undefined
  /** The line of the file with which it is shown. */
  line?: number | undefined
  text?: string
  /** What breaks a rule. */
  broken?: { rule: string; text: string }
  on?: boolean
  offer?: string
}

// Natural order: `rule-2` before `rule-10`.
const { compare } = new Intl.Collator('en', { numeric: true })

type Rule = SessionRules['inForce'][number]

/** Makes the lines of some rules, in the order of their names. */
const linesOf = (
  category: string,
  rules: Array<Rule>,
  lineOf: (rule: Rule) => Pick<Entry, 'why' | 'note' | 'cost' | 'on'>,
): Array<Entry> =>
  rules.toSorted((one, other) => compare(one.name, other.name))
    .map((rule) => ({ category, title: rule.name, remark: rule.note, ...lineOf(rule), file: rule }))

const HOW_TO = `A rule is a Markdown file in .opencode/rules/, such as style.md:

    Use named exports.

It is sent with every request. To send it only once a matching file is read or
changed, begin the file with:

    ---
    globs: src/**/*.ts
    ---

To have each line checked that the agent adds, say what none may have, by a
pattern, and prove it by a wrong line and a right one:

${EXAMPLE_RULE.replace(/^/gm, '    ')}

/add-rule writes one, or adds to OpenCode's own instruction file (AGENTS.md), and
says which; or name it: /add-rule .opencode/rules/style.md use tabs`

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

/** Joins what is there of some words. */
export const joined = (...words: Array<string | undefined>): string => words.filter(Boolean).join('; ')

const list = (names: Array<string> = []): string => names.join(', ')

/** Says what SAT did in a session; empty where it did nothing. */
export const doneWords = ({ corrected, formatted, before, unchecked }: SessionView): string =>
  [
    ...(corrected > 0 ? [`${pluralize(corrected, 'edit')} corrected`] : []),
    ...(formatted > 0 ? [`${pluralize(formatted, 'file')} formatted`] : []),
    ...(before > 0 ? [`${pluralize(before, 'rule')} came before a file`] : []),
    ...(unchecked.lines + unchecked.rules > 0 ? [`no time to check ${countUnchecked(unchecked)}`] : []),
  ].join(', ')

const placeOf = ({ path, line }: { path: string; line?: number | undefined }): string =>
  markName(line === undefined ? path : `${path}:${line}`)

/** What the person should fix, which stands first. */
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
    const place = placeOf({ path, line })
    const [rule, why] = [markName(broken.rule), markName(broken.text)]
    const file = { path }
    const note = `It breaks ${rule}: ${why}`
    return { category: BROKEN, title: `${rule} ${place}`, why, note, file, line, broken }
  }),
  ...rules.leftOut.toSorted((one, other) => compare(one.path, other.path)).map((file) => ({
    category: file.isSent ? 'Not checked' : file.isOffered ? 'Only offered' : 'Left out',
    title: placeOf(file),
    why: file.reason,
    note: `${
      file.isSent
        ? 'Its words are sent, but nothing is checked'
        : file.isOffered
        ? 'Only offered'
        : 'Left out'
    }: ${file.reason}`,
    file,
  })),
]

/** The rules in force. */
export const inForce = ({ rules, isSent }: SessionView): Array<Entry> =>
  linesOf(
    isSent ? 'In force' : 'Sent with the first message',
    rules.inForce,
    (rule) => ({
      why: joined(rule.kind === 'file' ? rule.file : 'always', ...rule.met ?? []),
      note: rule.kind === 'file' ? `In force since ${rule.file}.` : 'Always in force.',
      cost: tokensOf(rule),
      on: true,
    }),
  )

/** The rules that were saved after the last message. */
export const joining = ({ rules }: SessionView): Array<Entry> =>
  linesOf('Join with your next message', rules.joining, (rule) => ({
    why: 'with your next message',
    note: 'Saved after the last message; in force with your next one.',
    cost: tokensOf(rule),
  }))

const others = ({ rules }: SessionView): Array<Entry> => [
  ...linesOf('Off in this session', rules.off, () => ({
    why: 'switched off',
    note: 'Switched off in this session alone; the file stays as it is.',
    on: false,
  })),
  ...linesOf('Waiting for a file', rules.waiting, ({ globs, keywords, description }) => ({
    why: joined(list(globs), list(keywords), description),
    note: joined(
      globs && `Joins when a file in the session matches ${list(globs)}`,
      keywords && `Joins when a message of yours has ${list(keywords)}`,
    ),
    on: true,
  })),
  ...linesOf('Offered to the model by its description', rules.offered, (rule) => ({
    why: rule.description ?? '',
    note: `The model reads it where this applies: ${rule.description ?? 'its description'}`,
    cost: tokensOf(rule),
    on: true,
  })),
  ...linesOf('Not sent', rules.manual, () => ({
    why: 'no pattern, no description',
    note: 'Not sent: its header has neither a pattern nor a description, and it does not always apply.',
  })),
  ...linesOf('Conditions that do not hold', rules.unmet, ({ unmet, description }) => ({
    why: joined(...unmet ?? [], description),
    note: `It would be sent with ${joined(...unmet ?? []) || 'its conditions'}.`,
  })),
]

const ofTheHost = ({ rules }: SessionView): Array<Entry> => [
  ...rules.instructions.map((file) => ({
    category: 'From OpenCode itself',
    title: markName(file.path),
    why: 'sent by OpenCode',
    note: 'An instruction file, which OpenCode sends itself.',
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

/** Makes the lines of /rules, in their order; one says how to write a rule, the first where there is none. */
export const entriesOf = (view: SessionView): Array<Entry> => {
  if (view.isUnloaded) return toFix(view)
  const rules = [...inForce(view), ...joining(view), ...others(view)]
  const done = doneWords(view)
  return [
    ...toFix(view),
    ...(rules.length === 0 ? [view.isOff ? OFF : { ...HELP, category: 'No rules yet' }] : rules),
    ...ofTheHost(view),
    ...(done === ''
      ? []
      : [{ category: 'Done in this session', title: done, why: '', note: '', text: done }]),
    HELP,
  ]
}

const OF_FILES = ['Left out', 'Not checked', 'Only offered']

/** Names a fault for the panel: `release.md:2 left out`, `option tools: expected …`. */
export const inShort = ({ category, title, why }: Entry): string => {
  if (OF_FILES.includes(category)) return `${basename(title)} ${category.toLowerCase()}`
  return category === BROKEN ? title : `${title}: ${why}`
}
