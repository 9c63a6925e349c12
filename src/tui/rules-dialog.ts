import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import type { PathOf } from '../host/panel-schema.ts'
import { cutPath } from './columns.ts'
import { showList } from './list-dialog.ts'
import { entriesOf, type Entry, joined } from './rules-lines.ts'
import type { SessionView } from './session-view.ts'
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

/** Opens the list of the rules; Enter shows the text of one. */
export const showRules = (api: TuiPluginApi, view: SessionView, pathOf: PathOf): void =>
  showList(api, {
    title: 'Rules of this session',
    placeholder: 'Search rules',
    options: entriesOf(view).map((entry) => ({
      title: fit(entry.title),
      description: fit(joined(entry.remark, entry.why)),
      category: entry.category,
      value: entry,
      ...(entry.cost ? { footer: `${entry.cost} tokens` } : {}),
    })),
    onSelect: (entry) => void showEntry(api, entry, pathOf, () => showRules(api, view, pathOf)),
  })
