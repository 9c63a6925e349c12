/** @jsxImportSource @opentui/solid */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import type { JSX } from '@opentui/solid'
import { markHidden, markName } from '../text/hidden-characters.ts'
import { readText } from '../text/read.ts'
import type { KeyPress } from './list-dialog.ts'

/** A text of one colour, that of plain text if none is given. One element each: thousands of elements are slow. */
export type Block = { text: string; fg?: TuiPluginApi['theme']['current']['text'] | undefined }

/** Tells the person how something went. */
export const tell = ({ ui }: TuiPluginApi, variant: 'success' | 'error', message: string): void =>
  ui.toast({ title: 'SAT', variant, message: markHidden(message) })

/** Makes the block of a line, or lines, that go, come or stay. */
export const coloured = (api: TuiPluginApi, sign: '-' | '+' | ' ', text: string): Block => {
  const { diffAdded, diffRemoved, textMuted } = api.theme.current
  const fg = { '+': diffAdded, '-': diffRemoved, ' ': textMuted }[sign]
  return { text: `${sign} ${text.replaceAll('\n', `\n${sign} `)}`, fg }
}

// A longer text blocks the screen.
const MAX_LINES = 2_000
const MAX_COLUMNS = 1_000
const MAX_BYTES = 4_000_000

// Narrower than a large dialog, since lines break between words: a row too many is better than one too few.
const WIDTH = 60

const clip = (line: string): string => line.length > MAX_COLUMNS ? `${line.slice(0, MAX_COLUMNS)}…` : line

/** Cuts blocks to as many lines as the screen can draw, and marks what is hidden in them. */
const clipped = (blocks: Array<Block>): Array<Block> => {
  let room = MAX_LINES
  const shown = blocks.flatMap(({ text, fg }) => {
    const lines = text.split('\n')
    const kept = lines.slice(0, Math.max(0, room))
    room -= lines.length
    return kept.length > 0 ? [{ text: markHidden(kept.map(clip).join('\n')), fg }] : []
  })
  return room < 0 ? [...shown, { text: `… ${-room} more lines` }] : shown
}

/** Counts the rows of blocks, their long lines wrapped. */
const rowsOf = (blocks: Array<Block>): number =>
  blocks.flatMap(({ text }) => text.split('\n'))
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / WIDTH)), 0)

// How many lines stand above the one with which a file is shown.
const ABOVE = 3

/** Reads a file to show, from a little above a line; why it cannot be read is shown in its place. */
export const fileBlock = async (api: TuiPluginApi, path: string, line = 1): Promise<Block> => {
  const { data, error } = await readText(path, { maxBytes: MAX_BYTES })
  return error === null
    ? { text: data.text.trimEnd().split(/\r?\n/).slice(Math.max(0, line - 1 - ABOVE)).join('\n') }
    : { text: `It cannot be read: ${error}`, fg: api.theme.current.warning }
}

// In a session the host's own keys for the messages take precedence over the focus.
const SCROLLING = new Set(['pageup', 'pagedown', 'home', 'end'])

/** Sends the scrolling keys to the focused element, and Ctrl-E to `onEdit`; gives the function that ends that. */
const interceptKeys = ({ keymap, renderer }: TuiPluginApi, onEdit: (() => void) | undefined): () => void =>
  keymap.intercept('key', ({ event, consume }: KeyPress) => {
    const isEdit = onEdit !== undefined && event.ctrl && event.name === 'e'
    if (!isEdit && !SCROLLING.has(event.name)) return
    consume()
    if (isEdit) return onEdit()
    renderer.currentFocusedRenderable?.handleKeyPress?.(event)
  }, { priority: 1 })

/**
 * Shows a text that scrolls, under a title; Esc closes it.
 *
 * @param onEsc what Esc goes back to
 * @param onEdit what Ctrl-E does
 * @param below what is shown under the text
 */
export const showText = (
  api: TuiPluginApi,
  title: string,
  blocks: Array<Block>,
  { onEsc, onEdit, below }: {
    onEsc?: (() => void) | undefined
    onEdit?: (() => void) | undefined
    below?: () => JSX.Element
  } = {},
): void => {
  const shown = clipped(blocks)
  const leave = interceptKeys(api, onEdit)
  api.ui.dialog.replace(() => {
    const theme = api.theme.current
    const room = Math.max(5, Math.floor(api.renderer.height * (below ? 0.4 : 0.6)))
    return (
      <box paddingLeft={2} paddingRight={2} paddingBottom={1} gap={1}>
        <box flexDirection='row'>
          <text fg={theme.text} flexGrow={1}>
            <b>{markName(title)}</b>
          </text>
          <text fg={theme.textMuted}>{onEdit ? 'ctrl+e edit  esc' : 'esc'}</text>
        </box>
        <scrollbox height={Math.min(rowsOf(shown) + 1, room)} focused={true}>
          {shown.map(({ text, fg }) => <text fg={fg ?? theme.text} wrapMode='word'>{text}</text>)}
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
