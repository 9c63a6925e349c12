import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../host/client.ts'
import { RefusedCall } from '../host/join-hooks.ts'
import { Steps } from './steps.ts'

const scratch = mkdtempSync(join(tmpdir(), 'sat-steps-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const CLIENT = { _client: { patch: async () => ({ data: {} }) } } as unknown as Client

const start = () => {
  const directory = mkdtempSync(join(scratch, 'project-'))
  const steps = new Steps({ client: CLIENT, directory, log: () => {} })
  const path = (name: string) => join(directory, name)
  const write = (name: string, text: string | Uint8Array) => writeFileSync(path(name), text)
  let calls = 0
  const edit = (name: string, oldString: string, newString: string, sessionID = 'ses') => ({
    host: { tool: 'edit', sessionID, callID: `call_${calls++}` },
    args: { filePath: path(name), oldString, newString },
  })
  const patch = (patchText: string) => ({
    host: { tool: 'apply_patch', sessionID: 'ses', callID: `call_${calls++}` },
    args: { patchText: `*** Begin Patch\n${patchText}\n*** End Patch` },
  })
  type Played = ReturnType<typeof edit> | ReturnType<typeof patch>
  /** Plays a call whose files a hook reads, and returns it. */
  const play = async ({ host, args }: Played, run: () => void) => {
    const call = await steps.start(host, args)
    for (const file of call.files) await steps.readBefore(file)
    run()
    await steps.after['tool.execute.after']?.({ ...host, args }, { title: '', output: '', metadata: {} })
    return call
  }
  const fail = ({ host: { sessionID, callID } }: Played) => {
    const part = { type: 'tool', sessionID, callID, state: { status: 'error' } }
    const event = { type: 'message.part.updated', properties: { part } }
    return steps.before.event?.({ event } as never)
  }
  const request = (sessionID: string) =>
    ({ messages: [{ info: { id: 'msg', sessionID }, parts: [] }] }) as never
  return { steps, path, write, edit, patch, play, fail, request }
}

/** Tells whether a promise settles within 20 ms. */
const hasSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false
  void promise.then(() => settled = true, () => settled = true)
  await Bun.sleep(20)
  return settled
}

test('a file is recorded before the call, as its arguments change it, and after the call', async () => {
  const { write, edit, play } = start()
  write('a.ts', '\uFEFFx=1\r\n')
  const { files: [file] } = await play(edit('a.ts', 'x=1', 'x=2'), () => write('a.ts', '\uFEFFx = 2;\r\n'))
  expect([file!.before?.text, file!.replayed?.applied?.raw, file!.after?.text]).toEqual([
    'x=1\r\n',
    'x=2\r\n',
    'x = 2;\r\n',
  ])
})

test('an edit that the host matched loosely is recorded with the text that it replaced', async () => {
  const { write, edit, play } = start()
  write('a.ts', 'f(  a )\ng()\n')
  const { files: [file] } = await play(edit('a.ts', 'f( a )', 'f(b)'), () => write('a.ts', 'f(b)\ng()\n'))
  expect(file!.replayed).toMatchObject({ args: { oldString: 'f(  a )' }, applied: { raw: 'f(b)\ng()\n' } })
  // If a formatter ran within the call, no text matches.
  write('a.ts', 'f(  a )\ng()\n')
  const other = await play(edit('a.ts', 'f( a )', 'f(b)'), () => write('a.ts', 'f(b);\ng();\n'))
  expect(other.files[0]!.replayed?.applied).toBeNull()
})

test('a patch that adds, moves and deletes files, and one of a file that is not text', async () => {
  const { steps, write, path, patch, play } = start()
  write('old.ts', 'a\n')
  write('gone.ts', 'c\n')
  write('bytes.ts', Buffer.from('caf\xE9\n', 'latin1'))
  const sections = [
    '*** Add File: new.ts\n+n',
    '*** Update File: old.ts\n*** Move to: moved.ts\n@@\n-a\n+b',
    '*** Delete File: gone.ts',
    '*** Update File: bytes.ts\n@@\n-x\n+y',
  ]
  const call = await play(patch(sections.join('\n')), () => {
    write('new.ts', 'n\n')
    write('moved.ts', 'b\n')
    for (const name of ['old.ts', 'gone.ts']) rmSync(path(name))
  })
  expect(call.named.map((one) => one.path)).toEqual(
    ['new', 'old', 'moved', 'gone', 'bytes'].map((name) => path(`${name}.ts`)),
  )
  expect(
    call.files.map((
      { file, before, replayed, after },
    ) => [file.path, before?.text, replayed?.applied?.raw, after?.text]),
  )
    .toEqual([
      [path('new.ts'), null, 'n\n', 'n\n'],
      [path('moved.ts'), 'a\n', 'b\n', 'b\n'],
      [path('bytes.ts'), undefined, undefined, undefined],
      [path('gone.ts'), 'c\n', undefined, null],
    ])
  expect(call.files[2]!.before?.error).toContain('UTF-8')
  expect(steps.stepOf('ses').calls).toEqual([call])
})

test('calls of one session on the same file run one after the other, also through a link; calls of two sessions are marked as shared', async () => {
  const { steps, path, write, edit, fail } = start()
  write('a.ts', 'a\n')
  symlinkSync('a.ts', path('link.ts'))
  const [one, two, other] = [
    edit('a.ts', 'a', 'b'),
    edit('link.ts', 'b', 'c'),
    edit('a.ts', 'a', 'd', 'other'),
  ]
  const first = await steps.start(one.host, one.args)
  const second = steps.start(two.host, two.args)
  expect(await hasSettled(second)).toBe(false)
  const shared = await steps.start(other.host, other.args)
  await steps.readBefore(first.files[0]!)
  expect(first.files[0]!.isShared).toBe(false)
  expect(steps.runningFiles).toEqual(first.files)
  await steps.readBefore(shared.files[0]!)
  expect([first, shared].map(({ files }) => files[0]!.isShared)).toEqual([true, true])
  await fail(one)
  expect((await second).files[0]!.real).toEqual({ from: path('a.ts'), to: path('a.ts') })
  // A failed call is not recorded.
  expect(steps.stepOf('ses').calls).toEqual([])
})

test('each hook gets the same call; a second call with the same id supersedes the first', async () => {
  const { steps, write, edit } = start()
  write('a.ts', 'a\n')
  const { host, args } = edit('a.ts', 'a', 'b')
  const [one, same] = [await steps.start(host, args), await steps.start(host, args)]
  expect(same).toBe(one)
  const released: Array<string> = []
  one.whenEnded(() => void released.push('one'))
  const two = await steps.start(host, { ...args })
  expect([one.isCurrent, two.isCurrent, released]).toEqual([false, true, ['one']])
  one.whenEnded(() => void released.push('late'))
  expect(released).toEqual(['one', 'late'])
})

test('a call whose turn is aborted while it waits is refused, and releases its files', async () => {
  const { steps, write, edit, request } = start()
  write('a.ts', 'a\n')
  const [one, two, three] = [edit('a.ts', 'a', 'b'), edit('a.ts', 'b', 'c'), edit('a.ts', 'a', 'd')]
  const undone: Array<string> = []
  const first = await steps.start(one.host, one.args)
  first.whenFailed(async () => void undone.push('undone'))
  const waiting = steps.start(two.host, two.args).catch((thrown: unknown) => thrown)
  await hasSettled(waiting)
  await steps.before['experimental.chat.messages.transform']?.({}, request('other'))
  expect(undone).toEqual([])
  await steps.before['experimental.chat.messages.transform']?.({}, request('ses'))
  expect(undone).toEqual(['undone'])
  expect(await waiting).toBeInstanceOf(RefusedCall)
  expect(await steps.start(three.host, three.args)).toBeDefined()
})

test.each([
  ['session.idle', { sessionID: 'ses' }],
  ['session.deleted', { info: { id: 'ses' } }],
])('%s ends the calls of a session', async (type, properties) => {
  const { steps, write, edit } = start()
  write('a.ts', 'a\n')
  const { host, args } = edit('a.ts', 'a', 'b')
  const call = await steps.start(host, args)
  await steps.before.event?.({ event: { type, properties } } as never)
  expect(call.isEnded).toBe(true)
})

test('extra locks of a call keep other calls waiting', async () => {
  const { steps, edit } = start()
  const [one, two] = [edit('a.ts', 'a', 'b'), edit('b.ts', 'b', 'c')]
  const first = await steps.start(
    one.host,
    one.args,
    ({ named }) => [...named.map(({ path }) => path), 'alone'],
  )
  const second = steps.start(two.host, two.args, () => ['alone'])
  expect(await hasSettled(second)).toBe(false)
  steps.end(first)
  expect(await hasSettled(second)).toBe(true)
})

test('the present text of a file is the formatted one until somebody writes it; the next step starts empty', async () => {
  const { steps, path, write, edit, play, request } = start()
  write('a.ts', 'a\n')
  const call = await play(edit('a.ts', 'a', 'b'), () => write('a.ts', 'b\n'))
  const file = call.files[0]!
  expect(await steps.textNow('ses', file)).toBe('b\n')
  write('a.ts', 'b;;\n')
  expect(await steps.textNow('ses', file)).toBe('b;;\n')
  const saved = { ...file.after!.saved!, text: 'formatted' }
  steps.stepOf('ses').formatted.set(path('a.ts'), saved)
  expect(await steps.textNow('ses', file)).toBe('b;;\n')
  await play(edit('a.ts', 'b', 'c'), () => write('a.ts', 'c;;;\n'))
  expect(steps.stepOf('ses').formatted.size).toBe(0)
  expect(steps.stepOf('ses').calls).toHaveLength(2)
  await steps.after['experimental.chat.messages.transform']?.({}, request('ses'))
  expect(steps.stepOf('ses').calls).toEqual([])
})

test('a file that no hook needs is not read', async () => {
  const { steps, write, edit } = start()
  write('a.ts', 'a\n')
  const { host, args } = edit('a.ts', 'a', 'b')
  const call = await steps.start(host, args)
  expect(await steps.finish(host, args)).toBe(call)
  expect(call.files[0]).toMatchObject({ hasBefore: false })
  expect(call.files[0]!.after).toBeUndefined()
  expect(await steps.finish({ ...host, callID: 'other' }, args)).toBeNull()
})

test('parts that changed after the host read a request are inserted into it; an empty request changes nothing', async () => {
  const { steps, request } = start()
  const part = {
    id: 'prt',
    sessionID: 'ses',
    messageID: 'msg',
    type: 'tool',
    state: { status: 'completed', output: 'a' },
  }
  await steps.parts.change(structuredClone(part) as never, ({ state }) => ({ ...state, output: 'b' }))
  const stale = { messages: [{ info: { id: 'msg', sessionID: 'ses' }, parts: [part] }] }
  for (const hooks of [steps.before, steps.after]) {
    await hooks['experimental.chat.messages.transform']?.({}, { messages: [] })
  }
  await steps.before['experimental.chat.messages.transform']?.({}, stale as never)
  expect(stale.messages[0]!.parts[0]!.state.output).toBe('b')
  await steps.after['experimental.chat.messages.transform']?.({}, request('ses'))
  const next = { messages: [{ info: { id: 'msg', sessionID: 'ses' }, parts: [part] }] }
  await steps.before['experimental.chat.messages.transform']?.({}, next as never)
  expect(next.messages[0]!.parts[0]!.state.output).toBe('a')
})
