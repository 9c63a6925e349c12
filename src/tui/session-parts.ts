import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { createSignal } from 'solid-js'
import { hasRules, type SessionView, type ViewedPart, viewOf } from './session-view.ts'

type State = TuiPluginApi['state']

/** The parts of a session that the terminal has loaded, the oldest first; reactive. */
const loadedParts = (state: State, session: string): Array<ViewedPart> =>
  state.session.messages(session).flatMap(({ id }) => [...state.part(id)] as Array<ViewedPart>)

/**
 * Reads what is to be shown of sessions. The terminal loads the newest hundred messages of a session; the one with the
 * rules stands at its beginning, so that in a long session it is fetched, once each time that the session comes to
 * rest.
 */
export const sessionViews = ({ state, client, event, lifecycle }: TuiPluginApi) => {
  const [fetched, setFetched] = createSignal<{ session: string; parts: Array<ViewedPart> } | null>(null)
  let asked = ''

  const fetchRules = async (session: string): Promise<void> => {
    const { data } = await client.session.messages({ sessionID: session })
    const parts = (data ?? []).flatMap(({ parts }) => parts as Array<ViewedPart>).filter((part) =>
      hasRules([part])
    )
    if (asked === session) setFetched({ session, parts })
  }

  lifecycle.onDispose(event.on('session.idle', () => {
    asked = ''
  }))

  return (session: string): SessionView | null => {
    const parts = loadedParts(state, session)
    if (hasRules(parts) || state.session.messages(session).length < 100) return viewOf(parts)
    if (asked !== session) {
      asked = session
      // Without it the panel shows less; the next rest of the session tries again.
      fetchRules(session).catch(() => {})
    }
    const earlier = fetched()
    return viewOf([...(earlier?.session === session ? earlier.parts : []), ...parts])
  }
}
