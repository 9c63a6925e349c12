import { expect } from 'bun:test'
import { chmodSync } from 'node:fs'
import { CHECKOUT, sharedHost } from '../harness/host.ts'
import { logged } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import { argsIn, edit, reached, seenTexts, startBeside, stored, write } from './session.ts'

const SPACES = "sed -i 's/ *= */ = /'"

/** Formatters that take their arguments as the real ones do, and do their work with less. */
const INSTALLED = {
  prettier:
    `test "$1" = --write && test $# = 2 || { echo "Usage: prettier [options] [file/dir/glob ...]"; exit 1; }
${SPACES} "$2"`,
  taplo: `test "$1" = format && test $# = 2 || { echo "error: no files"; exit 1; }
${SPACES} "$2"`,
  cargo: `test "$1" = fmt && test $# = 1 || { echo "error: unexpected argument '$2' found"; exit 2; }
${SPACES} src/*.rs`,
}

const LINT = `${SPACES} {path}; exit 1`

const hostFormatter = (script: string, ...extensions: Array<string>) => ({
  command: ['sh', '-c', script, 'sh', '$FILE'],
  extensions,
})

/** A session in the project of these stories; each has files of its own there. */
const start = async (files: Record<string, string> = {}) => {
  const format_on_save = {
    'saved.js': 'touch begun; until [ -e saved ]; do sleep 0.05; done; exit 1',
    'large.js': `${SPACES} {path}`,
    'all/**/*.js': `printf 'run\\n' >> runs.txt; ${SPACES} all/*.js`,
    'ids/*.js': `sleep 0.3; ${SPACES} {path}`,
    'lint/*.js': { command: LINT, ok: [0, 1] },
    'lint/*.ts': LINT,
    'own/*.css': `${SPACES} {path}`,
    '*.rs': 'cargo fmt',
    '*.toml': 'taplo format',
    '*.{js,ts,json}': 'prettier --write',
    '*.scss': 'cd . && prettier --write',
    '*.none': 'no-such-formatter {path}',
  }
  const formatter = {
    lint: hostFormatter(`${SPACES} "$1"; exit 1`, '.css', '.md'),
    large: hostFormatter(`${SPACES} "$1"`, '.txt'),
  }
  const { project, session } = await startBeside(
    { plugin: [[CHECKOUT, { format_on_save }]], formatter },
    files,
  )
  for (const [name, script] of Object.entries(INSTALLED)) {
    project.write(`node_modules/.bin/${name}`, `#!/bin/sh\n${script}\n`)
    chmodSync(project.path(`node_modules/.bin/${name}`), 0o755)
  }
  return { project, session }
}

/** What is shown by files that a model writes, all of which are formatted. */
const WRITTEN: Array<[string, Array<string>]> = [
  ['a command without a placeholder gets the path at its end', ['a.toml', 'a.js', 'a b.ts', 'a.json']],
  ['a command without a placeholder formats the whole project', ['src/a.rs']],
  ['exits that a command names keep what it did', ['lint/a.js']],
  ["the host's formatters that SAT runs, and those that it does not, keep what they did", [
    'a.css',
    'own/a.css',
    'a.md',
  ]],
  ['a hostile file name is only a name', [
    '; $(touch hacked) "it\'s" && `touch hacked`.js',
    '-i.js',
    'two\nlines.js',
    '*.js',
  ]],
]

for (const [what, names] of WRITTEN) {
  story(what, async () => {
    const { project, session } = await start()
    const turn = await session.turn('go', names.map((name) => write(project, name, 'x=1\n')))
    for (const name of names) expect(await project.read(name)).toBe('x = 1\n')
    expect(seenTexts(turn)).toEqual(names.map(() => 'x = 1\n'))
    expect(turn.outputs).toEqual(names.map(() => 'Wrote file successfully.'))
    await expect(project.read('hacked')).rejects.toThrow()
  })
}

story(
  'a command that fails is reported, one that is not there is not; where it formats nothing the log says what to add',
  async () => {
    const { project, session } = await start()
    const names = ['lint/a.ts', 'a.scss', 'a.none']
    const turn = await session.turn('go', names.map((name) => write(project, name, 'a=1\n')))
    expect(seenTexts(turn)).toEqual(['a = 1\n', 'a=1\n', 'a=1\n'])
    for (const output of turn.outputs.slice(0, 2)) expect(output).toContain('failed (status 1)')
    expect(turn.outputs[2]).toBe('Wrote file successfully.')
    expect(await logged(await sharedHost(), project.path('a.scss'), 'put {path} where')).toHaveLength(1)
    const formatters = await project.http<Array<{ name: string; extensions: Array<string> }>>(
      'GET',
      '/formatter',
    )
    expect(formatters.find(({ name }) => name === 'lint')?.extensions).toEqual(['.md'])
  },
)

