/** Stories of formatters that also change other files, and of commands that run at the end of a turn. */
import { expect } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { PATCH_MODEL, sharedHost } from '../harness/host.ts'
import { callsIn } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { bash, edit, patch, read, startProject, startShared, undo, waitForFile, write } from './session.ts'
import { ADD_SPACES, configOf, FORMAT, withFormatOnSave } from './settings.ts'
import {
  argsIn,
  formattedNote,
  notesAtStart,
  notesBelow,
  shownArgs,
  shownTexts,
  storedArgs,
} from './shown.ts'

const BEYOND_WRITTEN_FILE = withFormatOnSave({
  // Formats the modules that `src/main.rs` names, as cargo fmt does.
  '*.rs': `for name in $(sed -n 's/^mod \\(.*\\);/\\1/p' src/main.rs); do ${ADD_SPACES} src/$name.rs; done`,
  'read/all.js': `for file in read/*.js; do ${ADD_SPACES} $file; done`,
  'read/*.js': `sleep 0.3; ${FORMAT}`,
  'gone/*.js': 'test -e gone/all || exit 0; rm gone/a.js; : > gone/b.js',
})

const AT_TURN_END = withFormatOnSave({
  when: 'turn',
  'once/*.js': `printf 'run\\n' >> once/runs.txt; ${FORMAT}; sleep 0.3`,
  'beyond/*.js': "sed -i 's/$/;/' beyond/*",
  '*.js': FORMAT,
  '*.broken': 'echo no parser; exit 2; {path}',
  '*.ts': { command: FORMAT, when: 'save' },
})

story('if a command formats all files, earlier writes are corrected and reads get a note', async () => {
  const files = { 'src/main.rs': '', 'src/read.rs': 'first\nread=1\n', 'src/unread.rs': 'unread=1\n' }
  const { project, session } = await startShared(BEYOND_WRITTEN_FILE, files)
  const otherSession = await project.session()
  await otherSession.turn('go', write(project, 'src/other.rs', 'o=1\n'))

  const turn = await session.turn(
    'go',
    write(project, 'src/module.rs', 'a=1\nb=2\n'),
    [edit(project, 'src/module.rs', 'b=2', 'b=3'), read(project, 'src/read.rs')],
    write(project, 'src/main.rs', 'mod module;\nmod read;\nmod unread;\n'),
    (request) => [
      edit(project, 'src/main.rs', 'mod unread;', 'mod other;'),
      edit(project, 'src/module.rs', argsIn(request, 'module.rs').at(-1)!.newString!, 'b = 4'),
    ],
  )
  expect(shownTexts(turn, 'module.rs')).toEqual(['a = 1\nb=2\n', 'b = 3', 'b = 4'])
  expect(await storedArgs(session)).toContainEqual(expect.objectContaining({ newString: 'b = 3' }))
  expect(await project.read('src/module.rs')).toBe('a = 1\nb = 4\n')
  const [mainWrite, , moduleEdit] = turn.outputs.slice(-3)
  expect(moduleEdit).toBe('Edit applied successfully.')
  const readHunk = '@@ -1,2 +1,2 @@\n first\n-read=1\n+read = 1'
  expect(notesBelow(mainWrite!)).toBe(formattedNote('src/read.rs', readHunk))

  const [otherCall] = callsIn((await otherSession.turn('go')).requests[0]!)
  expect(otherCall).toMatchObject({ args: { content: 'o = 1\n' }, output: 'Wrote file successfully.' })
  expect(await project.read('src/other.rs')).toBe('o = 1\n')
})

