import { expect, test } from 'bun:test'
import type { ParsedRule } from '../rule-schema.ts'
import { pairsOf } from './contradictions.ts'

type Short = [ParsedRule['strength'], string, string, string?]

const toRule = ([strength, action, target, context]: Short): ParsedRule => ({
  strength,
  action,
  target,
  ...(context === undefined ? {} : { context }),
  reason: '',
})

const PAIRED: Array<[Short, Short, string | undefined]> = [
  [['obligatory', 'use', 'tabs'], ['forbidden', 'use', 'tabs'], 'contradiction'],
  [['forbidden', 'Use', 'the default exports'], ['obligatory', 'using', '`default` export'], 'contradiction'],
  [
    ['obligatory', 'run', 'tests', 'before a commit'],
    ['forbidden', 'run', 'test', 'before commits'],
    'contradiction',
  ],
  [
    ['obligatory', 'commit', 'files generated'],
    ['forbidden', 'committing', 'generated files'],
    'contradiction',
  ],
  [['obligatory', 'update', 'a dependency'], ['forbidden', 'updating', 'dependencies'], 'contradiction'],
  [['obligatory', 'call', 'the cache'], ['forbidden', 'calls', 'caches'], 'contradiction'],
  [['obligatory', 'copied', 'class'], ['forbidden', 'copy', 'classes'], 'contradiction'],
  [['obligatory', 'write', 'strings'], ['forbidden', 'writing', '“string”'], 'contradiction'],
  [
    ['obligatory', 'use', 'single quotes', 'in TypeScript files'],
    ['forbidden', 'use', 'quotes, single', 'in files: TypeScript'],
    'contradiction',
  ],
  [['obligatory', 'use', 'the API'], ['forbidden', 'use', 'APIs'], 'contradiction'],
  [['obligatory', 'use', '`ESLint`'], ['forbidden', 'use', 'eslint'], 'contradiction'],
  [['obligatory', 'use', '‘any’'], ['forbidden', 'use', '`any`'], 'contradiction'],
  [
    ['obligatory', 'write', 'caf\u00E9'],
    ['forbidden', 'write', 'cafe\u0301'],
    'contradiction',
  ],
  [['obligatory', '使う', 'タブ'], ['forbidden', '使う', 'タブ'], 'contradiction'],
  [['forbidden', 'use', 'eval', ''], ['forbidden', 'use', '`eval`'], 'repetition'],
  [['optional', 'add', 'a note'], ['optional', 'add', 'notes'], 'repetition'],
  // an exception is no contradiction
  [['obligatory', 'use', 'eval'], ['forbidden', 'use', 'eval', 'in tests'], undefined],
  [['obligatory', 'use', 'eval', 'in scripts'], ['forbidden', 'use', 'eval', 'in tests'], undefined],
  // the order of the sides tells
  [['obligatory', 'use', 'tabs over spaces'], ['forbidden', 'use', 'spaces over tabs'], undefined],
  [['obligatory', 'import', 'a from b'], ['forbidden', 'import', 'b from a'], undefined],
  [['obligatory', 'merge', 'main onto dev'], ['forbidden', 'merge', 'dev onto main'], undefined],
  [['obligatory', 'call', 'a() then b()'], ['forbidden', 'call', 'b() then a()'], undefined],
  [['obligatory', 'convert', 'a → b'], ['forbidden', 'convert', 'b → a'], undefined],
  [['obligatory', 'put', 'types inside tests'], ['forbidden', 'put', 'tests inside types'], undefined],
  [['obligatory', 'nutze', 'Tabs statt Spaces'], ['forbidden', 'nutze', 'Spaces statt Tabs'], undefined],
  // other words that begin alike
  [['obligatory', 'use', 'state'], ['forbidden', 'use', 'stats'], undefined],
  [['obligatory', 'use', 'pip'], ['forbidden', 'use', 'pipes'], undefined],
  [['obligatory', 'use', '`str`'], ['forbidden', 'use', 'strings'], undefined],
  // neither demanded nor banned
  [['permissible', 'use', 'eval'], ['forbidden', 'use', 'eval'], undefined],
  [['obligatory', 'use', 'eval'], ['omissible', 'use', 'eval'], undefined],
  // names are not cut, and their case tells
  [['obligatory', 'use', 'type `string`'], ['forbidden', 'use', 'type `String`'], undefined],
  [['obligatory', 'use', '`fs.promises`'], ['forbidden', 'use', '`fs.promise`'], undefined],
  [['obligatory', 'pass', '--force'], ['forbidden', 'pass', '--forces'], undefined],
]

test.each(PAIRED)('%j and %j: %p', (one, other, kind) => {
  const pairs = pairsOf([toRule(['obligatory', 'read', 'the docs']), toRule(one), toRule(other)])
  expect(pairs).toEqual(
    kind === undefined ? [] : [{ kind: kind as 'contradiction' | 'repetition', first: 2, second: 3 }],
  )
})

test('each is paired with the first that it repeats or contradicts', () => {
  const rule = toRule(['obligatory', 'use', 'tabs'])
  const pairs = pairsOf([rule, rule, rule, toRule(['forbidden', 'use', 'tabs'])])
  expect(pairs.map(({ kind, first, second }) => `${first} ${second} ${kind}`)).toEqual([
    '1 2 repetition',
    '1 3 repetition',
    '1 4 contradiction',
  ])
})
