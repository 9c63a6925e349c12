/** Stories of format on save: permission questions, aborts, undos, a formatter that hangs, and another plugin. */
import { expect } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { sharedHost } from '../harness/host.ts'
import { waitForLog } from '../harness/log.ts'
import { callsIn } from '../harness/model.ts'
import { questionsOf, reply, replyToNext } from '../harness/permissions.ts'
import { story } from '../harness/story.ts'
import { abort, edit, read, startProject, startShared, undo, waitForFile, write } from './session.ts'
import { FORMAT, storyPerSetting, withFormatOnSave } from './settings.ts'
import { argsIn, shownArgs, shownTexts, storedArgs, storedCalls } from './shown.ts'

const WAIT_AND_FORMAT = `touch {path}.begun; until [ -e {path}.continue ]; do sleep 0.05; done; ${FORMAT}`

const COMMANDS = withFormatOnSave({
  // Ignores the signal to end, and starts a second process.
  'hangs.js': 'trap "" TERM; echo spoilt > {path}; sleep 61 & sleep 61',
  'waits-*.js': WAIT_AND_FORMAT,
  '*.js': FORMAT,
})

const OTHER_PLUGIN = `export default async () => ({
  'tool.execute.before': async (_, { args }) => Object.assign(args, { replaceAll: undefined, extra: undefined }),
})`

const CONFIG = {
  plugin: [...COMMANDS.plugin, './other.mjs'],
  permission: { edit: { '*': 'allow', '*asked.js': 'ask' } },
}

const start = (files: Record<string, string> = {}) =>
  startShared(CONFIG, { 'other.mjs': OTHER_PLUGIN, ...files })

story("SAT ends and reports a formatter that hangs, and restores the model's text", async () => {
  const { project, session } = await start()
  const turn = await session.turn('go', write(project, 'hangs.js', 'mine=1\n'))
  const failure = 'timed out after 30 s'
  expect(turn.outputs[0]).toContain(failure)
  expect([await project.read('hangs.js'), ...shownTexts(turn)]).toEqual(['mine=1\n', 'mine=1\n'])
  expect(await waitForLog(await sharedHost(), project.path('hangs.js'), failure)).toHaveLength(1)
})

story('undefined arguments that another plugin adds to a call do not reach the history', async () => {
  const { project, session } = await start({ 'a.js': 'a=0\n' })
  const turn = await session.turn('go', edit(project, 'a.js', 'a=0', 'a=1'))
  const shown = { filePath: project.path('a.js'), oldString: 'a=0', newString: 'a = 1' }
  expect(await project.read('a.js')).toBe('a = 1\n')
  expect(shownArgs(turn)).toEqual([shown])
  expect(await storedArgs(session)).toEqual([shown])
})

story(
  'an edit that waits for permission delays only calls on the same file in the same message',
  async () => {
    const { project, session } = await start({ 'asked.js': 'a=0\nb=0\n', 'also-asked.js': 'o=0\n' })
    const otherSession = await project.session()
    const turn = session.turn('go', [
      edit(project, 'asked.js', 'a=0', 'a=1'),
      read(project, 'asked.js'),
      edit(project, 'asked.js', 'b=0', 'b=1'),
      edit(project, 'also-asked.js', 'o=0', 'o=1'),
    ])
    const questions = await questionsOf(session, 2)
    const otherCalls = [read(project, 'asked.js'), write(project, 'newly-asked.js', 'n=1\n')]
    const otherTurn = otherSession.turn('go', otherCalls)
    await replyToNext(otherSession, 'once')
    expect(shownTexts(await otherTurn).at(-1)).toBe('n = 1\n')
    expect(await questionsOf(session, 2)).toEqual(questions)
    for (const question of questions) await reply(session, question, 'once')
    // The second edit of `asked.js` asks only now.
    await replyToNext(session, 'once')
    expect((await turn).outputs[1]).toContain('1: a = 1\n2: b=0')
    expect(await project.read('also-asked.js')).toBe('o = 1\n')
  },
)

