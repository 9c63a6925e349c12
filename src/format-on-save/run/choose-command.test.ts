import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { readCommands, toScript } from './choose-command.ts'

const HOSTILE = [
  '/p/plain.js',
  '/p/with space.js',
  "/p/it's.js",
  '/p/a "quoted" name.js',
  '/p/; touch hacked;.js',
  '/p/$(touch hacked).js',
  '/p/`touch hacked`.js',
  '/p/$HOME.js',
  '/p/two\nlines.js',
  '/p/*.js',
  '/p/back\\slash.js',
  '/p/{path}.js',
  '-rf',
]

const PRINT = "printf '%s\\0'"

const COMMANDS: Array<[string, string]> = [
  ['bare', `${PRINT} {path}`],
  ['$FILE', `${PRINT} $FILE`],
  ['${FILE}', `${PRINT} \${FILE}`],
  ['in double quotes', `${PRINT} "{path}"`],
  ['$FILE in double quotes', `${PRINT} "$FILE"`],
  ['in single quotes', `${PRINT} '{path}'`],
  ['$FILE in single quotes', `${PRINT} '$FILE'`],
  ['after an escaped quote', `true \\" \\'; ${PRINT} {path}`],
  ['in a subshell', `(${PRINT} {path})`],
  ['in a substitution', `printf '%s' "$(${PRINT.replace('0', '001')} {path})" | tr '\\001' '\\0'`],
  ['in the script of another shell', `sh -c '${PRINT.replaceAll("'", '"')} {path}'`],
  ['in the script of another shell, quoted', `sh -c '${PRINT.replaceAll("'", '"')} "{path}"'`],
  ['in a script in double quotes', `sh -c "${PRINT} {path}"`],
  ['in a script in double quotes, single-quoted', `sh -c "${PRINT} '{path}'"`],
  ['in a script in double quotes, quoted', `sh -c "${PRINT} \\"{path}\\""`],
]

test.each(COMMANDS)('a file name is only a name: %s', (_, command) => {
  const { script, namesFile } = toScript(command)
  expect(namesFile).toBe(true)
  for (const path of HOSTILE) {
    const env = { ...process.env, FILE: path }
    expect(execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).replaceAll('\0', '')).toBe(path)
  }
})

test.each([
  ['cargo fmt', 'cargo fmt'],
  ['echo $FILENAME {paths}', 'echo $FILENAME {paths}'],
  ["echo '$HOME' \\$FILE", "echo '$HOME' \\$FILE"],
])('a command that names no file runs as it is: %s', (command, expected) => {
  expect(toScript(command)).toEqual({ script: expected, namesFile: false })
})

test.each<[string, Record<string, string>, string | null]>([
  ['src/a.ts', { '*.ts': 'one' }, 'one'],
  ['src/.hidden/.a.ts', { '*.ts': 'one' }, 'one'],
  ['src/a.ts', { 'src/*.ts': 'one', '*.ts': 'two' }, 'one'],
  ['src/a.ts', { '*.ts': 'two', 'src/*.ts': 'one' }, 'two'],
  ['lib/a.ts', { 'src/**': 'one' }, null],
  ['src/deep/a.ts', { './src/**/*.ts': 'one' }, 'one'],
  ['src/a.tsx', { '*.{ts,tsx}': 'one' }, 'one'],
  ['a.js', { '*.ts': 'one' }, null],
  ['../outside/a.ts', { '*.ts': 'one', '**/*.ts': 'two' }, null],
])('%s under %j is formatted by %s', (path, patterns, words) => {
  expect(
    readCommands(patterns, { directory: '/p', worktree: '/' })(new URL(path, 'file:///p/').pathname)?.words
      ?? null,
  ).toBe(words)
})