story('notes report files that another session formatted, in the order of the reads', async () => {
  const files = { 'attached.js': 'g=1\n', 'read.js': 'a=1\nb=1\n', 'both.js': 'a=1\nb=1\nc=1\n' }
  const inFolder = Object.entries(files).map(([name, text]) => [`read/${name}`, text])
  const { project, session } = await startShared(BEYOND_WRITTEN_FILE, Object.fromEntries(inFolder))
  const otherSession = await project.session()
  const url = String(pathToFileURL(project.path('read/attached.js')))
  const attached = { type: 'file', mime: 'text/plain', filename: 'read/attached.js', url }
  const reads = ['read/read.js', 'read/both.js'].map((file) => read(project, file))
  await otherSession.turnAs({ parts: [attached] }, 'go', ...reads)

  await session.turn(
    'go',
    edit(project, 'read/both.js', 'a=1', 'a=2'),
    [edit(project, 'read/both.js', 'b = 1', 'b=2'), write(project, 'read/all.js', 'all=1\n')],
  )

  const lastCall = callsIn((await otherSession.turn('go')).requests[0]!).at(-1)!
  expect(lastCall.output).toEndWith([
    '',
    formattedNote('read/attached.js', '@@ -1,1 +1,1 @@\n-g=1\n+g = 1'),
    formattedNote('read/read.js', '@@ -1,2 +1,2 @@\n-a=1\n-b=1\n+a = 1\n+b = 1'),
    'read/both.js now differs from what you saw:\n@@ -1,3 +1,3 @@\n-a=1\n-b=1\n-c=1\n+a = 2\n+b = 2\n+c = 1',
  ].join('\n\n'))
})

story('if a command removes or empties a file, a note reports it, and the call stays unchanged', async () => {
  const { project, session } = await startShared(BEYOND_WRITTEN_FILE)
  const writeInGone = (name: string) => write(project, `gone/${name}`, 'x=1\n')
  const turn = await session.turn('go', ['a.js', 'b.js'].map(writeInGone), ['all', 'c.js'].map(writeInGone))
  expect(shownTexts(turn)).toEqual(Array(4).fill('x=1\n'))
  expect(notesBelow(turn.outputs.at(-1)!).split('\n\n').toSorted())
    .toEqual(['a', 'b'].map((name) => `gone/${name}.js is empty, gone or unreadable now.`))
})

story('a file that the model itself removes is not reported as removed by the formatter', async () => {
  const { project, session } = await startShared(AT_TURN_END)
  const writes = ['removed.js', 'removed.ts'].map((name) => write(project, name, 'a=1\n'))
  const remove = (name: string) => bash(`until [ -s ${name} ]; do sleep 0.1; done; sleep 0.5; rm ${name}`)
  const turn = await session.turn('go', [...writes, remove('removed.ts')], remove('removed.js'))
  expect(turn.outputs.slice(0, 2).map(notesBelow)).toEqual(['', ''])
  expect(notesAtStart(await session.turn('go'))).toEqual([''])
})

story('"when": "turn" formats once after the turn, and only adds notes to the next request', async () => {
  const files = { 'once/old.js': 'old=1\nlast=1\n', 'beyond/read.txt': 'r=1\n' }
  const { project, session } = await startShared(AT_TURN_END, files)
  const turn = await session.turn(
    'go',
    [write(project, 'once/a.js', 'import=1\nb=2\n'), write(project, 'once/b.ts', 'b=2\n')],
    [edit(project, 'once/a.js', 'import=1', 'import=2'), edit(project, 'once/old.js', 'last=1', 'last=2')],
    // The command for `beyond/*.js` also changes the other files in `beyond`.
    [write(project, 'beyond/a.txt', 'a=1\n'), write(project, 'beyond/b.ts', 'b=1\n')],
    [read(project, 'beyond/read.txt'), write(project, 'beyond/c.js', 'c=1\n')],
  )
  expect(turn.outputs.join()).not.toContain('formatted')
  const texts = ['import=1\nb=2\n', 'b = 2\n', 'import=2', 'last=2', 'a=1\n', 'b = 1\n', undefined, 'c=1\n']
  expect(shownTexts(turn)).toEqual(texts)

  const before = turn.requests.at(-1)!.messages
  const nextTurn = await session.turn('go', (request) => {
    expect(readFileSync(project.path('once/runs.txt'), 'utf8')).toBe('run\nrun\n')
    expect(request.messages.slice(0, before.length)).toEqual(before)
    return edit(project, 'once/a.js', 'import = 2', 'import = 3')
  })
  expect(notesAtStart(nextTurn)).toEqual([
    formattedNote('beyond/a.txt', '@@ -1,1 +1,1 @@\n-a=1\n+a=1;'),
    formattedNote('beyond/b.ts', '@@ -1,1 +1,1 @@\n-b = 1\n+b = 1;'),
    formattedNote('beyond/c.js', '@@ -1,1 +1,1 @@\n-c=1\n+c=1;'),
    formattedNote('beyond/read.txt', '@@ -1,1 +1,1 @@\n-r=1\n+r=1;'),
    formattedNote('once/a.js', '@@ -1,2 +1,2 @@\n-import=2\n-b=2\n+import = 2\n+b = 2'),
    formattedNote('once/old.js', '@@ -1,2 +1,2 @@\n-old=1\n-last=2\n+old = 1\n+last = 2'),
  ])
  expect(nextTurn.outputs).toEqual(['Edit applied successfully.'])
  expect(await project.read('once/a.js')).toBe('import = 3\nb = 2\n')
  expect(await project.read('once/old.js')).toBe('old = 1\nlast = 2\n')
})

