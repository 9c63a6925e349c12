/** @jsxImportSource @opentui/solid */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { createMemo, createSignal } from 'solid-js'
import { foldedTextsOf, type Row, rowsOf } from './panel-rows.ts'
import type { Entry } from './rules-lines.ts'
import type { SessionView } from './session-view.ts'

const FOLDED_KEY = 'opencode-sat.folded'

/** Draws SAT's section in the sidebar of a session. */
export const Panel = (
  { api, view, open }: { api: TuiPluginApi; view: () => SessionView; open: (entry: Entry) => void },
) => {
  const [folded, setFolded] = createSignal(api.kv.get(FOLDED_KEY, false))
  const toggle = () => {
    setFolded(!folded())
    api.kv.set(FOLDED_KEY, folded())
  }
  const drawRow = ({ text, tone, muted, entry, wraps }: Row) => (
    <box flexDirection='row' onMouseUp={() => entry && open(entry)}>
      <text fg={api.theme.current[tone]} wrapMode={wraps ? 'word' : 'none'}>{text}</text>
      <text fg={api.theme.current.textMuted} wrapMode='none'>{muted ?? ''}</text>
    </box>
  )
  // The host does not run Solid's compiler on a package under node_modules, so a JSX expression is evaluated only once.
  // Solid evaluates a function in JSX, such as `section`, again after a change.
  const section = createMemo(() => {
    const currentView = view()
    const { rules, toFix } = foldedTextsOf(currentView)
    const theme = api.theme.current
    return (
      <box>
        <box flexDirection='row' gap={1} onMouseDown={toggle}>
          <text fg={theme.text}>{folded() ? '▶' : '▼'}</text>
          <text fg={toFix === '' ? theme.text : theme.warning}>
            <b>SAT</b>
          </text>
          <text fg={theme.textMuted}>{folded() ? rules : ''}</text>
          <text fg={theme.warning}>{folded() ? toFix : ''}</text>
        </box>
        {folded() ? null : rowsOf(currentView).map(drawRow)}
      </box>
    )
  })
  return <box>{section}</box>
}
