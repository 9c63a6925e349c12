import { expect, test } from 'bun:test'
import { rmSync, symlinkSync } from 'node:fs'
import { projectsIn, REQUEST_HOOK } from '../../test/harness/played-calls.ts'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { RefusedCall } from '../host/join-hooks.ts'
import type { CallFile } from './step-call.ts'

// A project has one file, `a.ts`, with the text `a\n` by default.
const startProject = projectsIn(scratchFolder())

const textsOf = ({ before, replayed, after }: CallFile) => [before?.text, replayed?.applied?.raw, after?.text]

const hasSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  await Bun.sleep(20)
  return Bun.peek.status(promise) !== 'pending'
}

test("a file's text is recorded before a call, after the call's own change, and after formatting", async () => {
  const { playEdit } = startProject('f(a)\ng(1)\n')
  const file = await playEdit('f(a)', 'f(b)', 'f(b);\ng(1);\n')
  expect(textsOf(file)).toEqual(['f(a)\ng(1)\n', 'f(b)\ng(1)\n', 'f(b);\ng(1);\n'])
})

test('an edit that the host matched loosely is recorded with the text that it replaced', async () => {
  const { playEdit } = startProject('\uFEFFf(  a )\r\ng(1)\r\n')
  const file = await playEdit('f( a )', 'f(b);', '\uFEFFf(b);\r\ng(1)\r\n')
  expect(textsOf(file)).toEqual(['f(  a )\r\ng(1)\r\n', 'f(b);\r\ng(1)\r\n', 'f(b);\r\ng(1)\r\n'])
  expect(file.replayed).toMatchObject({ args: { oldString: 'f(  a )' } })
})

test('if a formatter also ran, the text that a loosely matched edit replaced is unknown', async () => {
  const { playEdit } = startProject('f(  a )\ng(1)\n')
  const file = await playEdit('f( a )', 'f(b)', 'f(b);\ng(1);\n')
  expect(file.replayed?.applied).toBeNull()
})

