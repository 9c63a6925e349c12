/** Creates the entries of the panel, and of the list that `/rules` opens. */
import { countUnchecked } from '../checks/format-violations.ts'
import { countViolations, type Violation } from '../checks/violations.ts'
import { type NamedFile, RULE_STATES, type RuleState, type SessionRule } from '../host/panel-schema.ts'
import { EXAMPLE_RULE } from '../host/slash-commands.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { type SessionView, tokensOf } from './session-view.ts'

// The bundle does not contain package.json, so this repeats its version. A test checks that both are equal.
const VERSION = '0.3.0'

/** In the list, Enter shows `note`, `remark` and the text of `file`. Without a `file`, it shows `text` instead. */
export type Entry = {
  category: string
  title: string
  /** A few words for the list, such as `always`. */
  why: string
  /** `why` as a sentence, such as `Always in force.`, or empty. */
  note: string
  /** Something in the rule that the person may want to fix. */
  remark?: string | undefined
  /** How many tokens the rule adds to a request. */
  cost?: number
  file?: NamedFile | undefined
  line?: number | undefined
  text?: string
  violation?: Omit<Violation, 'path'>
  /** Undefined if the rule cannot be switched on or off. */
  isOn?: boolean
  /** A folder or file with rules of another tool. */
  unreadPath?: string
}

