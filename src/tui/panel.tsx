/** @jsxImportSource @opentui/solid */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { createMemo, createSignal } from 'solid-js'
import { markName } from '../text/hidden-characters.ts'
import { bytesHeld, cut, cutPath, type SessionView, tokensOf, whyOf, widthOf } from './session-view.ts'

// What the host's sidebar leaves to a section.
const WIDTH = 36
const FOLDED = 'opencode-sat.folded'

type Theme = TuiPluginApi['theme']['current']

const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`

/** Says what the rules cost each request, on one line. */
const costLine = (view: SessionView): string => {
  const rules = count(view.inForce.length, 'rule')
  const tokens = tokensOf(bytesHeld(view))
  const words = `${rules}, about ${tokens.slice(1)} tokens a request`
  return widthOf(words) <= WIDTH ? words : `${rules}, ${tokens} tokens a request`
}

/** Makes the lines of the open section, each with its colour. */
const linesOf = (view: SessionView, theme: Theme): Array<{ text: string; fg: Theme['text'] }> => {
  const { inForce, waiting, offered, leftOut, formatted, corrected } = view
  const muted = (text: string) => ({ text, fg: theme.textMuted })
  const rules = inForce.map((rule) => {
    const cost = ` ${tokensOf(rule.bytes)}`
    const name = `• ${(rule.name.includes('/') ? cutPath : cut)(rule.name, 18)} `
    const room = WIDTH - widthOf(name) - cost.length
    const why = cutPath(whyOf(rule), room)
    return { text: `${name}${why}${' '.repeat(room - widthOf(why))}${cost}`, fg: theme.text }
  })
  return [
    ...(inForce.length > 0 ? [muted(costLine(view))] : []),
    ...rules,
    ...(waiting.length > 0 ? [muted(`${waiting.length} waiting for a file`)] : []),
    ...(offered.length > 0 ? [muted(`${offered.length} offered to the model`)] : []),
    ...leftOut.map(({ path, line }) => ({
      text: `! ${cutPath(`${markName(path)}${line === undefined ? '' : `:${line}`}`, WIDTH - 12)} left out`,
      fg: theme.warning,
    })),
    ...(formatted.length > 0 ? [muted(`${count(formatted.length, 'file')} formatted`)] : []),
    ...(corrected > 0 ? [muted(`${count(corrected, 'call')} corrected`)] : []),
  ]
}

/**
 * Draws the section SAT in a session's sidebar, nothing where there is nothing to say. A click folds or opens it, which
 * is remembered.
 *
 * Children are functions, so that they are drawn again when the session changes, even in a package under node_modules,
 * where the host does not compile JSX itself.
 */
export const Panel = ({ api, view }: { api: TuiPluginApi; view: () => SessionView | null }) => {
  const [folded, setFolded] = createSignal(api.kv.get(FOLDED, false))
  const fold = () => {
    setFolded(!folded())
    api.kv.set(FOLDED, folded())
  }
  const section = createMemo(() => {
    const shown = view()
    if (shown === null) return null
    const theme = api.theme.current
    return (
      <box>
        <box flexDirection='row' gap={1} onMouseDown={fold}>
          <text fg={theme.text}>{folded() ? '▶' : '▼'}</text>
          <text fg={shown.leftOut.length > 0 ? theme.warning : theme.text}>
            <b>SAT</b>
          </text>
          <text fg={theme.textMuted}>{folded() ? count(shown.inForce.length, 'rule') : ''}</text>
        </box>
        {folded()
          ? null
          : linesOf(shown, theme).map(({ text, fg }) => <text fg={fg} wrapMode='none'>{text}</text>)}
      </box>
    )
  })
  return <box>{section}</box>
}
