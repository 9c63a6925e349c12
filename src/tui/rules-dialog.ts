import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import type { PathOf } from '../host/panel-schema.ts'
import type { Entry as PluginEntry } from '../host/plugin-entries.ts'
import { cutPath } from './columns.ts'
import { showList } from './list-dialog.ts'
import { askToRead } from './read-other-rules.ts'
import { entriesOf, type Entry, joined } from './rules-lines.ts'
import type { SessionView, Switch } from './session-view.ts'
import { switchRule } from './switch-rule.ts'
import { fileBlock, showText } from './text-dialog.tsx'

/** Shows the text of an entry; Esc goes back to where it was opened. */
export const showEntry = async (
  api: TuiPluginApi,
  { title, note, remark, file, line, text = '' }: Entry,
  pathOf: PathOf,
  onEsc?: () => void,
): Promise<void> => {
  const path = file && pathOf(file)
  const head = [note, remark, file?.path].filter(Boolean).map((line) => `${line}\n`).join('')
  showText(api, title, [
    ...(head === '' ? [] : [{ text: head, fg: api.theme.current.textMuted }]),
    path === undefined ? { text } : await fileBlock(api, path, line),
  ], { onEsc })
}

// The host cuts a line at its end, where the name of a file is.
const fit = (text: string): string => text.includes(' ') ? text : cutPath(text, 40)

const footerOf = ({ cost, on }: Entry, isSwitchable: boolean): string =>
  [
    ...(cost === undefined ? [] : [`~${cost} tokens`]),
    ...(on === undefined || !isSwitchable ? [] : [`ctrl+o ${on ? 'off' : 'on'}`]),
  ].join(' · ')

/** What the list of rules is shown with: the session, what an entry's file is, SAT's own entry in a config. */
export type RulesInput = {
  view: () => SessionView
  pathOf: PathOf
  acting: PluginEntry | undefined
  /** Where the session in sight keeps what is switched off; undefined without a session. */
  switches: () => Switch | undefined
  /** Is told of what will be read from the next start on. */
  brought: (offer: string) => void
}

/** Opens the list of the rules: Enter shows the text of one, Ctrl-O switches it off or on for the session. */
export const showRules = (api: TuiPluginApi, input: RulesInput): void => {
  const { view, pathOf, acting, switches, brought } = input
  const again = () => showRules(api, input)
  showList(api, {
    title: 'Rules of this session',
    placeholder: 'Search rules',
    options: () =>
      entriesOf(view()).map((entry) => ({
        title: fit(entry.title),
        description: fit(joined(entry.remark, entry.why)),
        category: entry.category,
        value: entry,
        footer: footerOf(entry, switches() !== undefined),
      })),
    onSelect: (entry) =>
      void (entry.offer === undefined
        ? showEntry(api, entry, pathOf, again)
        : askToRead(api, entry.offer, acting, again, () => brought(entry.offer!))),
    onKey: ({ file, on }) => {
      const where = switches()
      if (where && file && on !== undefined) void switchRule(api, where, file, !on)
    },
  })
}
