/** Stories of lines that break rules after a turn: marks in the panel, reminders, toasts, and output on stderr. */
import { expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { abort, bash, edit, undo, waitForFile, write } from '../formatting/session.ts'
import { opencodeRun } from '../harness/host-process.ts'
import { sharedHost } from '../harness/host.ts'
import type { Call } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { toastsOf } from '../harness/toasts.ts'
import { delegate, FILES, marksOf, NO_ANY, play, startChecked, startShared } from './checked-session.ts'
import {
  callSubagent,
  compact,
  expectCounts,
  expectPrefixes,
  forkSession,
  read,
  satWith,
  setSwitchedOff,
  startProject,
  waitUntil,
} from './session-rules.ts'

story('marks survive a compaction and a restart; an undo removes the marks of the undone calls', async () => {
  const config = { agent: { general: { permission: { task: 'allow' } } }, subagent_depth: 2 }
  const { project, session } = await startChecked({ config })
  const innerDelegation = await delegate(project, 'Write the child before the compaction')
  await play(session, await callSubagent('general', 'Have another one do it', innerDelegation))
  await session.turn('words to compact', write(project, 'src/a.ts', 'let x: any\n'))
  const promptToUndo = (await session.messages()).findLast(({ info }) => info.role === 'user')!
  await compact(session)
  await project.http('POST', '/instance/dispose')

  // SAT adds a reminder to the message `go on`. The attached file must keep its place below the person's words.
  const parts = [{ type: 'file', mime: 'text/plain', url: `file://${project.path('src/old.ts')}` }]
  const [remove, restore] = [edit(project, 'src/a.ts', 'any', 'one'), edit(project, 'src/a.ts', 'one', 'any')]
  const afterRestart = await session.turnAs({ parts }, 'go on', remove, restore)
  expectCounts(afterRestart.requests, { 'words to compact': [0, 0, 0] })
  expect((await marksOf(session)).toSorted()).toEqual(['no-any src/a.ts:1', 'no-any src/child.ts:1'])
  const reminder = 'What you wrote in an earlier turn still breaks rules. Fix it, or say why it stays:'
  const line = '\n  no-any src/a.ts:1: let x: any'
  expectCounts(afterRestart.requests, { [`<system-reminder>\n${reminder}`]: [1, 1, 1], [line]: [1, 1, 1] })
  // The model broke the rule again after the reminder, so `and on` gets a reminder, too, but `further on` does not.
  const { requests } = await session.turn('and on')
  const later = await session.turn('further on')
  expectCounts([...requests, ...later.requests], { [reminder]: [2, 2] })
  expectPrefixes([...afterRestart.requests, ...requests])

  await project.http('POST', `/session/${session.id}/revert`, { messageID: promptToUndo.info.id })
  project.write('src/child.ts', 'one\ntwo\nlet c: any\n')
  await session.turn('another way')
  expect(await marksOf(session)).toEqual(['no-any src/child.ts:3'])
})

story('a mark disappears if its line is undone, or if its rule no longer forbids the line', async () => {
  const { project, session } = await startChecked({ git: true, config: { snapshot: true } })
  const writeA = write(project, 'src/a.ts', 'let x: any\n')
  await play(session, writeA)
  expect(await marksOf(session)).toEqual(['no-any src/a.ts:1'])
  await undo(session)
  await waitUntil(async () => (await marksOf(session)).length === 0)
  expect(existsSync(project.path('src/a.ts'))).toBe(false)

  await play(session, writeA)
  const marksWithRule = async (text: string) => {
    project.write('.opencode/rules/no-any.md', text)
    await session.turn('go on')
    return marksOf(session)
  }
  expect(await marksWithRule(NO_ANY.replace('src/**', 'lib/**'))).toEqual([])
  expect(await marksWithRule(NO_ANY.replace('src/**', '{lib,src}/**'))).toEqual(['no-any src/a.ts:1'])
  expect(await marksWithRule('Never use any.\n')).toEqual([])
})

story('the next request reports lines of an aborted step, and has a reminder of earlier lines', async () => {
  const { project, session } = await startChecked()
  const writeAny = (name: string) => write(project, `src/${name}.ts`, `let ${name}: any\n`)
  const running = play(session, writeAny('c'), [writeAny('b'), bash('touch going; sleep 30')])
  await waitForFile(project, 'going')
  await waitForFile(project, 'src/b.ts')
  await abort(session, running)
  // The person adds a line before the next message.
  project.write('src/b.ts', 'let b: any\nlet own: any\n')
  const { requests } = await session.turn('what now?')
  expectCounts(requests, { '  1: let b: any': [1], 'let own: any': [0] })
  expectCounts(requests, { 'in an earlier turn': [1], 'src/c.ts:1: let c: any': [1], 'src/b.ts:1': [0] })
  expect(await marksOf(session)).toEqual(['no-any src/c.ts:1', 'no-any src/b.ts:1'])
})

story('lines that a report only counted are listed by a later report, without a new reminder', async () => {
  const { project, session } = await startShared()
  const lines = Array.from({ length: 30 }, (_, index) => `let v${index + 1}: any\n`)
  await play(session, write(project, 'src/many.ts', lines.join('')))
  const one = await session.turn('fix', edit(project, 'src/many.ts', 'v25: any', 'v25: one'))
  expect(one.outputs[0]).toEndWith(' 19, 20, and 9 more lines (no-any)')
  const most = await session.turn('fix', edit(project, 'src/many.ts', lines.slice(0, 20).join(''), ''))
  expectCounts([...one.requests, ...most.requests], { 'in an earlier turn': [1, 1, 1, 1] })
  expect(most.outputs[0]).toEndWith('in src/many.ts: lines 1, 2, 3, 4, 6, 7, 8, 9, 10 (no-any)')
  expect(await marksOf(session)).toHaveLength(9)
})

story('a rule that is switched off checks nothing, and its marks are hidden', async () => {
  const { project, session } = await startShared()
  const writeBreaking = (name: string) => write(project, `src/${name}.ts`, 'let x: any\nconsole.log(x)\n')
  await play(session, writeBreaking('g'))
  expect(await marksOf(session)).toEqual(['no-any src/g.ts:1', 'no-log src/g.ts:2'])
  await setSwitchedOff(session, '.opencode/rules/no-any.md')
  expect(await marksOf(session)).toEqual(['no-log src/g.ts:2'])
  // After a compaction, the history no longer contains the part that stores which rules are off.
  await compact(session)
  const { outputs, requests } = await session.turn('go on', writeBreaking('h'))
  expect(outputs[0]).toContain('no-log: ')
  expect(outputs[0]).not.toContain('no-any')
  expect(JSON.stringify(requests[0]!.messages.at(-1))).not.toContain('no-any')
  expect(await marksOf(session)).toEqual(['no-log src/g.ts:2', 'no-log src/h.ts:2'])
  const fork = await forkSession(session)
  await setSwitchedOff(fork)
  await fork.turn('go on')
  const anyMarks = (await marksOf(fork)).filter((mark) => mark.startsWith('no-any'))
  expect(anyMarks).toEqual(['no-any src/g.ts:1'])
})

story('a reported line that a formatter splits in a later step keeps its mark', async () => {
  const command = "grep -q namespace {path} && sed -i 's/(x: any, /(\\n  x: any,\\n  /' {path}; true"
  const config = satWith({ format_on_save: { '*.ts': command } })
  const { project, session } = await startChecked({ config })
  const create = write(project, 'src/a.ts', 'f(x: any, y)\n// end\n')
  const { outputs } = await play(session, create, edit(project, 'src/a.ts', '// end', 'namespace N {}'))
  expect(outputs[1]).toContain('1: f(x: any, y)')
  expect(outputs[2]).toContain('Still broken in src/a.ts: line 2 (no-any)')
  expect(await marksOf(session)).toEqual(['no-any src/a.ts:2'])
})

story('at its end, `opencode run` prints the lines that still break rules to stderr', async () => {
  const { model, env } = await sharedHost()
  const project = await startProject({ files: FILES })
  const writeChild = await delegate(project, 'Write the file of the child that runs')
  const breakAndMend = [write(project, 'src/b.ts', 'console.log()\n'), bash('echo > src/b.ts')]
  model.scriptChild('run it', [writeChild, ...breakAndMend])
  const { stderr, status } = await opencodeRun(project.directory, env, 'run it')
  expect(stderr.split('Still')[1]).toBe(' breaks rules:\n  no-any src/child.ts:1: let c: any\n')
  expect(stderr).not.toContain('breaks a rule')
  expect(status).toBe(0)
})

story('with SAT_EXIT=1, `opencode run` exits with 1 if a line breaks a rule, else with 0', async () => {
  const { model, env } = await sharedHost()
  const statusOf = async (prompt: string, content: string, ...parallel: Array<Call>) => {
    const project = await startProject({ files: FILES })
    const writing = [write(project, 'src/a.ts', content), ...parallel]
    model.scriptChild(prompt, [read('src/old.ts'), writing])
    const { stderr, status } = await opencodeRun(project.directory, { ...env, SAT_EXIT: '1' }, prompt)
    // The host prints the call's title once, even if SAT stores the call again.
    expect(stderr.match(/Write src\/a\.ts/g)).toHaveLength(1)
    // Projects that are not repositories share one list of sessions.
    const sessions = await project.http<Array<{ id: string; directory: string }>>('GET', '/session')
    const { id } = sessions.find(({ directory }) => directory === project.directory)!
    const messages = await project.resume(id).messages()
    expect(JSON.stringify(messages).includes('breaks rules')).toBe(status === 1)
    return status
  }
  expect(await statusOf('write a broken line', 'let x: any\n')).toBe(1)
  expect(await statusOf('write a clean line', 'let x = 1\n')).toBe(0)
  // The run rejects a read outside of the project, which ends the turn without another request.
  expect(await statusOf('write and read outside', 'let x: any\n', read('/etc/hosts'))).toBe(1)
})

story('at the end of a turn, one toast names the new lines that break rules', async () => {
  const { project, session } = await startChecked()
  const toasts = await toastsOf(project, (await sharedHost()).url)
  const lines = (...names: Array<string>) => names.map((name) => `let ${name}: any\n`).join('')
  await play(session, await delegate(project, 'Write the file of the child for the toast'))
  await toasts.waitFor(/^1 line breaks a rule: no-any src\/child\.ts:1$/)
  await play(session, write(project, 'src/a.ts', lines('a', 'b', 'c', 'd')))
  // Each `\s` is a line break of the wrapped toast.
  await toasts.waitFor(
    /^4 lines break rules: no-any src\/a\.ts:1, no-any\ssrc\/a\.ts:2, no-any src\/a\.ts:3 and 1 more, see\s\/rules$/,
  )
  await session.turn('go on')
  await session.turn('mend', edit(project, 'src/a.ts', lines('a', 'b', 'c', 'd'), ''))
  // A line that was fixed and breaks the rule again is new.
  await session.turn('again', write(project, 'src/a.ts', lines('a')))
  await toasts.waitFor(/^1 line breaks a rule: no-any src\/a\.ts:1$/)
  await session.turn('twice', write(project, 'src/a.ts', lines('a', 'a')))
  await toasts.waitFor(/^1 line breaks a rule: no-any src\/a\.ts:2$/)
  const { requests } = await session.turn('go on')
  expect(JSON.stringify(requests[0]!.messages.at(-1))).toContain('no-any src/a.ts:2')
  expect(toasts.shown.filter(({ message }) => /break/.test(message))).toHaveLength(4)
  await toasts.stop()
})
