import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import type { Checks } from '../checks/patterns.ts'
import { fileKey, type NamedFile, type PathOf } from '../host/panel-schema.ts'
import type { PluginEntry } from '../host/plugin-entries.ts'
import { cutPath } from './columns.ts'
import { showList } from './list-dialog.ts'
import { openEditor } from './open-editor.ts'
import { askToRead } from './read-other-rules.ts'
import { entriesOf, type Entry, joined } from './rules-lines.ts'
import type { SessionView, Switch } from './session-view.ts'
import { switchRule } from './switch-rule.ts'
import { fileBlock, showText } from './text-dialog.tsx'

/** The words of a rule on the disk, and what it checks. */
type Rule = { body: string; checks?: Checks | null | undefined }

/** Finds a rule on the disk by its name. */
type RuleNamed = (name: string) => Rule | undefined

/** Says what a line breaks: the words of its rule, and those of its patterns that tell it. */
const whatItBreaks = ({ body, checks }: Rule, text: string, isLine: boolean): Array<string> => {
  const patterns = isLine
    ? checks?.forbid.filter(({ isIn }) => isIn(text)).map(({ source }) => `forbid: ${source}`)
    : checks?.require.map(({ source }) => `require: ${source}`)
  return [body.trim(), ...patterns ?? []]
}

/** What an entry is shown with. */
export type EntryInput = { pathOf: PathOf; ruleNamed: RuleNamed }

/** Shows the text of an entry; Esc goes back to where it was opened, Ctrl-E opens its file in the person's editor. */
export const showEntry = async (
  api: TuiPluginApi,
  { title, note, remark, file, line, text = '', broken }: Entry,
  { pathOf, ruleNamed }: EntryInput,
  onEsc?: () => void,
): Promise<void> => {
  const path = file && pathOf(file)
  const rule = broken && ruleNamed(broken.rule)
  const why = rule ? whatItBreaks(rule, broken.text, line !== undefined) : []
  const head = [note, ...why, remark, file?.path].filter(Boolean).map((words) => `${words}\n`).join('')
  showText(api, title, [
    ...(head === '' ? [] : [{ text: head, fg: api.theme.current.textMuted }]),
    path === undefined ? { text } : await fileBlock(api, path, line),
  ], { onEsc, onEdit: path === undefined ? undefined : () => void openEditor(api, path) })
}

// The host cuts a line at its end, where the name of a file is.
const fit = (text: string): string => text.includes(' ') ? text : cutPath(text, 40)

const footerOf = ({ cost, on }: Entry, isSwitchable: boolean): string =>
  [
    ...(cost === undefined ? [] : [`~${cost} tokens`]),
    ...(on === undefined || !isSwitchable ? [] : [`ctrl+o ${on ? 'off' : 'on'}`]),
  ].join(' · ')

/** What the list of rules is shown with: the session, what an entry's file is, SAT's own entry in a config. */
export type RulesInput = EntryInput & {
  /** Gives what is shown, as if the rules of these keys were switched off. */
  view: (off?: ReadonlySet<string>) => SessionView
  acting: PluginEntry | undefined
  /** Where the session in sight keeps what is switched off; undefined without a session. */
  switches: () => Switch | undefined
  /** Is told of what will be read from the next start on. */
  brought: (offer: string) => void
}

const keysOf = (files: Array<NamedFile> = []): ReadonlySet<string> => new Set(files.map(fileKey))

/** Shows an entry as it is after a switch. */
const withSwitch = (entry: Entry, off: ReadonlySet<string>): Entry => {
  if (entry.on === undefined || !entry.file) return entry
  const on = !off.has(fileKey(entry.file))
  return on === entry.on ? entry : { ...entry, on, why: `switched ${on ? 'on' : 'off'}` }
}

/** Names the line of an entry, whatever it says. */
const lineKey = ({ title, file }: Entry): string => JSON.stringify([title, file && fileKey(file)])

/**
 * Opens the list of the rules: Enter shows the text of one, Ctrl-O switches it off or on for the session, Ctrl-E opens its
 * file in the person's editor. A line that is switched keeps its place until the list is opened again.
 *
 * @param current where the cursor begins
 */
export const showRules = (api: TuiPluginApi, input: RulesInput, current?: string): void => {
  const { view, pathOf, acting, switches, brought } = input
  const offAtFirst = keysOf(switches()?.off)
  const entries = (): Array<Entry> => {
    const off = keysOf(switches()?.off)
    return entriesOf(view(offAtFirst)).map((entry) => withSwitch(entry, off))
  }
  const onLine = (act: (entry: Entry) => void) => (key: string): void => {
    const entry = entries().find((one) => lineKey(one) === key)
    if (entry) act(entry)
  }
  showList(api, {
    title: 'Rules of this session',
    placeholder: 'Search rules (enter show, ctrl+e edit)',
    current,
    options: () =>
      entries().map((entry) => ({
        title: fit(entry.title),
        description: fit(joined(entry.remark, entry.why)),
        category: entry.category,
        value: lineKey(entry),
        footer: footerOf(entry, switches() !== undefined),
      })),
    onSelect: onLine((entry) => {
      const again = () => showRules(api, input, lineKey(entry))
      const { offer } = entry
      void (offer === undefined
        ? showEntry(api, entry, input, again)
        : askToRead(api, offer, acting, again, () => brought(offer)))
    }),
    keys: {
      o: onLine(({ file, on }) => {
        const where = switches()
        if (where && file && on !== undefined) void switchRule(api, where, file, !on)
      }),
      e: onLine(({ file }) => {
        const path = file && pathOf(file)
        if (path !== undefined) void openEditor(api, path)
      }),
    },
  })
}
