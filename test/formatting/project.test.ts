/** Commands that change files after the calls that wrote them: for the whole project, or when the turn has ended. */
import { expect } from 'bun:test'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { hostBinary } from '../harness/host-process.ts'
import { CHECKOUT, type Project, type Session, sharedHost } from '../harness/host.ts'
import { type Call, type ModelRequest, textOf } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import { argsIn, edit, seenTexts, startWith, stored, write } from './session.ts'

const SPACES = "sed -i 's/ *= */ = /'"

const startCommands = (format_on_save: Record<string, unknown>, files: Record<string, string> = {}) =>
  startWith({ plugin: [[CHECKOUT, { format_on_save }]] }, { files })

const toolResults = (request: ModelRequest) =>
  request.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)

const read = (project: Project, file: string) => ({ tool: 'read', args: { filePath: project.path(file) } })

story(
  'every file that the model was shown and a whole-project command changed is corrected or reported',
  async () => {
    // As cargo fmt does it: a module is formatted once the crate names it.
    const { project, session } = await startCommands({
      '*.rs':
        `for file in $(cat src/main.rs | sed -n 's/^mod \\(.*\\);/\\1/p'); do ${SPACES} src/$file.rs; done`,
    }, { 'src/main.rs': '', 'src/shown.rs': 'first\nshown=1\n', 'src/never.rs': 'never=1\n' })
    const turn = await session.turn(
      'go',
      write(project, 'src/module.rs', 'a=1\nb=2\n'),
      edit(project, 'src/module.rs', 'b=2', 'b=3'),
      read(project, 'src/shown.rs'),
      write(project, 'src/main.rs', 'mod module;\nmod shown;\nmod never;\n'),
      (request) => {
        const [, edited] = argsIn(request)
        expect(edited!.newString).toBe('b = 3')
        return edit(project, 'src/module.rs', edited!.newString!, 'b = 4')
      },
    )
    expect(turn.outputs.at(-1)).toBe('Edit applied successfully.')
    expect(await project.read('src/module.rs')).toBe('a = 1\nb = 4\n')
    expect(seenTexts(turn).slice(0, 2)).toEqual(['a = 1\nb=2\n', 'b = 3'])
    expect(turn.outputs[3]).toBe(
      'Wrote file successfully.\n\nsrc/shown.rs was formatted and differs from what you saw:\n@@ -1,2 +1,2 @@\n first\n-shown=1\n+shown = 1',
    )
    // What another session knows is reported there, with its last call.
    const other = await project.session()
    await other.turn('go', write(project, 'src/other.rs', 'o=1\n'))
    await session.turn('go', edit(project, 'src/main.rs', 'mod never;', 'mod other;'))
    const after = await other.turn(
      'go',
      (request) => edit(project, 'src/other.rs', argsIn(request)[0]!.content!, 'p'),
    )
    expect(after.outputs).toEqual(['Edit applied successfully.'])
    expect(await stored(session)).toContainEqual(expect.objectContaining({ newString: 'b = 3' }))
  },
)

story(
  'a session that only read a file gets a note on its formatting by another, after what it saw last',
  async () => {
    const { project, session } = await startCommands({
      'all.js': `for file in *.js; do ${SPACES} $file; done`,
      '*.js': `sleep 0.3; ${SPACES} {path}`,
    }, { 'read.js': 'a=1\nb=1\n', 'given.js': 'g=1\n', 'both.js': 'a=1\nb=1\nc=1\n' })
    const given = { type: 'file', mime: 'text/plain', filename: 'given.js' }
    const other = await project.session()
    await other.turnAs(
      { parts: [{ ...given, url: String(pathToFileURL(project.path('given.js'))) }] },
      'go',
      write(project, 'other.txt', 'o=1\n'),
      read(project, 'read.js'),
      read(project, 'both.js'),
    )
    const turn = await session.turn(
      'go',
      // What is read next to an edit is reported once it is formatted.
      [edit(project, 'both.js', 'a=1', 'a=2'), read(project, 'both.js')],
      edit(project, 'both.js', 'b = 1', 'b=2'),
      write(project, 'all.js', 'all=1\n'),
    )
    expect(turn.outputs[0]).toContain('both.js was formatted and differs')
    const [written, , last] = toolResults((await other.turn('go')).requests[0]!)
    expect(written).toBe('Wrote file successfully.')
    expect(last).toEndWith([
      '',
      'given.js was formatted and differs from what you saw:\n@@ -1,1 +1,1 @@\n-g=1\n+g = 1',
      'read.js was formatted and differs from what you saw:\n@@ -1,2 +1,2 @@\n-a=1\n-b=1\n+a = 1\n+b = 1',
      'both.js was formatted and differs from what you saw:\n@@ -1,3 +1,3 @@\n-a=1\n-b=1\n-c=1\n+a = 2\n+b = 2\n+c = 1',
    ].join('\n\n'))
  },
)

