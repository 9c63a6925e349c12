/** Switches a rule off or on for one session, in the metadata of a part of its hidden message: nothing on the disk changes. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { unseenText } from '../host/message-parts.ts'
import { fileKey, isHiddenPart, type NamedFile, offIn, offMetadata } from '../host/panel-schema.ts'
import type { ViewedPart } from './session-view.ts'
import { tell } from './text-dialog.tsx'

/** The part of a session that says what is switched off, and what it says now. */
export type Switch = { sessionID: string; messageID: string; id: string; off: Array<NamedFile> }

/** Finds where a session keeps what is switched off; undefined before its hidden message is stored. */
export const switchIn = (sessionID: string, parts: Array<ViewedPart>): Switch | undefined => {
  const { id, messageID } = parts.find(isHiddenPart) ?? {}
  // The server's half numbers its own part of changes 1.
  return id && messageID ? { sessionID, messageID, id: `${id}2`, off: offIn(parts) } : undefined
}

/** Stores whether a rule is on in a session. */
export const switchRule = async (
  api: TuiPluginApi,
  { sessionID, messageID, id, off }: Switch,
  file: NamedFile,
  isOn: boolean,
): Promise<void> => {
  const others = off.filter((one) => fileKey(one) !== fileKey(file))
  const data = unseenText('', offMetadata(isOn ? others : [...others, file]))
  const part = { id, sessionID, messageID, ...data }
  const { error } = await api.client.part.update({ sessionID, messageID, partID: id, part })
    .catch((error) => ({ error }))
  if (error) tell(api, 'error', `It was not switched: ${JSON.stringify(error)}`)
}
