/** The lines of /rules, which the panel shows in short. */
import { basename } from 'node:path'
import { cutPath } from './columns.ts'
import { type SessionView, tokensOf, whyOf } from './session-view.ts'

/** A file as the metadata names it. */
export type NamedFile = { path: string; own?: true | undefined }

/** One line: `why` is its reason, `note` what stands over its text, `text` the text of one that has no file. */
export type Entry = {
  category: string
  title: string
  why: string
  note: string
  cost?: string
  file?: NamedFile
  text?: string
}

// The host cuts a line at its end, where the name of the file is.
const PATH_WIDTH = 40

/** Orders names as a person does: `rule-2` before `rule-10`. */
const byName = new Intl.Collator('en', { numeric: true }).compare
const sorted = <T>(items: Array<T>, nameOf: (item: T) => string): Array<T> =>
  items.toSorted((one, other) => byName(nameOf(one), nameOf(other)))

const HOW_TO = `A rule is a Markdown file in .opencode/rules/, such as style.md:

    Use named exports.

It is sent with every request. To send it only once a matching file is read or
changed, begin the file with:

    ---
    globs: src/**/*.ts
    ---

/add-rule and /rewrite-rules change OpenCode's own instruction file (AGENTS.md)
unless you name a rule file: /add-rule .opencode/rules/style.md use tabs`

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

const joined = (...words: Array<string | undefined>): string => words.filter(Boolean).join('; ')

const faults = ({ faults, failing }: SessionView): Array<Entry> => [
  ...faults.map(({ title, why, words, path }) => ({
    category: 'To fix',
    title,
    why,
    note: words,
    ...(path === undefined ? {} : { file: { path } }),
  })),
  ...failing.map(({ command, why }) => ({
    category: 'To fix',
    title: command,
    why,
    note: `This formatter ${why}: ${command}`,
    text: 'It is set in "formatter" of opencode.json, or in "format_on_save" of the options of SAT.',
  })),
]

const leftOut = ({ rules }: SessionView): Array<Entry> =>
  sorted(rules.leftOut, ({ path }) => path).map(({ line, reason, ...file }) => ({
    category: 'Left out',
    title: cutPath(line === undefined ? file.path : `${file.path}:${line}`, PATH_WIDTH),
    why: reason,
    note: `Left out: ${reason}`,
    file,
  }))

/** The rules in force. */
export const inForce = ({ rules, isSent }: SessionView): Array<Entry> =>
  sorted(rules.inForce, ({ name }) => name).map((rule) => ({
    category: isSent ? 'In force' : 'Sent with the first message',
    title: rule.name,
    why: cutPath(whyOf(rule), PATH_WIDTH),
    note: rule.why === 'file' ? `In force since ${whyOf(rule)}.` : 'Always in force.',
    cost: tokensOf(rule.bytes),
    file: rule,
  }))

const others = ({ rules }: SessionView): Array<Entry> => [
  ...sorted(rules.waiting, ({ name }) => name).map((rule) => ({
    category: 'Waiting for a file',
    title: rule.name,
    why: joined(rule.note, rule.globs.join(', '), rule.description),
    note: joined(`Joins when a file in the session matches ${rule.globs.join(', ')}`, rule.note),
    file: rule,
  })),
  ...sorted(rules.offered, ({ name }) => name).map((rule) => ({
    category: 'Offered to the model by its description',
    title: rule.name,
    why: rule.description,
    note: `The model reads it where this applies: ${rule.description}`,
    file: rule,
  })),
  ...sorted(rules.otherAgents, ({ name }) => name).map((rule) => ({
    category: 'For other agents',
    title: rule.name,
    why: joined(rule.agents.join(', '), rule.description),
    note: `Sent to: ${rule.agents.join(', ')}.`,
    file: rule,
  })),
]

const ofTheHost = ({ rules }: SessionView): Array<Entry> => [
  ...rules.instructions.map((file) => ({
    category: 'From OpenCode itself',
    title: cutPath(file.path, PATH_WIDTH),
    why: 'sent by OpenCode',
    note: 'An instruction file, which OpenCode sends itself.',
    file,
  })),
  ...rules.folders.map((path) => ({
    category: "Other tools' folders, not read",
    title: cutPath(path, PATH_WIDTH),
    why: 'name it in rules.directories to have it read',
    note: 'To have these rules read, name the folder in the option rules.directories.',
    text: path,
  })),
]

/** What the person should fix, which stands first. */
export const toFix = (view: SessionView): Array<Entry> => [...faults(view), ...leftOut(view)]

/** Makes the lines of /rules, in their order; where there is no rule, the first one says how to write one. */
export const entriesOf = (view: SessionView): Array<Entry> => {
  const rules = [...inForce(view), ...others(view)]
  return [
    ...toFix(view),
    ...(rules.length === 0 ? [view.isOff ? OFF : FIRST_RULE] : rules),
    ...ofTheHost(view),
  ]
}

/** Names a fault for the panel: `release.md:2 left out`. */
export const inShort = ({ category, title }: Entry): string =>
  category === 'Left out' ? `${basename(title)} left out` : title
