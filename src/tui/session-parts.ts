/** Reads the messages of a session for the terminal. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { createSignal } from 'solid-js'
import type { History } from '../host/message-parts.ts'
import { hasActivity } from './activity.ts'
import type { ViewedPart } from './session-view.ts'

// The host's terminal loads only this many of the newest messages of a session.
const LOADED_MESSAGES = 100

/** Reads all messages of a session; returns `[]` if the host answers with an error. */
export const readHistory = async ({ client }: TuiPluginApi, session: string): Promise<History> => {
  const { data } = await client.session.messages({ sessionID: session })
  // The data is a `History`, although this client's types list more kinds of errors for a message.
  return (data ?? []) as History
}

/** Creates the reactive function that lists the message parts of a session, the oldest first. */
export const partsReader = (api: TuiPluginApi) => {
  const [fetched, setFetched] = createSignal<Record<string, Array<ViewedPart>>>({})
  // The parts of these sessions are not requested again until any session goes idle.
  const requestedSessions = new Set<string>()
  api.lifecycle.onDispose(api.event.on('session.idle', () => requestedSessions.clear()))

  const fetchParts = async (session: string): Promise<void> => {
    const parts: Array<ViewedPart> = (await readHistory(api, session)).flatMap((message) => message.parts)
    // Keeps the parts that store the rules (in `metadata`) or show activity.
    const viewed = parts.filter((part) => part.metadata !== undefined || hasActivity(part))
    setFetched({ ...fetched(), [session]: viewed })
  }

  return (session: string): Array<ViewedPart> => {
    const messages = api.state.session.messages(session)
    const loaded: Array<ViewedPart> = messages.flatMap(({ id }) => api.state.part(id))
    if (messages.length < LOADED_MESSAGES) return loaded
    // The first message, which stores the rules, may not be loaded, so the host is asked for all messages.
    if (!requestedSessions.has(session)) {
      requestedSessions.add(session)
      // If the fetch fails, the panel shows less until a session goes idle.
      fetchParts(session).catch(() => {})
    }
    const loadedIds = new Set(loaded.map(({ id }) => id))
    return [...(fetched()[session] ?? []).filter(({ id }) => !loadedIds.has(id)), ...loaded]
  }
}