story('"when": "turn" formats at the end of the turn, not when its subagent ends', async () => {
  const { project, session } = await startShared(AT_TURN_END)
  const prompt = 'Edit the shared file'
  const { model } = await sharedHost()
  model.scriptChild(prompt, [
    read(project, 'shared.js'),
    edit(project, 'shared.js', 'a=1', 'a=3'),
    write(project, 'child.js', 'c=1\n'),
  ])
  const { outputs } = await session.turn(
    'go',
    write(project, 'shared.js', 'a=1\nb=2\n'),
    { tool: 'task', args: { description: 'edits', prompt, subagent_type: 'general' } },
    edit(project, 'shared.js', 'b=2', 'b=4'),
  )
  expect(outputs.at(-1)).toBe('Edit applied successfully.')
  await waitForFile(project, 'shared.js', 'a = 3\nb = 4\n')
  await waitForFile(project, 'child.js', 'c = 1\n')
})

story(
  "notes do not report a person's change as formatting, and show a failed formatter's output only once",
  async () => {
    const { project, session } = await startShared(AT_TURN_END)
    const writeAndRead = (name: string) => [write(project, name, 'a=1\n'), read(project, name)]
    await session.turn('go', ...['early.js', 'late.js', 'x.broken'].flatMap(writeAndRead), () => {
      // The formatter runs only after this write.
      writeFileSync(project.path('early.js'), 'early=1\n')
      return 'end'
    })
    await waitForFile(project, 'late.js', 'a = 1\n')
    // The formatter's process ends soon after it has written the file.
    await Bun.sleep(500)
    writeFileSync(project.path('late.js'), 'late\n')
    expect(notesAtStart(await session.turn('go', ...writeAndRead('x.broken')))).toEqual([
      'early.js now differs from what you saw:\n@@ -1,1 +1,1 @@\n-a=1\n+early = 1',
      'late.js now differs from what you saw:\n@@ -1,1 +1,1 @@\n-a=1\n+late',
      'x.broken was not formatted: `echo no parser; exit 2; {path}` failed (status 2):\nno parser',
    ])
    expect(notesAtStart(await session.turn('go')))
      .toEqual([expect.stringMatching(/^x\.broken is still not .*, with the same output\.$/)])
  },
)

story('formatting at the end of a turn is reported to each session that knows the file', async () => {
  const { project, session } = await startShared(AT_TURN_END)
  const { session: patchingSession } = await startShared(AT_TURN_END, {}, PATCH_MODEL)
  await session.turn('go', write(project, 'both.js', 'a=1\nb=1\n'))
  const call = patch('*** Update File: both.js', '@@', ' a = 1', '-b = 1', '+b=2', '+c=2')
  await patchingSession.turn('go', call)
  // The model does not see an ignored message, so a note in it would be lost.
  const ignored = { noReply: true, parts: [{ type: 'text', text: 'x', ignored: true }] }
  await project.http('POST', `/session/${session.id}/message`, ignored)

  const patchingTurn = await patchingSession.turn('go')
  expect(argsIn(patchingTurn.requests[0]!)).toEqual([call.args])
  const patchingHunk = '@@ -1,3 +1,3 @@\n a = 1\n-b=2\n-c=2\n+b = 2\n+c = 2'
  expect(notesAtStart(patchingTurn)).toEqual([formattedNote('both.js', patchingHunk)])
  const hunk = '@@ -1,2 +1,3 @@\n-a=1\n-b=1\n+a = 1\n+b = 2\n+c = 2'
  expect(notesAtStart(await session.turn('go'))).toEqual([`both.js now differs from what you saw:\n${hunk}`])
  expect(await project.read('both.js')).toBe('a = 1\nb = 2\nc = 2\n')
})