story('a file that a whole-project command removes or empties is reported, not corrected', async () => {
  const { project, session } = await startCommands({
    '*.js': 'test -e all || exit 0; rm a.js; : > b.js',
  })
  const turn = await session.turn(
    'go',
    ...['a.js', 'b.js', 'all', 'c.js'].map((name) => write(project, name, 'x=1\n')),
  )
  expect(seenTexts(turn)).toEqual(Array.from({ length: 4 }, () => 'x=1\n'))
  expect(turn.outputs.at(-1)).toBe(
    ['a.js', 'b.js'].reduce(
      (output, name) => `${output}\n\n${name} was emptied, removed or made unreadable by the formatter.`,
      'Wrote file successfully.',
    ),
  )
})

story('a file that the model itself removes is not reported as one that its formatter removed', async () => {
  const { project, session } = await startCommands({
    '*.js': { command: `${SPACES} {path}`, when: 'turn' },
    '*.ts': `${SPACES} {path}`,
  })
  const remove = (name: string): Call => ({
    tool: 'bash',
    args: { command: `until [ -s ${name} ]; do sleep 0.1; done; sleep 0.5; rm ${name}`, description: 'x' },
  })
  const turn = await session.turn('go', write(project, 'a.js', 'a=1\n'), [
    write(project, 'b.ts', 'b=1\n'),
    remove('b.ts'),
  ], remove('a.js'))
  expect(turn.outputs.slice(0, 2)).toEqual(['Wrote file successfully.', 'Wrote file successfully.'])
  const [request] = (await session.turn('go on')).requests
  expect(textOf(request!.messages.at(-1)!)).toBe('go on')
})

story('"when": "turn" formats once when the session is idle, before the next request', async () => {
  const { project, session } = await startCommands({
    '*.js': { command: `printf 'run\\n' >> runs.txt; ${SPACES} {path}; sleep 0.3`, when: 'turn' },
    '*.ts': `${SPACES} {path}`,
  }, { 'old.js': 'old=1\nlast=1\n' })
  const turn = await session.turn(
    'go',
    write(project, 'a.js', 'import=1\nb=2\n'),
    write(project, 'b.ts', 'b=2\n'),
    edit(project, 'a.js', 'import=1', 'import=2'),
    edit(project, 'old.js', 'last=1', 'last=2'),
  )
  // Nothing was formatted under the model's hands.
  expect(turn.outputs.filter((output) => output.includes('formatted'))).toEqual([])
  expect(seenTexts(turn)).toEqual(['import=1\nb=2\n', 'b = 2\n', 'import=2', 'last=2'])

  const before = turn.requests.at(-1)!.messages
  const next = await session.turn('go', (request) => {
    expect(readFileSync(project.path('runs.txt'), 'utf8')).toBe('run\nrun\n')
    // Earlier messages stay as they were; what was formatted since stands in the person's message.
    expect(request.messages.slice(0, before.length)).toEqual(before)
    expect(textOf(request.messages.at(-1)!)).toBe([
      'go\na.js was formatted and differs from what you saw:\n@@ -1,2 +1,2 @@\n-import=2\n-b=2\n+import = 2\n+b = 2',
      'old.js was formatted and differs from what you saw:\n@@ -1,2 +1,2 @@\n-old=1\n-last=2\n+old = 1\n+last = 2',
    ].join('\n\n'))
    return edit(project, 'a.js', 'import = 2', 'import = 3')
  })
  expect(next.outputs).toEqual(['Edit applied successfully.'])
  expect(await project.read('a.js')).toBe('import = 3\nb = 2\n')
  expect(await project.read('old.js')).toBe('old = 1\nlast = 2\n')
})

story('what was read after an edit and is formatted at the end of the turn is reported, too', async () => {
  const { project, session } = await startCommands({ when: 'turn', '*.js': `${SPACES} {path}` }, {
    'a.js': 'a=1\nb=1\n',
  })
  await session.turn(
    'go',
    edit(project, 'a.js', 'a=1', 'a=2'),
    read(project, 'a.js'),
    edit(project, 'a.js', 'b=1', 'b=2'),
  )
  const [request] = (await session.turn('go')).requests
  expect(argsIn(request!).map(({ newString }) => newString)).toEqual(['a=2', undefined, 'b=2'])
  expect(textOf(request!.messages.at(-1)!)).toEndWith('\n-a=2\n-b=2\n+a = 2\n+b = 2')
})

story('"when" next to the patterns holds for all commands without their own', async () => {
  const { project, session } = await startCommands({
    when: 'turn',
    '*.js': `${SPACES} {path}`,
    '*.ts': { command: `${SPACES} {path}`, when: 'save' },
  })
  const turn = await session.turn('go', write(project, 'a.js', 'a=1\n'), write(project, 'a.ts', 'a=1\n'))
  expect(seenTexts(turn)).toEqual(['a=1\n', 'a = 1\n'])
  const next = await session.turn('go')
  expect(argsIn(next.requests[0]!).map(({ content }) => content)).toEqual(['a=1\n', 'a = 1\n'])
  expect(await project.read('a.js')).toBe('a = 1\n')
})

