import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { entriesOf, type Entry, type NamedFile } from './entries.ts'
import { showList } from './list-dialog.ts'
import type { SessionView } from './session-view.ts'
import { linesOfFile, showText } from './text-dialog.tsx'

/** Gives the absolute path of a file that the metadata names; undefined where it is not known. */
export type PathOf = (file: NamedFile) => string | undefined

/** Shows the text of an entry; Esc goes back to where it was opened. */
export const showEntry = async (
  api: TuiPluginApi,
  { title, note, file, text = '' }: Entry,
  pathOf: PathOf,
  onEsc?: () => void,
): Promise<void> => {
  const { textMuted } = api.theme.current
  const path = file && pathOf(file)
  const head = [note, file?.path ?? ''].filter((line) => line !== '')
  showText(api, title, [
    ...head.map((line) => ({ text: line, fg: textMuted })),
    ...(head.length > 0 ? [{ text: '' }] : []),
    ...(path === undefined ? text.split('\n').map((line) => ({ text: line })) : await linesOfFile(api, path)),
  ], onEsc ? { onEsc } : {})
}

/** Opens the list of the rules; Enter shows the text of one. */
export const showRules = (api: TuiPluginApi, view: SessionView, pathOf: PathOf): void => {
  const options = entriesOf(view).map((entry) => ({
    title: entry.title,
    description: entry.why,
    category: entry.category,
    value: entry,
    ...(entry.cost ? { footer: `${entry.cost} tokens` } : {}),
  }))
  showList(api, {
    title: 'Rules of this session',
    placeholder: 'Search rules',
    options,
    onSelect: (entry) => void showEntry(api, entry, pathOf, () => showRules(api, view, pathOf)),
  })
}
