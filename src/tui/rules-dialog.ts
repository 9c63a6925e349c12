/** Shows the list of a session's rules and faults, and the text of each entry. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import type { Checks } from '../checks/patterns.ts'
import { isLacking } from '../checks/violations.ts'
import { callHost } from '../host/client.ts'
import { hiddenTextPart } from '../host/message-parts.ts'
import { fileKey, type NamedFile, offMetadata, type PathOf } from '../host/panel-schema.ts'
import type { PluginEntry } from '../host/plugin-entries.ts'
import { cutPath } from './columns.ts'
import { showList } from './list-dialog.ts'
import { openEditor } from './open-editor.ts'
import { askToReadRules } from './read-other-rules.ts'
import { type Entry, joinTexts, listEntries } from './rules-lines.ts'
import type { SessionView, SwitchedOffPart } from './session-view.ts'
import { fileBlock, notify, showText } from './text-dialog.tsx'

export type RulesInput = {
  /** Shows a rule as off if its `fileKey` is in `off` (by default, the keys stored in the session). */
  view: (off?: ReadonlySet<string>) => SessionView
  pathOf: PathOf
  ruleNamed: (name: string) => { body: string; checks?: Checks | null | undefined } | undefined
  /** Undefined if no config file names SAT. */
  satEntry: PluginEntry | undefined
  /** Returns undefined if no rule can be switched yet. */
  switchedOffPart: () => SwitchedOffPart | undefined
  onAdded: (path: string) => void
}

const brokenPatterns = (violation: Entry['violation'], checks: Checks | null | undefined): Array<string> => {
  if (!violation || !checks) return []
  if (isLacking(violation)) return checks.require.map(({ source }) => `require: ${source}`)
  const { text, more } = violation
  // `more` counts unlisted lines, which may match any pattern.
  return checks.forbid.filter(({ isIn }) => more || isIn(text)).map(({ source }) => `forbid: ${source}`)
}

export const showEntry = async (
  api: TuiPluginApi,
  { title, note, remark, file, line, text = '', violation }: Entry,
  { pathOf, ruleNamed }: Pick<RulesInput, 'pathOf' | 'ruleNamed'>,
  onEsc?: () => void,
): Promise<void> => {
  const path = file && pathOf(file)
  const brokenRule = violation && ruleNamed(violation.rule)
  const patterns = brokenPatterns(violation, brokenRule?.checks)
  const paragraphs = [note, brokenRule?.body.trim(), ...patterns, remark, file?.path].filter(Boolean)
  const intro = paragraphs.map((paragraph) => `${paragraph}\n`).join('')
  showText(api, title, [
    ...(intro === '' ? [] : [{ text: intro, fg: api.theme.current.textMuted }]),
    path === undefined ? { text } : await fileBlock(api, path, line),
  ], { onEsc, onEdit: path === undefined ? undefined : () => void openEditor(api, path) })
}

// The host would cut off the end of a path, which is the file's name.
// An entry's title, description and footer share a line, so a path gets only 40 columns.
const fitted = (text: string): string => text.includes(' ') ? text : cutPath(text, 40)

// The host would cut a title after 61 characters, and so hide where the rule is broken, such as `src/a.ts:2`.
const fittedTitle = ({ title, violation }: Entry): string => violation ? cutPath(title, 60) : fitted(title)

const footerOf = ({ cost, isOn }: Entry, isSwitchable: boolean): string =>
  [
    cost !== undefined && `~${cost} tokens`,
    isOn !== undefined && isSwitchable && `ctrl+o ${isOn ? 'off' : 'on'}`,
  ].filter(Boolean).join(' · ')

const switchRule = async (
  api: TuiPluginApi,
  { sessionID, messageID, id, off }: SwitchedOffPart,
  file: NamedFile,
): Promise<void> => {
  const otherOff = off.filter((other) => fileKey(other) !== fileKey(file))
  const isOff = otherOff.length < off.length
  const data = hiddenTextPart('', offMetadata(isOff ? otherOff : [...off, file]))
  const part = { id, sessionID, messageID, ...data }
  const { error } = await callHost(() => api.client.part.update({ sessionID, messageID, partID: id, part }))
  if (error !== null) notify(api, 'error', `The rule was not switched: ${error}`)
}

const markIfSwitched = (entry: Entry, offNow: ReadonlySet<string>): Entry => {
  if (entry.isOn === undefined || !entry.file) return entry
  const isOn = !offNow.has(fileKey(entry.file))
  return isOn === entry.isOn ? entry : { ...entry, isOn, why: `switched ${isOn ? 'on' : 'off'}` }
}

const keyOf = ({ title, file }: Entry): string => JSON.stringify([title, file && fileKey(file)])

export const showRules = (api: TuiPluginApi, input: RulesInput, currentKey?: string): void => {
  const { view, pathOf, satEntry, switchedOffPart, onAdded } = input
  const offNow = (): ReadonlySet<string> => new Set(switchedOffPart()?.off.map(fileKey))
  // A switched rule keeps its category, so that its line does not move.
  const offWhenOpened = offNow()
  const entries = (): Array<Entry> => {
    const off = offNow()
    return listEntries(view(offWhenOpened)).map((entry) => markIfSwitched(entry, off))
  }
  const onEntry = (action: (entry: Entry) => void) => (key: string): void => {
    const entry = entries().find((candidate) => keyOf(candidate) === key)
    if (entry) action(entry)
  }
  showList(api, {
    title: 'Rules of this session',
    placeholder: 'Search rules (enter show, ctrl+e edit)',
    current: currentKey,
    lines: () =>
      entries().map((entry) => ({
        title: fittedTitle(entry),
        description: fitted(joinTexts(entry.remark, entry.why)),
        category: entry.category,
        value: keyOf(entry),
        footer: footerOf(entry, switchedOffPart() !== undefined),
      })),
    onSelect: onEntry((entry) => {
      const goBack = () => showRules(api, input, keyOf(entry))
      const { unreadPath: path } = entry
      void (path === undefined
        ? showEntry(api, entry, input, goBack)
        : askToReadRules(api, path, satEntry, { onEsc: goBack, onWritten: () => onAdded(path) }))
    }),
    keys: {
      o: onEntry(({ file, isOn }) => {
        const part = switchedOffPart()
        if (part && file && isOn !== undefined) void switchRule(api, part, file)
      }),
      e: onEntry(({ file }) => {
        const path = file && pathOf(file)
        if (path !== undefined) void openEditor(api, path)
      }),
    },
  })
}
