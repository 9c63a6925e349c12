import type { TuiDialogSelectOption, TuiPluginApi } from '@opencode-ai/plugin/tui'
import { createMemo, createSignal } from 'solid-js'
import { interceptKeys } from './intercept-keys.ts'

// The host's list draws all its lines at once: for 4,500 lines, it takes 13 seconds.
const PAGE = 100
// The most lines above the cursor that are drawn at once when a list opens.
const MAX_BEFORE_CURSOR = 300

type Option<Value> = TuiDialogSelectOption<Value>

/** Whether a line contains all the words. */
const matches = ({ title, description, category }: Option<unknown>, words: Array<string>): boolean => {
  const text = `${title} ${description} ${category}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Sorts lines by category, as the host draws them. */
const grouped = <Value>(options: Array<Option<Value>>): Array<Option<Value>> => {
  const categories = [...new Set(options.map(({ category }) => category))]
  return categories.flatMap((category) => options.filter((option) => option.category === category))
}

/**
 * Shows a searchable list in pages: when the cursor reaches the last line, the next page is drawn.
 *
 * @param options reactive; a line keeps its value as long as it exists
 * @param keys what a letter with Ctrl does with the line at the cursor; letters alone search the list
 * @param current the value of the line at which the cursor starts
 */
export const showList = <Value>(
  api: TuiPluginApi,
  { title, placeholder, options, onSelect, keys = {}, current }: {
    title: string
    placeholder: string
    options: () => Array<Option<Value>>
    onSelect: (value: Value) => void
    keys?: Record<string, (value: Value) => void>
    current?: Value | undefined
  },
): void => {
  const [query, setQuery] = createSignal('')
  const found = createMemo(() => {
    const words = query().toLowerCase().split(/\s+/)
    return grouped(options().filter((option) => matches(option, words)))
  })
  const indexOf = (value: Value | undefined): number => found().findIndex((option) => option.value === value)
  const start = indexOf(current)
  const isReached = start >= 0 && start < MAX_BEFORE_CURSOR
  const [limit, setLimit] = createSignal(isReached ? start + PAGE : PAGE)
  const page = createMemo(() => found().slice(0, limit()))
  // The host keeps the row of the cursor, not its line: another line may move there.
  let cursor = 0
  const stopKeys = interceptKeys(api, ({ name, ctrl }) => {
    const act = ctrl ? keys[name] : undefined
    return act && (() => {
      const line = page()[cursor]
      if (line) act(line.value)
    })
  })
  // Called instead of written as JSX, so that `options` stays a getter in the built package, where JSX is not compiled.
  api.ui.dialog.replace(() =>
    api.ui.DialogSelect<Value>({
      title,
      placeholder,
      skipFilter: true,
      ...(isReached && current !== undefined ? { current } : {}),
      get options() {
        return page()
      },
      onFilter: (text) => {
        setQuery(text)
        setLimit(PAGE)
        if (text !== '') cursor = 0
      },
      onMove: ({ value }) => {
        cursor = indexOf(value)
        if (cursor === limit() - 1) setLimit(limit() + PAGE)
      },
      onSelect: ({ value }) => onSelect(value),
    }), stopKeys)
  api.ui.dialog.setSize('large')
}
