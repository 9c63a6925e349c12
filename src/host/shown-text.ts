/** Shows texts to the person in the model's messages, as message parts that are left out of every request. */
import { randomBytes } from 'node:crypto'
import { markHidden } from '../text/hidden-characters.ts'
import { inFence } from '../text/quoted-name.ts'
import type { Client } from './client.ts'
import type { PartHooks } from './join-hooks.ts'
import { idPrefixAt, type MessagePart, METADATA_KEY, storePart } from './message-parts.ts'

const SHOWN_KEY = `${METADATA_KEY}-shown`

export type ShowText = (
  call: { sessionID: string; messageID: string },
  text: string,
  language?: 'diff',
) => void

/** Needed because the host's screen hides the answers of tools. */
export const createShowText = (client: Client): ShowText => ({ sessionID, messageID }, text, language) => {
  if (text === '') return
  const now = Date.now()
  // A failure is ignored, because the model gets the text in the tool's answer anyway.
  void storePart(client, {
    id: `prt_${idPrefixAt(now)}${randomBytes(7).toString('hex')}`,
    sessionID,
    messageID,
    type: 'text',
    text: inFence(markHidden(text), language),
    time: { start: now, end: now },
    // If SAT is removed later, the host sends this metadata as provider options, each of which must be an object.
    metadata: { [SHOWN_KEY]: { shown: true } },
  })
}

const isShownText = (part: MessagePart): boolean =>
  part.type === 'text' && Boolean(part.metadata?.[SHOWN_KEY])

/** Removes shown texts from requests. The host's flag `ignored` would remove them only from the person's messages. */
export const shownTextHooks = (): PartHooks => ({
  'experimental.chat.messages.transform': async (_, { messages }) => {
    for (const message of messages) {
      if (message.parts.some(isShownText)) message.parts = message.parts.filter((part) => !isShownText(part))
    }
  },
})
