import type { TuiDialogSelectOption, TuiPluginApi } from '@opencode-ai/plugin/tui'
import { createMemo, createSignal } from 'solid-js'

// The host's list draws every line at once: 4,500 take it 13 seconds.
const PAGE = 100
// One begins with so many lines at most to show the cursor.
const MAX_BEFORE_CURSOR = 300

type Option<Value> = TuiDialogSelectOption<Value>

/** A key as the host hands it to an interceptor. */
export type KeyPress = { event: { name: string; ctrl?: boolean }; consume: () => void }

const matches = ({ title, description, category }: Option<unknown>, words: Array<string>): boolean => {
  const text = `${title} ${description} ${category}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** Puts the lines of a category together, as the host draws them. */
const grouped = <Value>(options: Array<Option<Value>>): Array<Option<Value>> => {
  const categories = [...new Set(options.map(({ category }) => category))]
  return categories.flatMap((category) => options.filter((option) => option.category === category))
}

/** Has keys with Ctrl do something with a line; gives the function that ends that. */
const interceptKeys = <Value>(
  { keymap }: TuiPluginApi,
  keys: Record<string, (value: Value) => void>,
  lineAtCursor: () => Option<Value> | undefined,
): () => void =>
  keymap.intercept('key', ({ event, consume }: KeyPress) => {
    const act = event.ctrl ? keys[event.name] : undefined
    if (!act) return
    consume()
    const line = lineAtCursor()
    if (line) act(line.value)
  }, { priority: 1 })

/**
 * Shows a searchable list, page by page: the next one is drawn when the last line is reached.
 *
 * @param options reactive; a value is the same as long as its line is
 * @param keys what a letter with Ctrl does with the line where the cursor is: letters alone search the list
 * @param current the value of the line where the cursor begins
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
  // Of the cursor the host keeps the number of its row: what stands there may change.
  let cursor = 0
  const leave = interceptKeys(api, keys, () => page()[cursor])
  // Called, not written as JSX: so `options` stays a getter in the built package, too, where nothing compiles JSX.
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
    }), leave)
  api.ui.dialog.setSize('large')
}
