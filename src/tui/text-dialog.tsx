/** @jsxImportSource @opentui/solid */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'

type Theme = TuiPluginApi['theme']['current']

/** One line of a text, and its colour where it is not that of plain text. */
export type TextLine = { text: string; fg?: Theme['text'] }

// Fewer columns than a large dialog has: lines break between words, and a row too many is better than one too few.
const WIDTH = 60

/** Counts the rows of a text, its long lines wrapped. */
const rowsOf = (lines: Array<TextLine>): number =>
  lines.reduce((sum, { text }) => sum + Math.max(1, Math.ceil(text.length / WIDTH)), 0)

/** Shows a text that scrolls, under a title; `esc` closes it. */
export const showText = (api: TuiPluginApi, title: string, lines: Array<TextLine>): void => {
  api.ui.dialog.replace(() => {
    const theme = api.theme.current
    const room = Math.max(5, Math.floor(api.renderer.height * 0.6))
    return (
      <box paddingLeft={2} paddingRight={2} paddingBottom={1} gap={1}>
        <box flexDirection='row'>
          <text fg={theme.text} flexGrow={1}>
            <b>{title}</b>
          </text>
          <text fg={theme.textMuted}>esc</text>
        </box>
        <scrollbox height={Math.min(rowsOf(lines) + 1, room)} focused={true}>
          {lines.map(({ text, fg }) => (
            <text fg={fg ?? theme.text} wrapMode='word'>{text === '' ? ' ' : text}</text>
          ))}
        </scrollbox>
      </box>
    )
  })
  api.ui.dialog.setSize('large')
}
