/** The lines of /rules, which the panel shows in short. */
import { basename } from 'node:path'
import type { NamedFile, SessionRules } from '../host/panel-schema.ts'
import { type SessionView, tokensOf } from './session-view.ts'

/**
 * One line: `why` is its reason, `remark` what the person may want to fix, `note` is shown above its text, `text` is the
 * text of a line without a file.
 */
export type Entry = {
  category: string
  title: string
  why: string
  remark?: string | undefined
  note: string
  cost?: string
  file?: NamedFile | undefined
  /** The line of the file with which it is shown. */
  line?: number | undefined
  text?: string
}

// Natural order: `rule-2` before `rule-10`.
const { compare } = new Intl.Collator('en', { numeric: true })

type Rule = SessionRules['inForce'][number]

/** Makes the lines of some rules, in the order of their names. */
const linesOf = (
  category: string,
  rules: Array<Rule>,
  lineOf: (rule: Rule) => Pick<Entry, 'why' | 'note' | 'cost'>,
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

/add-rule writes one, or adds to OpenCode's own instruction file (AGENTS.md), and
says which; or name it: /add-rule .opencode/rules/style.md use tabs`

const FIRST_RULE: Entry = {
  category: 'No rules yet',
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
  ...rules.broken.map(({ rule, path, line, text: why = 'it lacks what the rule requires' }) => {
    const place = line === undefined ? path : `${path}:${line}`
    const file = { path }
    return { category: BROKEN, title: `${rule} ${place}`, why, note: `It breaks ${rule}: ${why}`, file, line }
  }),
  ...rules.leftOut.toSorted((one, other) => compare(one.path, other.path)).map((file) => ({
    category: file.isSent ? 'Not checked' : 'Left out',
    title: file.line === undefined ? file.path : `${file.path}:${file.line}`,
    why: file.reason,
    note: `${file.isSent ? 'Its words are sent, but nothing is checked' : 'Left out'}: ${file.reason}`,
    file,
  })),
]

/** The rules in force. */
export const inForce = ({ rules, isSent }: SessionView): Array<Entry> =>
  linesOf(
    isSent ? 'In force' : 'Sent with the first message',
    rules.inForce,
    ({ kind, file = '', bytes, met = [] }) => ({
      why: joined(kind === 'file' ? file : 'always', ...met),
      note: kind === 'file' ? `In force since ${file}.` : 'Always in force.',
      cost: tokensOf(bytes),
    }),
  )

const others = ({ rules }: SessionView): Array<Entry> => [
  ...linesOf('Waiting for a file', rules.waiting, ({ globs, keywords, description }) => ({
    why: joined(list(globs), list(keywords), description),
    note: joined(
      globs && `Joins when a file in the session matches ${list(globs)}`,
      keywords && `Joins when a message of yours has ${list(keywords)}`,
    ),
  })),
  ...linesOf('Offered to the model by its description', rules.offered, ({ description = '' }) => ({
    why: description,
    note: `The model reads it where this applies: ${description}`,
  })),
  ...linesOf('Not sent', rules.manual, () => ({
    why: 'no pattern, no description',
    note: 'Not sent: its header has neither a pattern nor a description, and it does not always apply.',
  })),
  ...linesOf('Conditions that do not hold', rules.unmet, ({ unmet, description }) => ({
    why: joined(...unmet ?? [], description),
    note: `It would be sent with ${joined(...unmet ?? [])}.`,
  })),
]

const ofTheHost = ({ rules }: SessionView): Array<Entry> => [
  ...rules.instructions.map((file) => ({
    category: 'From OpenCode itself',
    title: file.path,
    why: 'sent by OpenCode',
    note: 'An instruction file, which OpenCode sends itself.',
    file,
  })),
  ...rules.folders.map((path) => ({
    category: "Other tools' folders, not read",
    title: path,
    why: 'name it in rules.directories to have it read',
    note: 'To have these rules read, name the folder in the option rules.directories.',
    text: path,
  })),
]

/** Makes the lines of /rules, in their order; where there is no rule, the first one says how to write one. */
export const entriesOf = (view: SessionView): Array<Entry> => {
  const rules = [...inForce(view), ...others(view)]
  return [
    ...toFix(view),
    ...(rules.length === 0 ? [view.isOff ? OFF : FIRST_RULE] : rules),
    ...ofTheHost(view),
  ]
}

const OF_FILES = ['Left out', 'Not checked']

/** Names a fault for the panel: `release.md:2 left out`. */
export const inShort = ({ category, title }: Entry): string =>
  OF_FILES.includes(category) ? `${basename(title)} ${category.toLowerCase()}` : title