const HOW_TO = `A rule is a Markdown file in .opencode/rules/, such as style.md:

    Use named exports.

It is sent with every request. To send it only after a matching file is read or
changed, begin the file with:

    ---
    globs: src/**/*.ts
    ---

To check each line that the agent adds, forbid a pattern, and test the pattern
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

const FIRST_HELP: Entry = { ...HELP, category: `No rules yet (SAT ${VERSION})` }

const RULES_OFF: Entry = {
  category: 'No rules',
  title: 'Rules are off',
  why: 'the option rules is false',
  note: 'The option rules of SAT is false: no rule file is sent.',
}

export const joinTexts = (...texts: Array<string | undefined>): string => texts.filter(Boolean).join('; ')

const joinNames = (names: Array<string> = []): string => names.join(', ')

/** Returns a text such as `2 edits corrected, 3 files formatted`, empty if SAT did nothing. */
export const describeActivity = ({ corrected, formatted, shownBeforeWrite, unchecked }: SessionView) =>
  [
    corrected > 0 && `${pluralize(corrected, 'edit')} corrected`,
    formatted > 0 && `${pluralize(formatted, 'file')} formatted`,
    shownBeforeWrite > 0 && `${pluralize(shownBeforeWrite, 'rule')} shown before a write`,
    unchecked.lines + unchecked.rules > 0 && `no time to check ${countUnchecked(unchecked)}`,
  ].filter(Boolean).join(', ')

const locationOf = ({ path, line }: { path: string; line?: number | undefined }): string =>
  markName(line === undefined ? path : `${path}:${line}`)

const { compare } = new Intl.Collator('en', { numeric: true })

export const TO_FIX = 'To fix'

export const faultEntries = ({ faults, failing, rules }: SessionView): Array<Entry> => [
  ...faults.map((fault) => ({ category: TO_FIX, ...fault })),
  ...failing.map(({ command, why }) => ({
    category: TO_FIX,
    title: command,
    why,
    note: `This formatter ${why}: ${command}`,
    text: 'It is set in "formatter" of opencode.json, or in "format_on_save" of the options of SAT.',
  })),
  ...rules.faults.map(({ feature, reason }) => ({
    category: TO_FIX,
    title: feature,
    why: reason,
    note: `The ${feature}: ${reason}`,
    text: "The rules are still sent. OpenCode's log has details.",
  })),
  ...rules.broken.map(({ path, ...violation }) => {
    const { line } = violation
    const rule = markName(violation.rule)
    const why = markName(violation.text)
    const title = `${rule} ${locationOf({ path, line })}`
    const note = `It breaks ${rule}: ${why}`
    return { category: 'Breaks a rule', title, why, note, file: { path }, line, violation }
  }),
  ...rules.leftOut.toSorted((a, b) => compare(a.path, b.path)).map((file) => {
    const category = file.isSent ? 'Not checked' : file.isOffered ? 'Only offered' : 'Left out'
    const state = file.isSent ? 'It is sent, but not checked' : category
    return { category, title: locationOf(file), why: file.reason, note: `${state}: ${file.reason}`, file }
  }),
]

/** Counts an entry such as `and 11 more lines` as 11. */
export const countFaults = (faults: Array<Entry>): number =>
  countViolations(faults.map(({ violation = {} }) => violation))

type RuleFields = Pick<Entry, 'category' | 'why' | 'note' | 'cost' | 'isOn'>

const FIELDS_BY_STATE: Record<RuleState, (rule: SessionRule) => RuleFields> = {
  inForce: (rule) => ({
    category: 'In force',
    why: joinTexts(rule.kind === 'file' ? rule.file : 'always', ...rule.met ?? []),
    note: rule.kind === 'file' ? `In force since ${rule.file}.` : 'Always in force.',
    cost: tokensOf(rule),
    isOn: true,
  }),
  joining: (rule) => ({
    category: 'Sent with your next message',
    why: 'with your next message',
    note: 'Saved after the last message; in force with your next one.',
    cost: tokensOf(rule),
  }),
  off: () => ({
    category: 'Off in this session',
    why: 'switched off',
    note: 'Switched off in this session only; the file stays as it is.',
    isOn: false,
  }),
  waiting: ({ globs, keywords, description }) => ({
    category: 'Waiting for a file or keyword',
    why: joinTexts(joinNames(globs), joinNames(keywords), description),
    note: joinTexts(
      globs && `Joins when a file in the session matches ${joinNames(globs)}`,
      keywords && `Joins when one of your messages contains ${joinNames(keywords)}`,
    ),
    isOn: true,
  }),
  offered: (rule) => ({
    category: 'Offered to the model by its description',
    why: rule.description ?? '',
    note: `The model reads it when this applies: ${rule.description ?? 'its description'}`,
    cost: tokensOf(rule),
    isOn: true,
  }),
  manual: () => ({
    category: 'Not sent',
    why: 'no globs, no description',
    note: 'Not sent: its header has neither globs nor a description, and it does not always apply.',
  }),
  unmet: ({ unmet = [], description }) => ({
    category: 'Conditions that do not hold',
    why: joinTexts(...unmet, description),
    // A session stores an empty `unmet` for the person's own rules.
    note: `Sent only with ${joinTexts(...unmet) || 'its conditions'}.`,
  }),
}

export const ruleEntries = ({ rules, areRulesSent }: SessionView, state: RuleState): Array<Entry> =>
  rules[state].toSorted((a, b) => compare(a.name, b.name)).map((rule) => ({
    title: rule.name,
    remark: rule.note,
    ...FIELDS_BY_STATE[state](rule),
    ...(state === 'inForce' && !areRulesSent && { category: 'Sent with the first message' }),
    file: rule,
  }))

export const listEntries = (view: SessionView): Array<Entry> => {
  if (view.isUnloaded) return faultEntries(view)
  const rules = RULE_STATES.flatMap((state) => ruleEntries(view, state))
  const activity = describeActivity(view)
  const doneEntry = { category: 'Done in this session', title: activity, why: '', note: '', text: activity }
  return [
    ...faultEntries(view),
    ...(rules.length > 0 ? rules : [view.isOff ? RULES_OFF : FIRST_HELP]),
    ...view.rules.instructions.map((file) => ({
      category: 'From OpenCode itself',
      title: markName(file.path),
      why: 'sent by OpenCode',
      note: 'An instruction file, which OpenCode itself sends.',
      file,
    })),
    ...view.rules.folders.map((path) => ({
      category: 'Rules of other tools, not read',
      title: markName(path),
      why: 'Enter: add them to the config',
      note: '',
      unreadPath: path,
    })),
    ...(activity === '' ? [] : [doneEntry]),
    ...(rules.length > 0 || view.isOff ? [HELP] : []),
  ]
}
