/** Switches a rule off or on for one session, in the metadata of a part of its hidden message: nothing on the disk changes. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { callHost } from '../host/client.ts'
import { unseenText } from '../host/message-parts.ts'
import { fileKey, type NamedFile, offMetadata } from '../host/panel-schema.ts'
import type { Switch } from './session-view.ts'
import { tell } from './text-dialog.tsx'

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
  const { error } = await callHost(() => api.client.part.update({ sessionID, messageID, partID: id, part }))
  if (error !== null) tell(api, 'error', `It was not switched: ${error}`)
}