story(
  'at the end of a turn each session that knows the file hears of it, also one that patches',
  async () => {
    const { project, session } = await startCommands({ when: 'turn', '*.js': `${SPACES} {path}` })
    await session.turn('go', write(project, 'a.js', 'a=1\nb=1\n'))
    const patching = await project.session()
    const patchText = '*** Begin Patch\n*** Update File: a.js\n@@\n a = 1\n-b = 1\n+b=2\n+c=2\n*** End Patch'
    await patching.turnAs({ model: 'gpt-5.2' }, 'go', { tool: 'apply_patch', args: { patchText } })
    const [patched, first] = [
      (await patching.turnAs({ model: 'gpt-5.2' }, 'go')).requests[0]!,
      (await session.turn('go')).requests[0]!,
    ]
    expect(await project.read('a.js')).toBe('a = 1\nb = 2\nc = 2\n')
    expect(argsIn(patched)).toEqual([{ patchText }])
    expect(textOf(patched.messages.at(-1)!)).toEndWith('\n-b=2\n-c=2\n+b = 2\n+c = 2')
    expect(textOf(first.messages.at(-1)!)).toEndWith('\n-a=1\n-b=1\n+a = 1\n+b = 2\n+c = 2')
  },
)

/** Plays a turn that a person ends while a command of it runs. */
const playEnded = async (project: Project, session: Session, call: Call): Promise<void> => {
  const going = session.turn('go', call, {
    tool: 'bash',
    args: { command: 'touch reached; sleep 30', description: 'waits' },
  })
  while (!existsSync(project.path('reached'))) await Bun.sleep(50)
  // A person is not that quick, and the host is still writing down that the command runs.
  await Bun.sleep(500)
  await project.http('POST', `/session/${session.id}/abort`)
  await going
}

story('a turn that the person ends is formatted as well, and undone as any other', async () => {
  const { project, session } = await startWith({
    snapshot: true,
    plugin: [[CHECKOUT, { format_on_save: { when: 'turn', '*.js': `${SPACES} {path}` } }]],
  }, { files: { 'a.js': 'a=0\n' } })
  await playEnded(project, session, edit(project, 'a.js', 'a=0', 'a=1'))
  while ((await project.read('a.js')) !== 'a = 1\n') await Bun.sleep(20)
  const asked = (await session.messages()).findLast(({ info }) => info.role === 'user')!
  await project.http('POST', `/session/${session.id}/revert`, { messageID: asked.info.id })
  expect(await project.read('a.js')).toBe('a=0\n')
})

story('the request after a turn that the person ends waits for the formatting', async () => {
  const { project, session } = await startCommands({ when: 'turn', '*.js': `sleep 1; ${SPACES} {path}` })
  await playEnded(project, session, write(project, 'a.js', 'a=1\n'))
  const [request] = (await session.turn('go on')).requests
  expect(textOf(request!.messages.at(-1)!)).toEndWith('\n-a=1\n+a = 1')
})

story(
  'a call that the person ends while its file is formatted gets a note on the other lines, too',
  async () => {
    const { project, session } = await startCommands({
      '*.js': `touch begun; until [ -e ended ]; do sleep 0.05; done; ${SPACES} {path}`,
    }, { 'a.js': 'a=1\nb=1\n' })
    const going = session.turn('go', edit(project, 'a.js', 'a=1', 'a=2'))
    while (!existsSync(project.path('begun'))) await Bun.sleep(20)
    await project.http('POST', `/session/${session.id}/abort`)
    await going
    project.write('ended', '')
    const other = await project.session()
    // It waits until that file is formatted.
    await other.turn('go', edit(project, 'a.js', 'a', 'c'))
    const [request] = (await session.turn('go on')).requests
    expect(argsIn(request!)[0]!.newString).toBe('a = 2')
    expect(toolResults(request!)[0]).toContain('\n-b=1\n+b = 1')
  },
)

story('`opencode run` ends once what waits for the end of its turn is formatted', async () => {
  const { project } = await startCommands({ when: 'turn', '*.js': `sleep 1; ${SPACES} {path}` })
  const { env, model } = await sharedHost()
  model.scriptChild('write the file', [write(project, 'run.js', 'a=1\n'), 'Done.'])
  const child = spawn(hostBinary(), ['run', 'write the file'], {
    cwd: project.directory,
    env,
    stdio: 'ignore',
  })
  await new Promise((resolve) => child.once('exit', resolve))
  expect(await project.read('run.js')).toBe('a = 1\n')
})