story('a whole-project command runs once for files that are written at once', async () => {
  const { project, session } = await start({ 'all/old.js': 'old=1\n' })
  const names = ['all/a.js', 'all/b.js']
  const turn = await session.turn(
    'go',
    names.map((name) => write(project, name, 'x=1\n')),
    (request) => edit(project, 'all/a.js', argsIn(request)[0]!.content!, 'y=2\n'),
  )
  expect(seenTexts(turn)).toEqual(['x = 1\n', 'x = 1\n', 'y = 2\n'])
  expect(await project.read('all/old.js')).toBe('old = 1\n')
  expect(await project.read('runs.txt')).toBe('run\nrun\n')
})

story('what a person saved while a formatter failed is there', async () => {
  const { project, session } = await start()
  const going = session.turn('go', write(project, 'saved.js', 'mine\n'))
  await reached(project, 'begun')
  project.write('saved.js', 'what the person wrote\n')
  project.write('saved', '')
  await going
  expect(await project.read('saved.js')).toBe('what the person wrote\n')
  expect(await logged(await sharedHost(), project.path('saved.js'), 'somebody else may have changed'))
    .toHaveLength(1)
})

story('a file of the worktree outside the folder of the session is formatted', async () => {
  const format_on_save = { 'b/*.js': `${SPACES} {path}`, '*.ts': `${SPACES} {path}` }
  const host = await sharedHost()
  const project = host.project({
    files: { 'a/x.txt': '', 'b/x.txt': '' },
    config: { plugin: [[CHECKOUT, { format_on_save }]] },
    git: true,
  })
  const inside = host.project({ directory: project.path('a') })
  const turn = await (await inside.session()).turn(
    'go',
    ['b/y.ts', 'b/y.js', 'c/y.js'].map((name) => write(project, name, 'a=1\n')),
  )
  expect(seenTexts(turn)).toEqual(['a = 1\n', 'a = 1\n', 'a=1\n'])
})

story('a file that is too large is left as it was written, and the log says why', async () => {
  // The host itself compares the lines of both texts: few of them may differ.
  const large = `${'x '.repeat(5_000)}\n`.repeat(1_100) + 'last=1\n'
  const names = ['large.js', 'large.txt']
  const { project, session } = await start(Object.fromEntries(names.map((name) => [name, large])))
  const turn = await session.turn('go', names.map((name) => edit(project, name, 'last=1', 'last=2')))
  expect(turn.outputs).toEqual([
    'Edit applied successfully.\n\nlarge.js may differ from what you saw; read it again before you edit its other lines.',
    'Edit applied successfully.\n\nlarge.txt may differ from what you saw; read it again before you edit its other lines.',
  ])
  expect(await project.read('large.js')).toEndWith('\nlast=2\n')
  expect(await project.read('large.txt')).toEndWith('\nlast = 2\n')
  expect(await logged(await sharedHost(), project.path('large.js'), 'at most 10000000 are read'))
    .toHaveLength(1)
})

story('calls of the same id in two sessions, and in two turns of one, are each corrected', async () => {
  const { project } = await start()
  const [session, other] = [await project.session(), await project.session()]
  // Some models restart their call ids with each turn.
  const named = (name: string, content: string) => ({ ...write(project, name, content), id: 'call_0' })
  const [mine, others] = await Promise.all([
    session.turn('go', named('ids/a.js', 'a=1\n')),
    other.turn('go', named('ids/b.js', 'a=1\n')),
  ])
  expect([seenTexts(mine), seenTexts(others)]).toEqual([['a = 1\n'], ['a = 1\n']])
  const texts = ['a = 1\n', 'a = 2\n', 'a = 1\n']
  const again = await session.turn('go', named('ids/a.js', 'a=2\n'), named('ids/a.js', 'a=1\n'))
  expect(seenTexts(again)).toEqual(texts)
  expect((await stored(session)).map(({ content }) => content)).toEqual(texts)
  expect((await stored(other)).map(({ content }) => content)).toEqual(['a = 1\n'])
})
