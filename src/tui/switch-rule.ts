/** Switches a rule off or on for one session. Only the metadata of its hidden message changes, nothing on the disk. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'
import { callHost } from '../host/client.ts'
import { unseenText } from '../host/message-parts.ts'
import { fileKey, type NamedFile, offMetadata } from '../host/panel-schema.ts'
import type { Switch } from './session-view.ts'
import { notify } from './text-dialog.tsx'

/** Stores whether a rule is on in a session. */
export const switchRule = async (
  api: TuiPluginApi,
  { sessionID, messageID, id, off }: Switch,
  file: NamedFile,
  isOn: boolean,
): Promise<void> => {
  const others = off.filter((other) => fileKey(other) !== fileKey(file))
  const data = unseenText('', offMetadata(isOn ? others : [...others, file]))
  const part = { id, sessionID, messageID, ...data }
  const { error } = await callHost(() => api.client.part.update({ sessionID, messageID, partID: id, part }))
  if (error !== null) notify(api, 'error', `The rule was not switched: ${error}`)
}
