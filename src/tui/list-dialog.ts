import type { TuiDialogSelectOption, TuiPluginApi } from '@opencode-ai/plugin/tui'
import { createMemo, createSignal } from 'solid-js'

// The host's list draws every line at once: 4,500 take it 13 seconds.
const PAGE = 100

type Option<Value> = TuiDialogSelectOption<Value>

/** A key as the host hands it to an interceptor. */
export type KeyPress = { event: { name: string; ctrl?: boolean }; consume: () => void }

const matches = ({ title, description, category }: Option<unknown>, words: Array<string>): boolean => {
  const text = `${title} ${description} ${category}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** The key that does something with the line where the cursor is: letters search the list. */
const KEY = 'o'

/**
 * Shows a searchable list, page by page: the next one is drawn when the last line is reached.
 *
 * @param options reactive
 * @param onKey what Ctrl-O does with a line
 */
export const showList = <Value>(
  api: TuiPluginApi,
  { title, placeholder, options, onSelect, onKey }: {
    title: string
    placeholder: string
    options: () => Array<Option<Value>>
    onSelect: (value: Value) => void
    onKey?: (value: Value) => void
  },
): void => {
  const [query, setQuery] = createSignal('')
  const [limit, setLimit] = createSignal(PAGE)
  let at: Option<Value> | undefined
  const found = createMemo(() => {
    const words = query().toLowerCase().split(/\s+/)
    return options().filter((option) => matches(option, words))
  })
  const page = createMemo(() => found().slice(0, limit()))
  const leave = api.keymap.intercept('key', ({ event, consume }: KeyPress) => {
    if (!event.ctrl || event.name !== KEY) return
    consume()
    const line = at ?? page()[0]
    if (line) onKey?.(line.value)
  }, { priority: 1 })
  // Called, not written as JSX: so `options` stays a getter in the built package, too, where nothing compiles JSX.
  api.ui.dialog.replace(() =>
    api.ui.DialogSelect<Value>({
      title,
      placeholder,
      skipFilter: true,
      get options() {
        return page()
      },
      onFilter: (text) => {
        setQuery(text)
        setLimit(PAGE)
        at = undefined
      },
      onMove: (option) => {
        at = option
        if (option === page().at(-1) && found().length > limit()) setLimit(limit() + PAGE)
      },
      onSelect: ({ value }) => onSelect(value),
    }), leave)
  api.ui.dialog.setSize('large')
}
