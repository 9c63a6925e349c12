import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import type { Client } from '../host/client.ts'
import { RefusedCall } from '../host/join-hooks.ts'
import type { CallFile, HostCall } from './step-call.ts'
import { Steps } from './steps.ts'

const scratch = scratchFolder()
const CLIENT = { _client: { patch: async () => ({ data: {} }) } } as unknown as Client
const REQUEST = 'experimental.chat.messages.transform'
const ENDS_CALLS = { 'session.idle': { sessionID: 'ses' }, 'session.deleted': { info: { id: 'ses' } } }

type PlayedCall = { host: HostCall; args: Record<string, unknown> }

/** Starts a project whose file `a.ts` has a text. */
const start = (text = 'a\n') => {
  const directory = mkdtempSync(join(scratch, 'project-'))
  const steps = new Steps({ client: CLIENT, directory, log: () => {} })
  const path = (name: string) => join(directory, name)
  const write = (name: string, text: string | Uint8Array) => writeFileSync(path(name), text)
  write('a.ts', text)
  let calls = 0
  const callOf = (tool: string, args: PlayedCall['args'], sessionID = 'ses'): PlayedCall => ({
    host: { tool, sessionID, callID: `call_${calls++}` },
    args,
  })
  const edit = (name: string, oldString: string, newString: string, sessionID?: string) =>
    callOf('edit', { filePath: path(name), oldString, newString }, sessionID)
  const patch = (sections: Array<string>) =>
    callOf('apply_patch', { patchText: `*** Begin Patch\n${sections.join('\n')}\n*** End Patch` })
  const begin = ({ host, args }: PlayedCall, locks: Array<string> = []) =>
    steps.start(host, args, () => locks)
  /** Plays a call whose files a hook reads, and returns it. */
  const play = async (played: PlayedCall, run: () => void) => {
    const call = await begin(played)
    for (const file of call.files) await steps.readBefore(file)
    run()
    const result = { title: '', output: '', metadata: {} }
    await steps.after['tool.execute.after']?.({ ...played.host, args: played.args }, result)
    return call
  }
  const happen = (type: string, properties: object) =>
    steps.before.event?.({ event: { type, properties } } as never)
  const fail = ({ host: { sessionID, callID } }: PlayedCall) =>
    happen('message.part.updated', { part: { type: 'tool', sessionID, callID, state: { status: 'error' } } })
  const request = (hooks: 'before' | 'after', sessionID = 'ses', parts: Array<unknown> = []) =>
    steps[hooks][REQUEST]?.({}, { messages: [{ info: { id: 'msg', sessionID }, parts }] } as never)
  return { steps, path, write, edit, patch, begin, play, happen, fail, request }
}

const textsOf = ({ before, replayed, after }: CallFile) => [before?.text, replayed?.applied?.raw, after?.text]

/** Whether a promise settles within 20 ms. */
const hasSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  const pending = {}
  const first = await Promise.race([promise.catch(() => {}), Bun.sleep(20).then(() => pending)])
  return first !== pending
}

test('a file is recorded before the call, as its arguments change it, and after the call', async () => {
  const { write, edit, play } = start('\uFEFFf(  a )\r\ng(1)\r\n')
  const playOn = async (after: string) =>
    (await play(edit('a.ts', 'f( a )', 'f(b)'), () => write('a.ts', after))).files[0]!
  const file = await playOn('\uFEFFf(b)\r\ng(1)\r\n')
  expect(textsOf(file)).toEqual(['f(  a )\r\ng(1)\r\n', 'f(b)\r\ng(1)\r\n', 'f(b)\r\ng(1)\r\n'])
  // The host matched the edit loosely: it is recorded with the text that it replaced.
  expect(file.replayed).toMatchObject({ args: { oldString: 'f(  a )' } })
  // If a formatter also ran, the text that the loose edit replaced cannot be derived.
  write('a.ts', 'f(  a )\ng(1)\n')
  expect((await playOn('f(b);\ng(1);\n')).replayed?.applied).toBeNull()
})

test('a patch records the files that it adds, moves and deletes, and one that is not UTF-8', async () => {
  const { steps, write, path, patch, play } = start()
  write('gone.ts', 'c\n')
  write('bytes.ts', Buffer.from('caf\xE9\n', 'latin1'))
  const sections = [
    '*** Add File: new.ts\n+n',
    '*** Update File: a.ts\n*** Move to: moved.ts\n@@\n-a\n+b',
    '*** Delete File: gone.ts',
    '*** Update File: bytes.ts\n@@\n-x\n+y',
  ]
  const call = await play(patch(sections), () => {
    write('new.ts', 'n\n')
    write('moved.ts', 'b;\n')
    for (const name of ['a.ts', 'gone.ts']) rmSync(path(name))
  })
  const named = ['new', 'a', 'moved', 'gone', 'bytes'].map((name) => path(`${name}.ts`))
  expect(call.named.map((named) => named.path)).toEqual(named)
  const states = call.files.map((changed) => [changed.file.path, ...textsOf(changed)])
  expect(states).toEqual([
    [path('new.ts'), null, 'n\n', 'n\n'],
    [path('moved.ts'), 'a\n', 'b\n', 'b;\n'],
    [path('bytes.ts'), undefined, undefined, undefined],
    [path('gone.ts'), 'c\n', undefined, null],
  ])
  expect(call.files[2]!.before?.error).toContain('UTF-8')
  expect(steps.callsOf('ses')).toEqual([call])
})

