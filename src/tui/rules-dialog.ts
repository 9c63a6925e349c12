/** The list of the rules of a session, and the text of each. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import type { Checks } from '../checks/patterns.ts'
import { callHost } from '../host/client.ts'
import { unseenText } from '../host/message-parts.ts'
import { fileKey, type NamedFile, offMetadata, type PathOf } from '../host/panel-schema.ts'
import type { PluginEntry } from '../host/plugin-entries.ts'
import { cutPath } from './columns.ts'
import { showList } from './list-dialog.ts'
import { openEditor } from './open-editor.ts'
import { askToRead } from './read-other-rules.ts'
import { entriesOf, type Entry, joinTexts } from './rules-lines.ts'
import type { SessionView, Switch } from './session-view.ts'
import { fileBlock, notify, showText } from './text-dialog.tsx'

/** The text of a rule on the disk, and its patterns. */
type Rule = { body: string; checks?: Checks | null | undefined }

/** Lists the text of a rule and those of its patterns that a line, or a whole file, breaks. */
const rulesBroken = ({ body, checks }: Rule, text: string, isLine: boolean): Array<string> => {
  const patterns = isLine
    ? checks?.forbid.filter(({ isIn }) => isIn(text)).map(({ source }) => `forbid: ${source}`)
    : checks?.require.map(({ source }) => `require: ${source}`)
  return [body.trim(), ...patterns ?? []]
}

/** How the file of an entry and the rule that it breaks are found. */
export type EntryInput = { pathOf: PathOf; ruleNamed: (name: string) => Rule | undefined }

/** Shows the text of an entry. Esc calls `onEsc`; Ctrl-E opens the entry's file in the person's editor. */
export const showEntry = async (
  api: TuiPluginApi,
  { title, note, remark, file, line, text = '', broken }: Entry,
  { pathOf, ruleNamed }: EntryInput,
  onEsc?: () => void,
): Promise<void> => {
  const path = file && pathOf(file)
  const rule = broken && ruleNamed(broken.rule)
  const reasons = rule ? rulesBroken(rule, broken.text, line !== undefined) : []
  const head = [note, ...reasons, remark, file?.path].filter(Boolean).map((paragraph) => `${paragraph}\n`)
    .join('')
  showText(api, title, [
    ...(head === '' ? [] : [{ text: head, fg: api.theme.current.textMuted }]),
    path === undefined ? { text } : await fileBlock(api, path, line),
  ], { onEsc, onEdit: path === undefined ? undefined : () => void openEditor(api, path) })
}

// The host cuts a line at its end, where a path has the file's name.
const fit = (text: string): string => text.includes(' ') ? text : cutPath(text, 40)

const footerOf = ({ cost, on }: Entry, isSwitchable: boolean): string =>
  [
    ...(cost === undefined ? [] : [`~${cost} tokens`]),
    ...(on === undefined || !isSwitchable ? [] : [`ctrl+o ${on ? 'off' : 'on'}`]),
  ].join(' · ')

/** The input of the list of rules. */
export type RulesInput = EntryInput & {
  /** Returns the view of the session as if the rules with these keys were switched off. */
  view: (off?: ReadonlySet<string>) => SessionView
  /** SAT's entry that takes effect. */
  active: PluginEntry | undefined
  /** Returns the stored list of switched-off rules; undefined without a session. */
  switches: () => Switch | undefined
  /** Called with a folder or file that was added to the config. */
  onAdded: (offer: string) => void
}

/** Switches a rule on or off for one session. Only the metadata of its hidden message changes, nothing on the disk. */
const switchRule = async (
  api: TuiPluginApi,
  { sessionID, messageID, id, off }: Switch,
  file: NamedFile,
  isOn: boolean,
): Promise<void> => {
  const others = off.filter((other) => fileKey(other) !== fileKey(file))
  const data = unseenText('', offMetadata(isOn ? others : [...others, file]))
  const part = { id, sessionID, messageID, ...data }
  const { error } = await callHost(() => api.client.part.update({ sessionID, messageID, partID: id, part }))
  if (error !== null) notify(api, 'error', `The rule was not switched: ${error}`)
}

const keysOf = (files: Array<NamedFile> = []): ReadonlySet<string> => new Set(files.map(fileKey))

/** Returns an entry as it is after its rule was switched on or off. */
const withSwitch = (entry: Entry, off: ReadonlySet<string>): Entry => {
  if (entry.on === undefined || !entry.file) return entry
  const on = !off.has(fileKey(entry.file))
  return on === entry.on ? entry : { ...entry, on, why: `switched ${on ? 'on' : 'off'}` }
}

/** Identifies an entry, even if its text changes. */
const keyOf = ({ title, file }: Entry): string => JSON.stringify([title, file && fileKey(file)])

/**
 * Opens the list of rules. Enter shows the text of a rule, Ctrl-O switches it off or on for the session, and Ctrl-E opens
 * its file in the person's editor. A switched line keeps its position until the list is opened again.
 *
 * @param current the key of the entry at which the cursor starts
 */
export const showRules = (api: TuiPluginApi, input: RulesInput, current?: string): void => {
  const { view, pathOf, active, switches, onAdded } = input
  const offAtFirst = keysOf(switches()?.off)
  const entries = (): Array<Entry> => {
    const off = keysOf(switches()?.off)
    return entriesOf(view(offAtFirst)).map((entry) => withSwitch(entry, off))
  }
  const onLine = (act: (entry: Entry) => void) => (key: string): void => {
    const entry = entries().find((candidate) => keyOf(candidate) === key)
    if (entry) act(entry)
  }
  showList(api, {
    title: 'Rules of this session',
    placeholder: 'Search rules (enter show, ctrl+e edit)',
    current,
    options: () =>
      entries().map((entry) => ({
        title: fit(entry.title),
        description: fit(joinTexts(entry.remark, entry.why)),
        category: entry.category,
        value: keyOf(entry),
        footer: footerOf(entry, switches() !== undefined),
      })),
    onSelect: onLine((entry) => {
      const goBack = () => showRules(api, input, keyOf(entry))
      const { offer } = entry
      void (offer === undefined
        ? showEntry(api, entry, input, goBack)
        : askToRead(api, offer, active, goBack, () => onAdded(offer)))
    }),
    keys: {
      o: onLine(({ file, on }) => {
        const stored = switches()
        if (stored && file && on !== undefined) void switchRule(api, stored, file, !on)
      }),
      e: onLine(({ file }) => {
        const path = file && pathOf(file)
        if (path !== undefined) void openEditor(api, path)
      }),
    },
  })
}
