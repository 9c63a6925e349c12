import { expect, test } from 'bun:test'
import { readOptions } from './options.ts'

const CASES: Array<{ given: unknown; options: object; faults: Array<RegExp> }> = [
  { given: undefined, options: {}, faults: [] },
  { given: null, options: {}, faults: [] },
  {
    given: { rules: false, debug: true, format_on_save: { '*.ts': 'fmt {path}' } },
    options: { rules: false, debug: true, format_on_save: { '*.ts': 'fmt {path}' } },
    faults: [],
  },
  {
    given: { format_on_save: { '*.+(ts|tsx)': 'fmt' } },
    options: { format_on_save: { '*.+(ts|tsx)': 'fmt' } },
    faults: [],
  },
  { given: 'rules', options: {}, faults: [/^options: expected an object$/] },
  { given: [], options: {}, faults: [/^options: expected an object$/] },
  { given: { formatOnSave: {} }, options: {}, faults: [/^formatOnSave: .*"format_on_save"/] },
  { given: { rule: false }, options: {}, faults: [/^rule: .*"rules"/] },
  { given: { colour: 1 }, options: {}, faults: [/^colour: unknown, known here: .*rules.*debug/] },
  { given: { constructor: 1 }, options: {}, faults: [/^constructor: unknown/] },
  { given: { rules: { directory: ['a'] } }, options: {}, faults: [/^rules\.directory: .*"directories"/] },
  {
    given: { rules: true },
    options: {},
    faults: [/^rules: expected false, or an object with "directories"$/],
  },
  {
    given: { rules: ['a'] },
    options: {},
    faults: [/^rules: expected false, or an object with "directories"$/],
  },
  {
    given: { rules: { directories: 'a' } },
    options: {},
    faults: [/^rules\.directories: Invalid input: expected array, received string$/],
  },
  {
    given: { rules: { directories: ['a'], deep: 1 } },
    options: { rules: { directories: ['a'] } },
    faults: [/^rules\.deep: unknown/],
  },
  {
    given: { rules: { directories: ['a', 5, '', 'b'] } },
    options: { rules: { directories: ['a', 'b'] } },
    faults: [
      /^rules\.directories\.1: Invalid input: expected string, received number$/,
      /^rules\.directories\.2: it is empty$/,
    ],
  },
  {
    given: { format_on_save: true, debug: true },
    options: { debug: true },
    faults: [/^format_on_save: expected false, or an object: glob → command$/],
  },
  {
    given: { format_on_save: { '*.py': 5, '*.ts': 'fmt {path}' } },
    options: { format_on_save: { '*.ts': 'fmt {path}' } },
    faults: [/^format_on_save\.\*\.py: expected a command, or an object with "command"$/],
  },
  {
    given: {
      format_on_save: { when: 'turn', '*.js': { command: 'eslint --fix', ok: [0, 1], when: 'save' } },
    },
    options: {
      format_on_save: { when: 'turn', '*.js': { command: 'eslint --fix', ok: [0, 1], when: 'save' } },
    },
    faults: [],
  },
  {
    given: {
      format_on_save: {
        when: 'idle',
        '*.js': { comand: 'fmt' },
        '*.ts': { command: 'fmt', ok: 1 },
        '*.md': { command: ' ' },
        '*.go': 'gofmt -w',
      },
    },
    options: { format_on_save: { '*.go': 'gofmt -w' } },
    faults: [
      /^format_on_save\.when: Invalid option: expected one of "save"\|"turn"$/,
      /^format_on_save\.\*\.js\.command: Invalid input: expected string, received undefined$/,
      /^format_on_save\.\*\.js\.comand: unknown, did you mean "command"\?$/,
      /^format_on_save\.\*\.ts\.ok: Invalid input: expected array, received number$/,
      /^format_on_save\.\*\.md\.command: it is empty$/,
    ],
  },
  {
    given: { debug: 'yes', rules: false },
    options: { rules: false },
    faults: [/^debug: Invalid input: expected boolean, received string$/],
  },
]

for (const { given, options, faults } of CASES) {
  test(`options ${JSON.stringify(given)}`, () => {
    const read = readOptions(given)
    expect(read.options).toEqual(options)
    expect(read.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)))
  })
}
