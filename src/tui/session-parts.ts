/** Reads the messages of a session for the terminal. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { createSignal } from 'solid-js'
import type { History } from '../host/message-parts.ts'
import { hasActivity } from './activity.ts'
import type { ViewedPart } from './session-view.ts'

// The host's terminal loads only the newest messages, but a session's first message stores the rules.
const LOADED_MESSAGES = 100

/** Returns `[]` if the host answers with an error. */
export const readHistory = async ({ client }: TuiPluginApi, session: string): Promise<History> => {
  const { data } = await client.session.messages({ sessionID: session })
  // The cast is needed because in this client's types, a message has more kinds of errors.
  return (data ?? []) as History
}

/** Returns a reactive function that lists the parts of a session's messages, the oldest first. */
export const partsReader = (api: TuiPluginApi) => {
  const [fetched, setFetched] = createSignal<Record<string, Array<ViewedPart>>>({})
  const requestedSinceIdle = new Set<string>()
  api.lifecycle.onDispose(api.event.on('session.idle', () => requestedSinceIdle.clear()))

  const fetchParts = async (session: string): Promise<void> => {
    const parts: Array<ViewedPart> = (await readHistory(api, session)).flatMap((message) => message.parts)
    const viewed = parts.filter((part) => part.metadata !== undefined || hasActivity(part))
    setFetched({ ...fetched(), [session]: viewed })
  }

  return (session: string): Array<ViewedPart> => {
    const messages = api.state.session.messages(session)
    const loaded: Array<ViewedPart> = messages.flatMap(({ id }) => api.state.part(id))
    if (messages.length < LOADED_MESSAGES) return loaded
    if (!requestedSinceIdle.has(session)) {
      requestedSinceIdle.add(session)
      fetchParts(session).catch(() => {})
    }
    const loadedIds = new Set(loaded.map(({ id }) => id))
    return [...(fetched()[session] ?? []).filter(({ id }) => !loadedIds.has(id)), ...loaded]
  }
}