const formatAll = (extension: string): string =>
  `for file in all/*${extension}; do sed -i 's/ *= */ = /; s/;*$/;/' $file; done`
const LOG_AND_FORMAT = `echo begins {path} >> log; ${formatAll('.css')}; sleep 0.2; echo ends >> log`

const HOST_FORMATTERS = configOf('host', [
  { command: formatAll('.ts'), extensions: ['.ts'] },
  { command: LOG_AND_FORMAT, extensions: ['.css'] },
])

story('an edit applies after another call formatted its file, and a note shows the new lines', async () => {
  const others = ['b.ts', 'c.css', 'd.css', 'e.css'].map((name) => [`all/${name}`, `${name[0]}=1\n`])
  const files = { 'all/a.ts': 'a=1\nb=1\n', ...Object.fromEntries(others) }
  const { project, session } = await startProject({ ...HOST_FORMATTERS, snapshot: true }, { files })
  const textsOf = (...names: Array<string>) => Promise.all(names.map((name) => project.read(`all/${name}`)))
  const turn = await session.turn(
    'go',
    ['all/a.ts', 'all/c.css', 'all/e.css'].map((file) => read(project, file)),
    [edit(project, 'all/b.ts', 'b=1', 'b=2'), edit(project, 'all/a.ts', 'a=1', 'a=2')],
  )
  // Reads have no new text.
  expect(shownTexts(turn).filter(Boolean)).toEqual(['b = 2;', 'a = 2;'])
  expect(await textsOf('a.ts')).toEqual(['a = 2;\nb = 1;\n'])
  expect(await storedArgs(session)).toEqual(shownArgs(turn))
  const note = formattedNote('all/a.ts', '@@ -1,2 +1,2 @@\n a = 2;\n-b=1\n+b = 1;')
  expect(turn.outputs.slice(3).map(notesBelow)).toEqual(['', note])

  const d = '*** Update File: all/d.css'
  const patched = await session.turnAs({ model: PATCH_MODEL }, 'patch', [
    patch(d, '@@', '-d=1', '+d=2'),
    patch(d, '@@', '-d=2', '+d=3', '*** Update File: all/c.css', '@@', '-c=1', '+c=2'),
  ])
  expect(patched.outputs[1]).toStartWith('Success')
  expect(await textsOf('c.css', 'd.css')).toEqual(['c = 2;\n', 'd = 3;\n'])
  expect(patched.outputs.join()).toContain(formattedNote('all/e.css', '@@ -1,1 +1,1 @@\n-e=1'))

  await undo(session)
  expect(await textsOf('a.ts', 'd.css')).toEqual(['a = 2;\nb = 1;\n', 'd=1\n'])
})

story('if a formatter of the host changes other files, its later runs do not overlap', async () => {
  const { project, session } = await startProject(HOST_FORMATTERS, { files: { 'all/c.css': 'c=1\n' } })
  const [first, ...others] = ['d', 'f', 'g'].map((name) => write(project, `all/${name}.css`, `${name}=1\n`))
  await session.turn('go', read(project, 'all/c.css'), first!, others)
  expect(await project.read('log')).toMatch(/^(begins .*\nends\n){3}$/)
})

story(
  "a person's change stays if the host formats the whole project for another call meanwhile",
  async () => {
    const script = `touch begun; until [ -e go ]; do sleep 0.05; done; ${ADD_SPACES} *.js`
    const config = configOf('host', [{ command: script, extensions: ['.js'] }])
    const { project, session } = await startProject(config, {
      files: { 'a.js': 'top\nend\n', 'b.js': 'end\n' },
    })
    await session.turn('look', ['a.js', 'b.js'].map((name) => read(project, name)))
    const turn = session.turn('go', ['b.js', 'a.js'].map((name) => edit(project, name, 'end', 'call=1')))
    await waitForFile(project, 'begun')
    project.write('a.js', '// mine\ntop\nend\n')
    project.write('go', '')
    const { outputs } = await turn
    expect(await project.read('a.js')).toBe('// mine\ntop\ncall = 1\n')
    expect(outputs[1]).toContain('a.js may differ from what you saw')
  },
)