test('the added, moved, deleted and non-UTF-8 files of a patch are recorded', async () => {
  const { steps, write, path, patch, play } = startProject()
  write('gone.ts', 'c\n')
  write('bytes.ts', Buffer.from('caf\xE9\n', 'latin1'))
  const sections = [
    '*** Add File: new.ts\n+n',
    '*** Update File: a.ts\n*** Move to: moved.ts \n@@\n-a\n+b',
    '*** Delete File: gone.ts',
    '*** Update File: bytes.ts\n@@\n-x\n+y',
  ]
  const call = await play(patch(sections), () => {
    write('new.ts', 'n\n')
    write('moved.ts', 'b;\n')
    for (const name of ['a.ts', 'gone.ts']) rmSync(path(name))
  })
  const named = ['new', 'a', 'moved', 'gone', 'bytes'].map((name) => path(`${name}.ts`))
  expect(call.named.map((file) => file.path)).toEqual(named)
  // Deleted files come last.
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

test('`finish` reads only files that `readBefore` read, and returns null for an unknown call', async () => {
  const { steps, edit, begin } = startProject()
  const { host, args } = edit('a.ts', 'a', 'b')
  const call = await begin({ host, args })
  expect(await steps.finish(host, args)).toBe(call)
  expect(call.files[0]!.after).toBeUndefined()
  expect(await steps.finish({ ...host, callID: 'other' }, { ...args })).toBeNull()
})

test('a failed call is not recorded, and no longer blocks calls that need its file or lock', async () => {
  const { steps, path, edit, begin, fail } = startProject()
  symlinkSync('a.ts', path('link.ts'))
  const first = edit('a.ts', 'a', 'b')
  await begin(first, ['lock'])
  const sameFile = begin(edit('link.ts', 'b', 'c'))
  const sameLock = begin(edit('b.ts', 'b', 'c'), ['lock'])
  expect(await Promise.all([sameFile, sameLock].map(hasSettled))).toEqual([false, false])
  await fail(first)
  expect(await Promise.all([sameFile, sameLock].map(hasSettled))).toEqual([true, true])
  expect((await sameFile).files[0]!.real).toEqual({ from: path('a.ts'), to: path('a.ts') })
  expect(steps.callsOf('ses')).toEqual([])
})

test('a file is shared if calls of two sessions change it at the same time', async () => {
  const { steps, edit, begin } = startProject()
  const first = await begin(edit('a.ts', 'a', 'b'))
  const second = await begin(edit('a.ts', 'a', 'd', 'other'))
  const areShared = () => [first, second].map(({ files }) => files[0]!.isShared)
  await steps.readBefore(first.files[0]!)
  expect(areShared()).toEqual([false, false])
  expect(steps.runningFiles).toEqual(first.files)
  await steps.readBefore(second.files[0]!)
  expect(areShared()).toEqual([true, true])
})

test('all hooks of a call share a `StepCall`, and a later call with the same id gets a new one', async () => {
  const { steps, edit, begin } = startProject()
  const call = edit('a.ts', 'a', 'b')
  const first = await begin(call)
  expect(await begin(call)).toBe(first)
  const ran: Array<string> = []
  first.whenEnded(() => void ran.push('added before'))
  // All hooks of a call pass the same object of arguments, so a copy of the arguments means another call.
  const second = await begin({ ...call, args: { ...call.args } })
  expect([first.state, second.state, ran]).toEqual(['superseded', 'running', ['added before']])
  expect(await steps.finish(call.host, call.args)).toBe(first)
  steps.end(first)
  expect(await steps.finish(call.host, { ...call.args })).toBe(second)
  first.whenEnded(() => void ran.push('added after'))
  expect(ran).toEqual(['added before', 'added after'])
})

test('if a session sends a request, its running call fails, and the waiting call is refused', async () => {
  const { edit, begin, beginRequest } = startProject()
  let hasFailed = false
  const first = await begin(edit('a.ts', 'a', 'b'))
  first.whenFailed(async () => void (hasFailed = true))
  const waiting = begin(edit('a.ts', 'b', 'c')).catch((thrown: unknown) => thrown)
  expect(await hasSettled(waiting)).toBe(false)
  await beginRequest('other')
  expect(hasFailed).toBe(false)
  await beginRequest('ses')
  expect(hasFailed).toBe(true)
  expect(await waiting).toBeInstanceOf(RefusedCall)
})

test.each<[type: string, properties: object]>([
  ['session.idle', { sessionID: 'ses' }],
  ['session.deleted', { info: { id: 'ses' } }],
])('the event %s ends the running calls of the session', async (type, properties) => {
  const { edit, begin, sendEvent } = startProject()
  const call = await begin(edit('a.ts', 'a', 'b'))
  await sendEvent(type, properties)
  expect(call.state).toBe('ended')
})

test('the calls of a step are listed until the next request', async () => {
  const { steps, playEdit, endRequest } = startProject()
  await playEdit('a', 'b', 'b\n')
  expect(steps.callsOf('ses')).toHaveLength(1)
  await endRequest()
  expect(steps.callsOf('ses')).toEqual([])
})

test('the text of a file is remembered until the file changes, or until the next request', async () => {
  const { steps: { presentFiles }, path, write, endRequest } = startProject()
  const read = async () => (await presentFiles.read(path('a.ts')))?.text
  const rememberFake = async () => {
    const saved = await presentFiles.read(path('a.ts'))
    presentFiles.remember(path('a.ts'), { ...saved!, text: 'remembered' })
  }
  await rememberFake()
  expect(await read()).toBe('remembered')
  write('a.ts', 'b;;\n')
  expect(await read()).toBe('b;;\n')
  await rememberFake()
  await endRequest()
  expect(await read()).toBe('b;;\n')
  await rememberFake()
  rmSync(path('a.ts'))
  expect(await read()).toBeUndefined()
})

test('a changed message part is inserted only into the next request that has messages', async () => {
  const { steps, beginRequest, endRequest } = startProject()
  const state = { status: 'completed', output: 'a' }
  const part = { id: 'prt', sessionID: 'ses', messageID: 'msg', type: 'tool', state }
  const outputInRequest = async () => {
    const parts = [part]
    await beginRequest('ses', parts)
    return parts[0]!.state.output
  }
  await steps.parts.change(structuredClone(part) as never, () => ({ ...state, output: 'b' }) as never)
  for (const hooks of [steps.before, steps.after]) await hooks[REQUEST_HOOK]?.({}, { messages: [] })
  expect(await outputInRequest()).toBe('b')
  await endRequest()
  expect(await outputInRequest()).toBe('a')
})
