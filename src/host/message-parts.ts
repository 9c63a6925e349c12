import type { Result } from '../safe.ts'
import { callHost, type Client, httpClientOf } from './client.ts'
import type { Hooks } from './join-hooks.ts'

type Messages = Parameters<NonNullable<Hooks['experimental.chat.messages.transform']>>[1]['messages']
type MessagePart = Messages[number]['parts'][number]

/**
 * Puts a part of a message in the place of the stored one of its id, for good, and gives why it could not. It changes
 * nothing else of the session, where a prompt would rewrite its agent and make an undo final. The host's client has no
 * call for it.
 */
export const storePart = (client: Client, part: MessagePart): Promise<Result<unknown>> =>
  callHost(() =>
    httpClientOf(client).patch({
      url: '/session/{sessionID}/message/{messageID}/part/{partID}',
      path: { sessionID: part.sessionID, messageID: part.messageID, partID: part.id },
      body: part,
      headers: { 'content-type': 'application/json' },
    })
  )
