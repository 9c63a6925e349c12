/** Creates calls for unit tests of `Steps`, and runs the hooks of `Steps` on them as the host does. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../src/host/client.ts'
import type { HostCall } from '../../src/steps/step-call.ts'
import { Steps } from '../../src/steps/steps.ts'

const CLIENT = { _client: { patch: async () => ({ data: {} }) } } as unknown as Client

export const REQUEST_HOOK = 'experimental.chat.messages.transform'

type PlayedCall = { host: HostCall; args: Record<string, unknown> }

/** `projectsIn(folder)(text)` creates a project whose `a.ts` contains `text`. */
export const projectsIn = (folder: string) => (text = 'a\n') => {
  const directory = mkdtempSync(join(folder, 'project-'))
  const steps = new Steps({ client: CLIENT, directory, log: () => {} })
  const path = (name: string) => join(directory, name)
  const write = (name: string, text: string | Uint8Array) => writeFileSync(path(name), text)
  write('a.ts', text)

  let nextCall = 0
  const callOf = (tool: string, args: PlayedCall['args'], sessionID = 'ses'): PlayedCall => ({
    host: { tool, sessionID, callID: `call_${nextCall++}` },
    args,
  })
  const edit = (name: string, oldString: string, newString: string, sessionID?: string) =>
    callOf('edit', { filePath: path(name), oldString, newString }, sessionID)
  const patch = (sections: Array<string>) => callOf('apply_patch', { patchText: sections.join('\n') })

  /** Waits for earlier calls that use the same file or have the same name in `locks`. */
  const begin = ({ host, args }: PlayedCall, locks: Array<string> = []) =>
    steps.start(host, args, () => locks)
  /** `run` writes the files, as the host's tool would. */
  const play = async (played: PlayedCall, run: () => void) => {
    const call = await begin(played)
    for (const file of call.files) await steps.readBefore(file)
    run()
    const result = { title: '', output: '', metadata: {} }
    await steps.after['tool.execute.after']?.({ ...played.host, args: played.args }, result)
    return call
  }
  const playEdit = async (oldString: string, newString: string, after: string) => {
    const call = await play(edit('a.ts', oldString, newString), () => write('a.ts', after))
    return call.files[0]!
  }

  const sendEvent = (type: string, properties: object) =>
    steps.before.event?.({ event: { type, properties } } as never)
  const fail = ({ host }: PlayedCall) =>
    sendEvent('message.part.updated', { part: { type: 'tool', ...host, state: { status: 'error' } } })
  const requestOf = (sessionID: string, parts: Array<unknown>) =>
    ({ messages: [{ info: { id: 'msg', sessionID }, parts }] }) as never
  // In the host, further hooks of SAT run between `beginRequest` and `endRequest`.
  const beginRequest = (sessionID = 'ses', parts: Array<unknown> = []) =>
    steps.before[REQUEST_HOOK]?.({}, requestOf(sessionID, parts))
  const endRequest = () => steps.after[REQUEST_HOOK]?.({}, requestOf('ses', []))
  return { steps, path, write, edit, patch, begin, play, playEdit, sendEvent, fail, beginRequest, endRequest }
}
