/** @jsxImportSource @opentui/solid */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import type { JSX } from '@opentui/solid'
import { markHidden } from '../text/hidden-characters.ts'
import { readText } from '../text/read.ts'

type Theme = TuiPluginApi['theme']['current']

/** One line of a text, and its colour where it is not that of plain text. */
export type TextLine = { text: string; fg?: Theme['text'] }

// A longer text blocks the screen.
const MAX_LINES = 2_000
const MAX_COLUMNS = 1_000
const MAX_BYTES = 4_000_000

// Narrower than a large dialog, since lines break between words: a row too many is better than one too few.
const WIDTH = 60

const clip = (text: string): string => text.length > MAX_COLUMNS ? `${text.slice(0, MAX_COLUMNS)}…` : text

const clipped = (lines: Array<TextLine>): Array<TextLine> => [
  ...lines.slice(0, MAX_LINES).map((line) => ({ ...line, text: markHidden(clip(line.text)) })),
  ...(lines.length > MAX_LINES ? [{ text: `… ${lines.length - MAX_LINES} more lines` }] : []),
]

/** Counts the rows of a text, its long lines wrapped. */
const rowsOf = (lines: Array<TextLine>): number =>
  lines.reduce((sum, { text }) => sum + Math.max(1, Math.ceil(text.length / WIDTH)), 0)

/** Joins neighbouring lines of one colour into one element: thousands of elements are slow. */
const inRuns = (lines: Array<TextLine>): Array<TextLine> => {
  const runs: Array<TextLine> = []
  for (const { text, fg } of lines) {
    const last = runs.at(-1)
    if (last && last.fg === fg) last.text += `\n${text}`
    else runs.push({ text, ...(fg === undefined ? {} : { fg }) })
  }
  return runs
}

/** Reads the lines of a file to show; why it cannot be read is shown in their place. */
export const linesOfFile = async (api: TuiPluginApi, path: string): Promise<Array<TextLine>> => {
  const read = await readText(path, { maxBytes: MAX_BYTES })
  if (read.error !== null) {
    return [{ text: `It cannot be read: ${read.error}`, fg: api.theme.current.warning }]
  }
  return read.data.text.trimEnd().split(/\r?\n/).map((text) => ({ text }))
}

// In a session the host's own keys for the messages take precedence over the focus.
const SCROLLING = new Set(['pageup', 'pagedown', 'home', 'end'])

/** Sends the scrolling keys to the focused element; gives the function that ends that. */
const scrollFocused = ({ keymap, renderer }: TuiPluginApi): () => void =>
  keymap.intercept('key', ({ event, consume }: { event: { name: string }; consume: () => void }) => {
    if (!SCROLLING.has(event.name)) return
    consume()
    renderer.currentFocusedRenderable?.handleKeyPress?.(event)
  }, { priority: 1 })

/**
 * Shows a text that scrolls, under a title; Esc closes it.
 *
 * @param onEsc what Esc goes back to
 * @param below what is shown under the text
 */
export const showText = (
  api: TuiPluginApi,
  title: string,
  lines: Array<TextLine>,
  { onEsc, below }: { onEsc?: () => void; below?: () => JSX.Element } = {},
): void => {
  const shown = clipped(lines)
  const leave = scrollFocused(api)
  api.ui.dialog.replace(() => {
    const theme = api.theme.current
    const room = Math.max(5, Math.floor(api.renderer.height * (below ? 0.4 : 0.6)))
    return (
      <box paddingLeft={2} paddingRight={2} paddingBottom={1} gap={1}>
        <box flexDirection='row'>
          <text fg={theme.text} flexGrow={1}>
            <b>{title}</b>
          </text>
          <text fg={theme.textMuted}>esc</text>
        </box>
        <scrollbox height={Math.min(rowsOf(shown) + 1, room)} focused={true}>
          {inRuns(shown).map(({ text, fg }) => <text fg={fg ?? theme.text} wrapMode='word'>{text}</text>)}
        </scrollbox>
        {below?.()}
      </box>
    )
  }, () => {
    leave()
    // The host reports the closing before it is done.
    if (onEsc) setTimeout(onEsc, 0)
  })
  api.ui.dialog.setSize('large')
}
