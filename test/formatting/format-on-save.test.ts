import { expect } from 'bun:test'
import { join } from 'node:path'
import { type Project, sharedHost } from '../harness/host.ts'
import { waitForLog } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import { edit, startProject, startShared, write } from './session.ts'
import { ADD_SPACES, FORMAT, withFormatOnSave } from './settings.ts'
import { newTextOf, notesBelow, shownTexts, storedArgs } from './shown.ts'

const FORMAT_BY_SAT = `echo sat $(basename {path}) >> who.txt; ${FORMAT}`

const COMMANDS = withFormatOnSave({
  'fails.js': 'echo spoilt > {path}; echo first >&2; echo "the reason" >&2; exit 3',
  'all/*.js': `echo sat all >> who.txt; ${ADD_SPACES} all/*.js`,
  'ids/*.js': `sleep 0.3; ${FORMAT}`,
  'lint/*.js': { command: `${FORMAT}; exit 1`, ok: [0, 1] },
  'sat/*.css': FORMAT_BY_SAT,
  '*.zig': FORMAT_BY_SAT,
  '*.js': FORMAT,
  '*.none': 'no-such-formatter {path}',
  '*.some': `${FORMAT}; no-such-formatter {path}`,
})

const ofHost = (script: string) => ['sh', '-c', script, 'sh', '$FILE']
// SAT does not report the exit code 1 of the host's formatters.
const formatByHost = ofHost(`echo host $(basename "$1") >> who.txt; ${ADD_SPACES} "$1"; exit 1`)

const formatter = {
  own: { command: formatByHost, extensions: ['.css', '.md'] },
  large: { command: ofHost(`${ADD_SPACES} "$1"`), extensions: ['.txt'] },
  // A formatter with the name of a built-in one needs no extensions.
  zig: { command: formatByHost },
}

const start = (files?: Record<string, string>) => startShared({ ...COMMANDS, formatter }, files)

story('a formatter that fails is reported and logged, unless it is not installed', async () => {
  const { project, session } = await start()
  const written = ['fails.js', 'a.none', 'a.some'].map((name) => write(project, name, 'mine=1\n'))
  const turn = await session.turn('go', written)
  const [failure, notInstalled, partly] = turn.outputs.map(notesBelow)
  expect(failure).toMatch(/^fails.js was formatted, but `echo .*` exited with code 3:\nfirst\nthe reason\n\n/)
  expect(failure).toEndWith('fails.js now differs from what you saw:\n@@ -1,1 +1,1 @@\n-mine=1\n+spoilt')
  expect(notInstalled).toBe('')
  expect(partly).toMatch(/^a.some was formatted, but `.*` exited with code 127:\n.*no-such-formatter/)
  // SAT does not restore the model's text, because a person may have changed the file meanwhile.
  expect([await project.read('fails.js'), await project.read('a.none')]).toEqual(['spoilt\n', 'mine=1\n'])
  expect(shownTexts(turn)).toEqual(['mine=1\n', 'mine=1\n', 'mine = 1\n'])
  const mark = { failed: [{ command: expect.stringContaining('echo spoilt'), why: 'failed (status 3)' }] }
  expect(turn.tools[0]!.state.metadata!['opencode-sat']).toMatchObject(mark)
  expect(await waitForLog(await sharedHost(), project.path('fails.js'), 'WARN', 'status 3'))
    .toEqual([expect.stringContaining('the reason')])
})

story('errors of language servers name the lines of the formatted file', async () => {
  const command = [process.execPath, join(import.meta.dirname, 'language-server.mjs')]
  const lsp = { words: { command, extensions: ['.words'] } }
  const commands = withFormatOnSave({ '*.words': "sed -i 's/; *\\(.\\)/;\\n\\1/g' {path}" })
  const { project, session } = await startProject({ lsp, ...commands })
  const { outputs, tools } = await session.turn(
    'go',
    write(project, 'a.words', 'a; b; WRONG;\nc; WRONGER;\n'),
    edit(project, 'a.words', 'c;', 'c; d; WRONGEST;'),
  )
  expect(await project.read('a.words')).toBe('a;\nb;\nWRONG;\nc;\nd;\nWRONGEST;\nWRONGER;\n')
  expect(outputs.map((output) => output.match(/^ERROR .*$/gm))).toEqual([
    ['ERROR [3:1] WRONG is wrong', 'ERROR [5:1] WRONGER is wrong'],
    ['ERROR [3:1] WRONG is wrong', 'ERROR [6:1] WRONGEST is wrong', 'ERROR [7:1] WRONGER is wrong'],
  ])
  const { diagnostics } = tools[1]!.state.metadata as Record<string, Record<string, Array<object>>>
  expect(diagnostics![project.path('a.words')])
    .toMatchObject([2, 5, 6].map((line) => ({ range: { start: { line, character: 0 } } })))
})

