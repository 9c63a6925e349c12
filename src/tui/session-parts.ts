/** Reads the messages of a session for the terminal. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { createSignal } from 'solid-js'
import type { History } from '../host/message-parts.ts'
import { hasActivity, type ViewedPart } from './session-view.ts'

// How many messages of a session the terminal loads: the newest.
const LOADED_MESSAGES = 100

/**
 * Creates the function that lists the message parts of a session, the oldest first; reactive. The terminal loads only
 * the newest messages, but the rules are in the first one: the parts of a longer session are fetched, and again after
 * it went idle.
 */
export const partsReader = ({ state, client, event, lifecycle }: TuiPluginApi) => {
  const [fetched, setFetched] = createSignal<Record<string, Array<ViewedPart>>>({})
  const requestedSessions = new Set<string>()
  lifecycle.onDispose(event.on('session.idle', () => requestedSessions.clear()))

  const fetchParts = async (session: string): Promise<void> => {
    const { data } = await client.session.messages({ sessionID: session })
    const parts = (data ?? []).flatMap(({ parts }) => parts as Array<ViewedPart>).filter((part) =>
      part.metadata !== undefined || hasActivity(part)
    )
    setFetched({ ...fetched(), [session]: parts })
  }

  return (session: string): Array<ViewedPart> => {
    const messages = state.session.messages(session)
    const parts = messages.flatMap(({ id }) => [...state.part(id)] as Array<ViewedPart>)
    if (messages.length < LOADED_MESSAGES) return parts
    if (!requestedSessions.has(session)) {
      requestedSessions.add(session)
      // If the fetch fails, the panel shows less until the session goes idle again.
      fetchParts(session).catch(() => {})
    }
    const loaded = new Set(parts.map(({ id }) => id))
    return [...(fetched()[session] ?? []).filter(({ id }) => !loaded.has(id)), ...parts]
  }
}

/** Reads all messages of a session. */
export const readHistory = async ({ client }: TuiPluginApi, session: string): Promise<History> => {
  const { data } = await client.session.messages({ sessionID: session })
  // The same messages as the server's client returns, but with types for more kinds of errors.
  return (data ?? []) as History
}
