/** @jsxImportSource @opentui/solid */
/** Shows files and diffs in a dialog, and the results of the person's actions in toasts. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { markHidden, markName } from '../text/hidden-characters.ts'
import { readText } from '../text/read.ts'
import { interceptKeys } from './intercept-keys.ts'

/** Drawn as one element, because an element for each line would be slow. */
export type Block = { text: string; fg?: TuiPluginApi['theme']['current']['text'] | undefined }

export const notify = ({ ui }: TuiPluginApi, variant: 'success' | 'error', message: string): void =>
  ui.toast({ title: 'SAT', variant, message: markHidden(message) })

export const diffBlock = (api: TuiPluginApi, sign: '-' | '+' | ' ', text: string): Block => {
  const { diffAdded, diffRemoved, textMuted } = api.theme.current
  const fg = { '+': diffAdded, '-': diffRemoved, ' ': textMuted }[sign]
  return { text: `${sign} ${text.replaceAll('\n', `\n${sign} `)}`, fg }
}

// A longer text would block the screen while it is drawn.
const MAX_LINES = 2_000
const MAX_COLUMNS = 1_000
const MAX_BYTES = 4_000_000

// Less than the width of a large dialog, because a line that breaks between words does not fill the width.
const ESTIMATED_WIDTH = 60

const clipLine = (line: string): string => line.length > MAX_COLUMNS ? `${line.slice(0, MAX_COLUMNS)}…` : line

const clipBlocks = (blocks: Array<Block>): Array<Block> => {
  let linesLeft = MAX_LINES
  const clippedBlocks = blocks.flatMap(({ text, fg }) => {
    const lines = text.split('\n')
    const drawn = lines.slice(0, Math.max(0, linesLeft))
    linesLeft -= lines.length
    return drawn.length > 0 ? [{ text: markHidden(drawn.map(clipLine).join('\n')), fg }] : []
  })
  return linesLeft < 0 ? [...clippedBlocks, { text: `… ${-linesLeft} more lines` }] : clippedBlocks
}

const estimateRows = (blocks: Array<Block>): number =>
  blocks.flatMap(({ text }) => text.split('\n'))
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / ESTIMATED_WIDTH)), 0)

const LINES_ABOVE = 3

/** Creates a block that starts a few lines above `line`, or that says why the file cannot be read. */
export const fileBlock = async (api: TuiPluginApi, path: string, line = 1): Promise<Block> => {
  const { data, error } = await readText(path, { maxBytes: MAX_BYTES })
  return error === null
    ? { text: data.text.trimEnd().split(/\r?\n/).slice(Math.max(0, line - 1 - LINES_ABOVE)).join('\n') }
    : { text: `It cannot be read: ${error}`, fg: api.theme.current.warning }
}

// If SAT did not handle these keys, the host would scroll the session's messages.
const SCROLLING = new Set(['pageup', 'pagedown', 'home', 'end'])

export const showText = (
  api: TuiPluginApi,
  title: string,
  blocks: Array<Block>,
  { onEsc, onEdit, confirm }: {
    onEsc?: (() => void) | undefined
    onEdit?: (() => void) | undefined
    confirm?: { title: string; message: string; onConfirm: () => void }
  } = {},
): void => {
  const shownBlocks = clipBlocks(blocks)
  const stopKeys = interceptKeys(api, (key) => {
    if (key.ctrl && key.name === 'e' && onEdit) return onEdit
    if (!SCROLLING.has(key.name)) return undefined
    return () => void api.renderer.currentFocusedRenderable?.handleKeyPress?.(key)
  })
  api.ui.dialog.replace(() => {
    const theme = api.theme.current
    // The host starts a dialog below the upper quarter of the screen.
    const maxHeight = Math.floor(api.renderer.height * 0.75)
    return (
      <box paddingLeft={2} paddingRight={2} paddingBottom={1} gap={1} maxHeight={maxHeight}>
        <box flexDirection='row' flexShrink={0} gap={1}>
          <text fg={theme.text} flexGrow={1}>
            <b>{markName(title)}</b>
          </text>
          <text fg={theme.textMuted} flexShrink={0}>{onEdit ? 'ctrl+e edit  esc' : 'esc'}</text>
        </box>
        <scrollbox flexBasis={estimateRows(shownBlocks) + 1} flexShrink={1} minHeight={1} focused={true}>
          {shownBlocks.map(({ text, fg }) => <text fg={fg ?? theme.text} wrapMode='word'>{text}</text>)}
        </scrollbox>
        {confirm && <box flexShrink={0}>{api.ui.DialogConfirm(confirm)}</box>}
      </box>
    )
  }, () => {
    stopKeys()
    // `onEsc` waits until the host has closed the dialog and, 1 ms later, put the cursor into the prompt.
    if (onEsc) setTimeout(() => setTimeout(onEsc, 2), 0)
  })
  api.ui.dialog.setSize('large')
}
