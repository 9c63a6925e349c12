/** Texts that the person is shown as part of an answer. The model has them already: they stay out of its requests. */
import { randomBytes } from 'node:crypto'
import { markHidden } from '../text/hidden-characters.ts'
import { backticksFor } from '../text/quoted-name.ts'
import type { Client } from './client.ts'
import type { HooksPart } from './join-hooks.ts'
import { idAt, METADATA_KEY, storePart } from './message-parts.ts'

const SHOWN_KEY = `${METADATA_KEY}-shown`

/** Shows a text as it stands in the message of a call, below the call. */
export type ShowText = (
  call: { sessionID: string; messageID: string },
  text: string,
  language?: 'diff',
) => void

/** Fences a text: the screen reads Markdown. */
const inFence = (text: string, language: string): string => {
  const fence = backticksFor(text, 3)
  return `${fence}${language}\n${markHidden(text)}\n${fence}`
}

/** Makes the function that shows texts. The host's screen shows no tool's answer by default. */
export const textShower = (client: Client): ShowText => ({ sessionID, messageID }, text, language) => {
  if (text === '') return
  const [start, end] = [Date.now(), Date.now()]
  const part = {
    id: `prt_${idAt(start)}${randomBytes(7).toString('hex')}`,
    sessionID,
    messageID,
    type: 'text' as const,
    text: inFence(text, language ?? ''),
  }
  // A text that is not shown costs nothing: the model has it.
  void storePart(client, { ...part, time: { start, end }, metadata: { [SHOWN_KEY]: true } })
}

/** Makes the hook that keeps the texts from the model: of an assistant's parts the host sends ignored ones, too. */
export const shownTextHooks = (): HooksPart => ({
  'experimental.chat.messages.transform': async (_, { messages }) => {
    for (const message of messages) {
      if (!message.parts.some((part) => part.type === 'text' && part.metadata?.[SHOWN_KEY])) continue
      message.parts = message.parts.filter((part) => part.type !== 'text' || !part.metadata?.[SHOWN_KEY])
    }
  },
})
