import { expect } from 'bun:test'
import { chmodSync } from 'node:fs'
import { CHECKOUT, sharedHost } from '../harness/host.ts'
import { logged } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import { edit, seenTexts, startBeside, stored, write } from './session.ts'

const SPACES = "sed -i 's/ *= */ = /'"

/** Formatters that take their arguments as the real ones do, and do their work with less. */
const INSTALLED = {
  prettier: `test "$1" = --write && test $# = 2 || exit 1; ${SPACES} "$2"`,
  taplo: `test "$1" = format && test $# = 2 || exit 1; ${SPACES} "$2"`,
  cargo: `test "$1" = fmt && test $# = 1 || exit 2; ${SPACES} src/*.rs`,
}

const LINT = `${SPACES} {path}; exit 1`

const hostFormatter = (script: string, ...extensions: Array<string>) => ({
  command: ['sh', '-c', script, 'sh', '$FILE'],
  extensions,
})

/** A session in the project of these stories; each has files of its own there. */
const start = async (files: Record<string, string> = {}) => {
  const format_on_save = {
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

/** Files that are formatted, each in another way. */
const FORMATTED = [
  // A command without a placeholder gets the path at its end.
  ...['a.toml', 'a.js', 'a b.ts', 'a.json'],
  // This one formats the whole project.
  'src/a.rs',
  // The exits that a command names keep what it did.
  'lint/a.js',
  // The host's formatters that SAT runs, and those that it does not.
  ...['a.css', 'own/a.css', 'a.md'],
  // A hostile file name is only a name.
  ...['; $(touch hacked) "it\'s" && `touch hacked`.js', '-i.js', 'two\nlines.js', '*.js'],
  // A whole-project command runs once for files that are written at once.
  ...['all/a.js', 'all/b.js'],
]

story('a file is formatted by the command that its path finds, whatever that is given', async () => {
  const { project, session } = await start({ 'all/old.js': 'old=1\n' })
  const turn = await session.turn('go', FORMATTED.map((name) => write(project, name, 'x=1\n')))
  for (const name of FORMATTED) expect([name, await project.read(name)]).toEqual([name, 'x = 1\n'])
  expect(seenTexts(turn)).toEqual(FORMATTED.map(() => 'x = 1\n'))
  expect(turn.outputs).toEqual(FORMATTED.map(() => 'Wrote file successfully.'))
  await expect(project.read('hacked')).rejects.toThrow()
  expect(await project.read('all/old.js')).toBe('old = 1\n')
  expect(await project.read('runs.txt')).toBe('run\n')
})

story('a command that fails is reported, one that is not there is not; the log says why', async () => {
  const { project, session } = await start()
  const names = ['lint/a.ts', 'a.scss', 'a.none']
  const turn = await session.turn('go', names.map((name) => write(project, name, 'a=1\n')))
  expect(seenTexts(turn)).toEqual(['a = 1\n', 'a=1\n', 'a=1\n'])
  for (const output of turn.outputs.slice(0, 2)) expect(output).toContain('failed (status 1)')
  expect(turn.outputs[2]).toBe('Wrote file successfully.')
  expect(await logged(await sharedHost(), project.path('a.scss'), 'put {path} where')).toHaveLength(1)
})

story('a file that is too large is left as it was written, and the log says why', async () => {
  // The host itself compares the lines of both texts: few of them may differ.
  const large = `${'x '.repeat(5_000)}\n`.repeat(1_100) + 'last=1\n'
  const names = ['large.js', 'large.txt']
  const { project, session } = await start(Object.fromEntries(names.map((name) => [name, large])))
  const turn = await session.turn('go', names.map((name) => edit(project, name, 'last=1', 'last=2')))
  const unsure = 'may differ from what you saw; read it again before you edit its other lines.'
  expect(turn.outputs).toEqual(names.map((name) => `Edit applied successfully.\n\n${name} ${unsure}`))
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