storyPerSetting('an edit by another session is not reported as formatting', async (config) => {
  const asking = { ...config, permission: { edit: 'ask' } }
  const { project, session } = await startProject(asking, { files: { 'x.js': 'a = 0;\nb = 0;\n' } })
  const otherSession = await project.session()
  const turn = session.turn('go', edit(project, 'x.js', 'a = 0;', 'a=1'))
  await questionsOf(session, 1)
  const otherTurn = otherSession.turn('go', edit(project, 'x.js', 'b = 0;', 'b=1'))
  await eventually(() => storedCalls(otherSession), ({ length }) => length > 0, 'No edit')
  // The second edit must begin before the first one is allowed.
  await Bun.sleep(500)
  await replyToNext(session, 'once')
  await replyToNext(otherSession, 'once')
  expect([...shownTexts(await turn), ...shownTexts(await otherTurn)]).toEqual(['a = 1;', 'b = 1;'])
  expect((await turn).outputs[0]).not.toContain('was formatted')
  const note = 'x.js now differs from what you saw:\n@@ -1,2 +1,2 @@\n-a = 0;\n+a = 1;'
  expect((await otherTurn).outputs[0]).toContain(note)
  expect(await project.read('x.js')).toBe('a = 1;\nb = 1;\n')
})

story('a call aborted while it waits for another call does not run, and blocks no later call', async () => {
  const { project, session } = await start({ 'waits-1.js': 'a=0\nb=0\n' })
  const otherSession = await project.session()
  const otherTurn = otherSession.turn('go', edit(project, 'waits-1.js', 'a=0', 'a=1'))
  await waitForFile(project, 'waits-1.js.begun')
  const waiting = [edit(project, 'waits-1.js', 'b=0', 'b=1'), write(project, 'waits-1.js', 'not run\n')]
  const aborted = session.turn('go', waiting)
  await eventually(() => storedCalls(session), (all) => all.some(({ tool }) => tool === 'edit'), 'No edit')
  await abort(session, aborted)
  project.write('waits-1.js.continue', '')
  await otherTurn
  const turn = await session.turn('go', edit(project, 'waits-1.js', 'b = 0', 'b=2'))
  expect(turn.outputs[0]).toStartWith('Edit applied successfully.')
  expect(await project.read('waits-1.js')).toBe('a = 1\nb = 2\n')
})

story('after an abort, the edit is shown formatted, and a note reports other formatted lines', async () => {
  const { project, session } = await start({ 'waits-2.js': 'a=1\nb=1\n' })
  const aborted = session.turn('go', edit(project, 'waits-2.js', 'a=1', 'a=2'))
  await waitForFile(project, 'waits-2.js.begun')
  await abort(session, aborted)
  const laterTurn = session.turn('go on')
  // The next request must begin before the formatter ends.
  await Bun.sleep(500)
  project.write('waits-2.js.continue', '')
  await waitForFile(project, 'waits-2.js', 'a = 2\nb = 1\n')
  const [request] = (await laterTurn).requests
  expect(argsIn(request!)[0]!.newString).toBe('a = 2')
  expect(callsIn(request!)[0]!.output).toContain('\n-b=1\n+b = 1')
})

/** Formats after 20 s, so that an undo ends first, even on a busy machine. */
const SLOW = `touch {path}.begun; sleep 20; ${FORMAT}`

const UNDO_COMMANDS = {
  'aborted.js': SLOW,
  'ended.js': { when: 'turn', command: FORMAT },
  'running.js': { when: 'turn', command: SLOW },
  'agent.js': { when: 'turn', command: SLOW },
  'saved.js': FORMAT,
}

story('an undo during or after formatting restores the text before the turn', async () => {
  const config = { snapshot: true, ...withFormatOnSave(UNDO_COMMANDS) }
  const names = Object.keys(UNDO_COMMANDS)
  const files = Object.fromEntries(names.map((name) => [name, 'a=0\nb=0\n']))
  const { project, session } = await startProject(config, { files })
  const edits = (...edited: Array<string>) => edited.map((name) => edit(project, name, 'a=0', 'a=1'))
  const { model } = await sharedHost()
  // On the shared host, the prompt must be unique, because it selects the subagent's script.
  const prompt = `go ${project.directory}`
  model.scriptChild(prompt, edits('agent.js'))
  const subagent = { tool: 'task', args: { description: 'edits', prompt, subagent_type: 'general' } }
  const aborted = session.turn('go', edits('aborted.js', 'ended.js'))
  await waitForFile(project, 'aborted.js.begun')
  await abort(session, aborted)
  await waitForFile(project, 'ended.js', 'a = 1\nb = 0\n')
  await undo(session)
  await session.turn('go', [...edits('running.js', 'saved.js'), subagent])
  await waitForFile(project, 'saved.js', 'a = 1\nb = 0\n')
  for (const name of ['running.js', 'agent.js']) await waitForFile(project, `${name}.begun`)
  await undo(session)
  // These edits, which change nothing, wait until no formatter runs on their files.
  const calls = names.map((name) => edit(project, name, 'is not there', 'x'))
  await (await project.session()).turn('go', calls)
  for (const name of names) expect([name, await project.read(name)]).toEqual([name, 'a=0\nb=0\n'])
})
