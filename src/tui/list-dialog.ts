/** Shows a searchable list of any length. */
import type { TuiDialogSelectOption, TuiPluginApi } from '@opencode-ai/plugin/tui'
import { createMemo, createSignal } from 'solid-js'
import { groupBy } from '../checks/violations.ts'
import { interceptKeys } from './intercept-keys.ts'

// The host's list draws all its lines at once (4,500 in 13 seconds), so it gets them page by page.
const PAGE = 100
const MAX_BEFORE_CURSOR = 300

type Line<Value> = TuiDialogSelectOption<Value>

const matches = ({ title, description, category }: Line<unknown>, lowerCaseWords: Array<string>): boolean => {
  const text = `${title} ${description} ${category}`.toLowerCase()
  return lowerCaseWords.every((word) => text.includes(word))
}

export const showList = <Value>(
  api: TuiPluginApi,
  { title, placeholder, lines, onSelect, keys = {}, current }: {
    title: string
    placeholder: string
    /** Each call must return the same `value` for the same line, because values are compared with `===`. */
    lines: () => Array<Line<Value>>
    onSelect: (value: Value) => void
    /** Maps a letter, pressed with Ctrl, to an action on the line at the cursor. */
    keys?: Record<string, (value: Value) => void>
    current?: Value | undefined
  },
): void => {
  const [query, setQuery] = createSignal('')
  const matching = createMemo(() => {
    const lowerCaseWords = query().toLowerCase().split(/\s+/)
    const found = lines().filter((line) => matches(line, lowerCaseWords))
    // The host draws lines of the same category together.
    return [...groupBy(found, ({ category = '' }) => category).values()].flat()
  })
  const indexOf = (value?: Value): number => matching().findIndex((line) => line.value === value)
  const currentIndex = indexOf(current)
  const startsAtCurrent = currentIndex >= 0 && currentIndex < MAX_BEFORE_CURSOR
  const [drawnCount, setDrawnCount] = createSignal(startsAtCurrent ? currentIndex + PAGE : PAGE)
  const drawn = createMemo(() => matching().slice(0, drawnCount()))
  // When the lines change, the host keeps the cursor's index, not its line.
  let cursor = 0
  const stopKeys = interceptKeys(api, ({ name, ctrl }) => {
    const action = ctrl ? keys[name] : undefined
    return action && (() => {
      const line = drawn()[cursor]
      if (line) action(line.value)
    })
  })
  // No JSX, because the host does not compile that of a built package, and `options` would be read only once.
  api.ui.dialog.replace(() =>
    api.ui.DialogSelect<Value>({
      title,
      placeholder,
      skipFilter: true,
      ...(startsAtCurrent && current !== undefined ? { current } : {}),
      get options() {
        return drawn()
      },
      onFilter: (text) => {
        setQuery(text)
        setDrawnCount(PAGE)
        // With a query, the host moves the cursor to the first line without calling `onMove`.
        if (text !== '') cursor = 0
      },
      onMove: ({ value }) => {
        cursor = indexOf(value)
        if (cursor === drawnCount() - 1) setDrawnCount(drawnCount() + PAGE)
      },
      onSelect: ({ value }) => onSelect(value),
    }), stopKeys)
  api.ui.dialog.setSize('large')
}
