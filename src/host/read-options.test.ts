import { expect, test } from 'bun:test'
import { readOptions } from './read-options.ts'

const COMMAND = { command: 'eslint --fix', ok: [0, 1], when: 'save' }
const FORMATTING = { when: 'turn', '*.js': COMMAND, '*.+(ts|tsx)': 'x' }
const VALID = { rules: false, debug: true, format_on_save: FORMATTING }

const withGofmt = (more: object = {}) => ({ format_on_save: { '*.go': 'gofmt -w', ...more } })
const FAULTY_COMMANDS = {
  '*.js': { comand: 'fmt' },
  '*.ts': { command: 'fmt', ok: 1 },
  '*.md': { command: ' ' },
  x: 5,
}

const ACCEPTED_GLOBS = Object.fromEntries(
  `*.{ts,{js,.x}}  a,b.ts  {{name}}.{{ext}}  x.{1..3}  [,.]*  {id}/*.ts  .env  (app)/*.ts  +(a|b)/c  a/!(x|y)
  {a,(x|y)}  \\(a|b)  @(x(a|b)|c)`.split(/\s+/).map((glob) => [glob, 'x']),
)

// `faults` lists how the messages about invalid values begin.
const CASES: Array<[given: unknown, faults: Array<string>, valid: object]> = [
  [null, [], {}],
  [VALID, [], VALID],
  ['rules', ['options: expected an object'], {}],
  [{ formatOnSave: {} }, ['formatOnSave: unknown, did you mean "format_on_save"?'], {}],
  [{ constructor: 1 }, ['constructor: unknown, known here: format_on_save, rules'], {}],
  [{ 'x\u001b[2J\n': 1 }, ['x⟦U+001B⟧[2J⟦U+000A⟧: unknown'], {}],
  [{ debug: 'yes', rules: false }, [
    `debug: expected true or false; got "yes". Example: {"debug":true}. Whether the host's log`,
  ], { rules: false }],
  [{ rules: true }, ['rules: expected false, or an object with "directories". Example: {"rules":{"di'], {}],
  [{ tools: 'x' }, ['tools: expected "always", "commands" or false. Example: {"tools":"commands"}'], {}],
  [{ rules: { directory: ['a'] } }, ['rules.directory: unknown, did you mean "directories"?'], { rules: {} }],
  [{ rules: { directories: ['a', 5, '', 'b'] } }, [
    'rules.directories.1: expected a string; got the number 5',
    'rules.directories.2: it is empty',
  ], { rules: { directories: ['a', 'b'] } }],
  [withGofmt({ when: 'idle' }), ['format_on_save.when: expected one of save, turn; got "idle"'], withGofmt()],
  [withGofmt({ '*.ts, **/*.js': 'x', 'src/*.{vue}': COMMAND, x: 5 }), [
    'format_on_save.x: expected a command',
    'format_on_save.*.ts, **/*.js: it is a list; write one pattern per key',
    'format_on_save.src/*.{vue}: braces need a comma; write src/*.vue',
  ], withGofmt()],
  [withGofmt({ '*.ts *.js': 'x', '*.ts;*.js': 'x', '*.ts|*.js': 'x', '*.{a, b,  c}': 'x', '*.ts ': 'x' }), [
    ...['*.ts *.js', '*.ts;*.js', '*.ts|*.js'].map((glob) =>
      `format_on_save.${glob}: it is a list; write one pattern per key`
    ),
    'format_on_save.*.{a, b,  c}: braces contain a space; write *.{a,b,c}',
    'format_on_save.*.ts : it ends with a space; write *.ts',
  ], withGofmt()],
  [withGofmt({ '*.ts': { command: 'x', ok: [0.5] } }), [
    'format_on_save.*.ts.ok.0: expected a whole number; got the number 0.5',
  ], withGofmt()],
  [withGofmt({ ' *.ts': 'x', '../../lib/*.ts': 'x', '~/*.ts': 'x' }), [
    'format_on_save. *.ts: it begins with a space; write *.ts',
    'format_on_save.../../lib/*.ts: it leads out of the project; write lib/*.ts',
    'format_on_save.~/*.ts: it leads out of the project; write *.ts',
  ], withGofmt()],
  [withGofmt({ 'sub/': 'x', 'src/*.(x|y)': 'x', ['x'.repeat(1_001)]: 'x' }), [
    'format_on_save.sub/: it names a folder; write sub/**',
    'format_on_save.src/*.(x|y): parentheses need a sign such as @ before them; write src/*.@(x|y)',
    `format_on_save.${'x'.repeat(105)}…: a pattern has at most 1000 characters, this one has 1001`,
  ], withGofmt()],
  [withGofmt(ACCEPTED_GLOBS), [], withGofmt(ACCEPTED_GLOBS)],
  [withGofmt(FAULTY_COMMANDS), [
    'format_on_save.*.js.command: missing, expected a string',
    'format_on_save.*.js.comand: unknown, did you mean "command"?',
    'format_on_save.*.ts.ok: expected a list; got the number 1',
    'format_on_save.*.md.command: it is empty',
    'format_on_save.x: expected a command, or an object with "command"',
  ], withGofmt()],
]

test.each(CASES)('in the options %j, invalid values are reported and ignored', (given, faults, valid) => {
  const read = readOptions(given)
  expect<unknown>(read.options).toEqual(valid)
  expect(read.faults.map((fault, index) => fault.slice(0, faults[index]?.length))).toEqual(faults)
})
