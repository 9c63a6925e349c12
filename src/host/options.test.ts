import { expect, test } from 'bun:test'
import { readOptions } from './options.ts'

const COMMAND = { command: 'eslint --fix', ok: [0, 1], when: 'save' }
const FORMATS = { when: 'turn', '*.js': COMMAND, '*.+(ts|tsx)': 'fmt {path}' }
const VALID = { rules: false, debug: true, format_on_save: FORMATS }

/** The options of an entry, the faults that are reported, and the options that remain. */
const CASES: Array<[entry: unknown, faults: Array<RegExp>, remaining: unknown]> = [
  [null, [], {}],
  ['rules', [/^options: expected an object$/], {}],
  [{ formatOnSave: {} }, [/^formatOnSave: .*"format_on_save"/], {}],
  [{ colour: 1 }, [/^colour: unknown, known here: .*rules.*debug/], {}],
  [{ constructor: 1 }, [/^constructor: unknown/], {}],
  [{ 'x\u001b[2J\n': 1 }, [/^x⟦U\+001B⟧\[2J⟦U\+000A⟧: unknown/], {}],
  [{ debug: 'yes', rules: false }, [
    /^debug: expected true or false; got "yes", such as \{"debug":true\}\. Whether the host's log .*\.$/,
  ], { rules: false }],
  [
    { rules: true },
    [/^rules: expected false, or an object with "directories", such as \{"rules":\{"directories":\["docs\/rules"\]\}\}$/],
    {},
  ],
  [
    { tools: 'never' },
    [/^tools: expected "always", "commands" or false, such as \{"tools":"commands"\}$/],
    {},
  ],
  [{ rules: { directory: ['a'] } }, [/^rules\.directory: .*"directories"/], {}],
  [{ rules: { directories: ['a', 5, '', 'b'] } }, [
    /^rules\.directories\.1: expected a string; got the number 5$/,
    /^rules\.directories\.2: it is empty$/,
  ], { rules: { directories: ['a', 'b'] } }],
  [
    { format_on_save: true, debug: true },
    [/^format_on_save: expected false, or an object: glob → command, such as \{.*prettier.*\}$/],
    { debug: true },
  ],
  [{ format_on_save: { '*.py': 5, '*.ts': 'fmt {path}' } }, [
    /^format_on_save\.\*\.py: expected a command, or an object with "command"$/,
  ], { format_on_save: { '*.ts': 'fmt {path}' } }],
  [{
    format_on_save: {
      when: 'idle',
      '*.js': { comand: 'fmt' },
      '*.ts': { command: 'fmt', ok: 1 },
      '*.md': { command: ' ' },
      '*.go': 'gofmt -w',
    },
  }, [
    /^format_on_save\.when: expected one of save, turn; got "idle"$/,
    /^format_on_save\.\*\.js\.command: missing, expected a string$/,
    /^format_on_save\.\*\.js\.comand: unknown, did you mean "command"\?$/,
    /^format_on_save\.\*\.ts\.ok: expected a list; got the number 1$/,
    /^format_on_save\.\*\.md\.command: it is empty$/,
  ], { format_on_save: { '*.go': 'gofmt -w' } }],
  [VALID, [], VALID],
]

test.each(CASES)('options %j', (entry, faults, remaining) => {
  const read = readOptions(entry)
  expect<unknown>(read.options).toEqual(remaining)
  expect(read.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)))
})
