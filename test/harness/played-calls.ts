/** Plays the host for tests of `Steps`, which records a session's calls: runs SAT's hooks as the host would. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../src/host/client.ts'
import type { HostCall } from '../../src/steps/step-call.ts'
import { Steps } from '../../src/steps/steps.ts'

const CLIENT = { _client: { patch: async () => ({ data: {} }) } } as unknown as Client

export const REQUEST = 'experimental.chat.messages.transform'

type PlayedCall = { host: HostCall; args: Record<string, unknown> }

/** Returns a function that creates a project with a text in `a.ts`. It returns functions that play the host there. */
export const projectsIn = (folder: string) => (text = 'a\n') => {
  const directory = mkdtempSync(join(folder, 'project-'))
  const steps = new Steps({ client: CLIENT, directory, log: () => {} })
  const path = (name: string) => join(directory, name)
  const write = (name: string, text: string | Uint8Array) => writeFileSync(path(name), text)
  write('a.ts', text)

  let nextCall = 0
  const idsOf = (sessionID = 'ses') => ({ sessionID, callID: `call_${nextCall++}` })
  const edit = (name: string, oldString: string, newString: string, sessionID?: string): PlayedCall => ({
    host: { tool: 'edit', ...idsOf(sessionID) },
    args: { filePath: path(name), oldString, newString },
  })
  const patch = (sections: Array<string>): PlayedCall => ({
    host: { tool: 'apply_patch', ...idsOf() },
    args: { patchText: sections.join('\n') },
  })

  /** Starts a call, which waits until earlier calls have ended. `locks` are names of its extra locks. */
  const begin = ({ host, args }: PlayedCall, locks: Array<string> = []) =>
    steps.start(host, args, () => locks)
  /** Plays a call from its start to its success; `run` does what the host's tool would do. */
  const play = async (played: PlayedCall, run: () => void) => {
    const call = await begin(played)
    for (const file of call.files) await steps.readBefore(file)
    run()
    const result = { title: '', output: '', metadata: {} }
    await steps.after['tool.execute.after']?.({ ...played.host, args: played.args }, result)
    return call
  }
  /** Plays an edit of `a.ts`, which then contains `after`. Returns what is recorded of the file. */
  const playEdit = async (oldString: string, newString: string, after: string) => {
    const call = await play(edit('a.ts', oldString, newString), () => write('a.ts', after))
    return call.files[0]!
  }

  const send = (type: string, properties: object) =>
    steps.before.event?.({ event: { type, properties } } as never)
  const fail = ({ host: { sessionID, callID } }: PlayedCall) =>
    send('message.part.updated', { part: { type: 'tool', sessionID, callID, state: { status: 'error' } } })
  const requestOf = (sessionID: string, parts: Array<unknown>) =>
    ({ messages: [{ info: { id: 'msg', sessionID }, parts }] }) as never
  // The hooks of SAT's other folders would run between these two.
  const beginRequest = (sessionID = 'ses', parts: Array<unknown> = []) =>
    steps.before[REQUEST]?.({}, requestOf(sessionID, parts))
  const endRequest = () => steps.after[REQUEST]?.({}, requestOf('ses', []))
  return { steps, path, write, edit, patch, begin, play, playEdit, send, fail, beginRequest, endRequest }
}