test('calls of a session on one file or lock run in order; a file of two sessions becomes shared', async () => {
  const { steps, path, edit, begin, fail } = start()
  symlinkSync('a.ts', path('link.ts'))
  const call = edit('a.ts', 'a', 'b')
  const first = await begin(call, ['alone'])
  const sameFile = begin(edit('link.ts', 'b', 'c'))
  const sameLock = begin(edit('b.ts', 'b', 'c'), ['alone'])
  expect(await Promise.all([sameFile, sameLock].map(hasSettled))).toEqual([false, false])
  const shared = await begin(edit('a.ts', 'a', 'd', 'other'))
  await steps.readBefore(first.files[0]!)
  expect(first.files[0]!.isShared).toBe(false)
  expect(steps.runningFiles).toEqual(first.files)
  await steps.readBefore(shared.files[0]!)
  expect([first, shared].map(({ files }) => files[0]!.isShared)).toEqual([true, true])
  await fail(call)
  expect((await sameFile).files[0]!.real).toEqual({ from: path('a.ts'), to: path('a.ts') })
  expect(await hasSettled(sameLock)).toBe(true)
  // A failed call is not recorded.
  expect(steps.callsOf('ses')).toEqual([])
})

test('each hook gets the same call; a second call with the same id supersedes the first', async () => {
  const { edit, begin } = start()
  const call = edit('a.ts', 'a', 'b')
  const first = await begin(call)
  expect(await begin(call)).toBe(first)
  const released: Array<string> = []
  first.whenEnded(() => void released.push('first'))
  const second = await begin({ ...call, args: { ...call.args } })
  expect([first.isCurrent, second.isCurrent, released]).toEqual([false, true, ['first']])
  first.whenEnded(() => void released.push('late'))
  expect(released).toEqual(['first', 'late'])
})

test('a request ends the running call of its session as failed; a call that waited for it is refused', async () => {
  const { edit, begin, request } = start()
  const undone: Array<string> = []
  const first = await begin(edit('a.ts', 'a', 'b'))
  first.whenFailed(async () => void undone.push('undone'))
  const waiting = begin(edit('a.ts', 'b', 'c')).catch((thrown: unknown) => thrown)
  await hasSettled(waiting)
  await request('before', 'other')
  expect(undone).toEqual([])
  await request('before')
  expect(undone).toEqual(['undone'])
  expect(await waiting).toBeInstanceOf(RefusedCall)
})

test('when a session becomes idle or is deleted, its running calls end', async () => {
  const { edit, begin, happen } = start()
  for (const [type, properties] of Object.entries(ENDS_CALLS)) {
    const call = await begin(edit('a.ts', 'a', 'b'))
    await happen(type, properties)
    expect(call.isEnded).toBe(true)
  }
})

test('the calls of a step are listed until the next request', async () => {
  const { steps, write, edit, play, request } = start()
  await play(edit('a.ts', 'a', 'b'), () => write('a.ts', 'b\n'))
  await play(edit('a.ts', 'b', 'c'), () => write('a.ts', 'c\n'))
  expect(steps.callsOf('ses')).toHaveLength(2)
  await request('after')
  expect(steps.callsOf('ses')).toEqual([])
})

test('the present text of a file is remembered until the file is written, or until the next request', async () => {
  const { steps: { presentFiles }, path, write, edit, play, request } = start()
  const { files: [file] } = await play(edit('a.ts', 'a', 'b'), () => write('a.ts', 'b\n'))
  const read = async () => (await presentFiles.read(file!.file.path))?.text
  const rememberOther = async () => {
    const saved = await presentFiles.read(path('a.ts'))
    presentFiles.remember(path('a.ts'), { ...saved!, text: 'remembered' })
  }
  expect(await read()).toBe('b\n')
  await rememberOther()
  expect(await read()).toBe('remembered')
  write('a.ts', 'b;;\n')
  expect(await read()).toBe('b;;\n')
  await rememberOther()
  await play(edit('a.ts', 'b', 'c'), () => write('a.ts', 'c;;\n'))
  expect(await read()).toBe('c;;\n')
  await rememberOther()
  await request('after')
  expect(await read()).toBe('c;;\n')
  await rememberOther()
  rmSync(path('a.ts'))
  expect(await read()).toBeUndefined()
})

test('a file that no hook needs is not read', async () => {
  const { steps, edit, begin } = start()
  const { host, args } = edit('a.ts', 'a', 'b')
  const call = await begin({ host, args })
  expect(await steps.finish(host, args)).toBe(call)
  expect(call.files[0]!.after).toBeUndefined()
  expect(await steps.finish({ ...host, callID: 'other' }, args)).toBeNull()
})

test('changed parts are inserted into the next request; a request without messages does not count', async () => {
  const { steps, request } = start()
  const state = { status: 'completed', output: 'a' }
  const part = { id: 'prt', sessionID: 'ses', messageID: 'msg', type: 'tool', state }
  await steps.parts.change(structuredClone(part) as never, () => ({ ...state, output: 'b' }) as never)
  for (const hooks of [steps.before, steps.after]) await hooks[REQUEST]?.({}, { messages: [] })
  const outputInNext = async () => {
    const parts = [part]
    await request('before', 'ses', parts)
    return parts[0]!.state.output
  }
  expect(await outputInNext()).toBe('b')
  await request('after')
  expect(await outputInNext()).toBe('a')
})