const formatAll = async (files: Array<string>, existing?: Record<string, string>): Promise<Project> => {
  const { project, session } = await start(existing)
  const turn = await session.turn('go', files.map((file) => write(project, file, 'x=1\n')))
  for (const file of files) expect([file, await project.read(file)]).toEqual([file, 'x = 1\n'])
  expect(shownTexts(turn)).toEqual(files.map(() => 'x = 1\n'))
  expect(turn.outputs).toEqual(files.map(() => 'Wrote file successfully.'))
  return project
}

story('a file is formatted by the first matching command, or else by the host', async () => {
  const files = ['a.js', 'all/a.js', 'all/b.js', 'lint/a.js', 'sat/b.css', 'a.zig', 'a.css', 'a.md']
  const project = await formatAll(files, { 'all/old.js': 'old=1\n' })
  expect(await project.read('all/old.js')).toBe('old = 1\n')
  const runs = (await project.read('who.txt')).trim().split('\n')
  expect(runs.toSorted()).toEqual(['host a.css', 'host a.md', 'sat a.zig', 'sat all', 'sat b.css'])
})

story('a file whose name a shell could take for a command, option or pattern is formatted', async () => {
  const commands = '; $(touch hacked) "it\'s" && `touch hacked`.js'
  const project = await formatAll([commands, '-i.js', 'two\nlines.js', '*.js'])
  await expect(project.read('hacked')).rejects.toThrow()
})

story('SAT does not format a large file, and a note tells the model to read the file again', async () => {
  const large = `${'x '.repeat(5_000)}\n`.repeat(1_100) + 'last=1\n'
  // The host formats `large.txt`, but SAT does not read the result.
  const names = ['large.js', 'large.txt']
  const { project, session } = await start(Object.fromEntries(names.map((name) => [name, large])))
  const turn = await session.turn('go', names.map((name) => edit(project, name, 'last=1', 'last=2')))
  const unsure = 'may differ from what you saw; read it again before you edit it.'
  expect(turn.outputs).toEqual(names.map((name) => `Edit applied successfully.\n\n${name} ${unsure}`))
  expect(await project.read('large.js')).toEndWith('\nlast=2\n')
  expect(await project.read('large.txt')).toEndWith('\nlast = 2\n')
  expect(await waitForLog(await sharedHost(), project.path('large.js'), 'at most 10000000 are read'))
    .toHaveLength(1)
})

story('calls with the same id, in two sessions or two messages, all show the formatted text', async () => {
  const { project, session } = await start()
  const otherSession = await project.session()
  // Some models restart their call ids in each message.
  const writeAs0 = (name: string, content: string) => ({ ...write(project, name, content), id: 'call_0' })
  const turns = [
    session.turn('go', writeAs0('ids/a.js', 'a=1\n')),
    otherSession.turn('go', writeAs0('ids/b.js', 'a=1\n')),
  ]
  expect((await Promise.all(turns)).map((turn) => shownTexts(turn))).toEqual([['a = 1\n'], ['a = 1\n']])
  const laterTurn = await session.turn('go', writeAs0('ids/a.js', 'a=2\n'), writeAs0('ids/a.js', 'a=1\n'))
  const texts = ['a = 1\n', 'a = 2\n', 'a = 1\n']
  expect(shownTexts(laterTurn)).toEqual(texts)
  expect((await storedArgs(session)).map(newTextOf)).toEqual(texts)
})

story('with format_on_save: false, an edit fails after the host formatted its file', async () => {
  const { project, session } = await startProject({ ...withFormatOnSave(false), formatter })
  const calls = [write(project, 'x.txt', 'a=1\nb=2\n'), edit(project, 'x.txt', 'a=1', 'a=3')]
  const turn = await session.turn('go', ...calls)
  expect(turn.outputs[1]).toContain('Could not find oldString')
  expect(await project.read('x.txt')).toBe('a = 1\nb = 2\n')
  expect(shownTexts(turn)).toEqual(['a=1\nb=2\n', 'a=3'])
})
