import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { expectWithinASecond } from '../../test/within-a-second.ts'
import { whyCostly } from '../instructions/glob-limits.ts'
import { splitGlobs } from './glob-list.ts'
import { matcherOf } from './glob-matcher.ts'

const CASES: Array<[globs: Array<string>, meant: Array<string>, others: Array<string>]> = [
  [['src/components/**/*.ts'], ['src/components/button.ts', 'src/components/a/b.ts'], [
    'src/utils/helpers.js',
    'src/components/a.tsx',
    'lib/src/components/a.ts',
  ]],
  [['**/*.ts'], ['a.ts', 'a/b/c.ts', 'a/b.test.ts'], ['a.tsx', '.a.ts', '.git/a.ts', 'a/.b/c.ts']],
  [['*.ts'], ['a.ts'], ['src/a.ts', '.a.ts']],
  [['**'], ['a.ts', 'a/b'], ['.env', '.github/x.yml']],
  [['**/*.{ts,tsx}'], ['a.ts', 'b/a.tsx'], ['a.js']],
  [['src/{a,b}/*.ts'], ['src/a/x.ts', 'src/b/x.ts'], ['src/c/x.ts']],
  [['**/*.ts', '!**/*.test.ts'], ['a.ts'], ['a.test.ts', 'b/c.test.ts', 'a.js']],
  [['!**/*.test.ts', '**/*.ts'], ['a.ts'], ['a.test.ts']],
  [['!vendor/**'], ['a.ts', 'src/vendor/a'], ['vendor/a.ts', 'vendor/.x']],
  [['!(a|b).ts'], ['c.ts'], ['a.ts', 'b.ts']],
  [['.github/**'], ['.github/workflows/ci.yml'], ['github/x', '.gitlab/x']],
  [['**/.env'], ['.env', 'a/.env'], ['.env.local', 'env']],
  [['./src/*.ts'], ['src/a.ts'], ['a.ts']],
  [['/src/*.ts'], ['src/a.ts'], ['x/src/a.ts']],
  [['docs/'], ['docs/a.md', 'docs/a/b.md'], ['docs.md', 'x/docs/a.md']],
  [['src/a.ts'], ['src/a.ts'], ['src/a.tsx', 'src/b.ts']],
  [['src/[ab].ts'], ['src/a.ts'], ['src/c.ts']],
  [['app/[id]/page.tsx'], ['app/[id]/page.tsx', 'app/i/page.tsx'], ['app/x/page.tsx']],
  [['src/a b/*.ts'], ['src/a b/c.ts'], ['src/ab/c.ts']],
  [['**/*.ts', 'a.md'], ['x/a.ts', 'a.md'], ['x/a.md']],
]

for (const [globs, meant, others] of CASES) {
  test(globs.join(' '), () => {
    const matches = matcherOf(globs)
    expect([...meant, ...others].filter(matches)).toEqual(meant)
  })
}

const LISTS: Array<[list: string, globs: Array<string>]> = [
  ['', []],
  [' , ,', []],
  ['a', ['a']],
  [' a , b ', ['a', 'b']],
  ['*.{ts,tsx},*.js', ['*.{ts,tsx}', '*.js']],
  ['{a,{b,c}},d', ['{a,{b,c}}', 'd']],
  ['[,],b', ['[,]', 'b']],
  ['+(a,b)/c,d', ['+(a,b)/c', 'd']],
  ['{a,b', ['{a', 'b']],
  ['a},b', ['a}', 'b']],
]

for (const [list, globs] of LISTS) {
  test(`the list ${JSON.stringify(list)}`, () => expect(splitGlobs(list)).toEqual(globs))
}

test('a list of globs without commas of their own is split into those', () => {
  const glob = fc.stringMatching(/^[\w./*-]+$/)
  fc.assert(fc.property(fc.array(glob), (globs) => expect(splitGlobs(globs.join(', '))).toEqual(globs)))
})

test('whatever is written as a glob is matched without a throw', () => {
  fc.assert(fc.property(fc.array(fc.string()), fc.string(), (globs, path) => {
    expect(typeof matcherOf(globs)(path)).toBe('boolean')
  }))
})

const COSTLY: Array<[name: string, glob: string]> = [
  ['24 stars', '*a'.repeat(24)],
  ['5 stars in two groups', '*a*{/,b*b*b*}'],
  ['globstars', '**/a/'.repeat(4) + 'b'],
  ['braces', '{a,aa}'.repeat(11)],
  ['braces in braces', '{a,{b,c}}'.repeat(8)],
  ['a repeated group', '+(a|aa)b'],
  ['a long one', 'a'.repeat(1_001)],
  ['open braces', '{'.repeat(900) + '*a'.repeat(24)],
]

for (const [name, glob] of COSTLY) {
  test(`a pattern that could take seconds is named: ${name}`, () => expect(whyCostly(glob)).toMatch(/\w/))
}

const SANE = [
  '**/*.test.*',
  'src/*/test/*/fixtures/*/*.json',
  'packages/**/src/**/*.{ts,tsx,mts,cts,js,jsx}',
  '{src,lib,test}/{a,b,c}/*.{ts,js}',
  '{*.ts,*.tsx,*.js,*.jsx,*.mjs}',
  '!(a|b).ts',
  '**/a/**/b/**',
]

test.each(SANE)('%s is read, and matched in no time', async (glob) => {
  expect(whyCostly(glob)).toBeNull()
  const matches = matcherOf([glob])
  await expectWithinASecond(glob, () => {
    for (const path of ['a'.repeat(250), 'a/'.repeat(500) + 'x', 'a.'.repeat(120), '{'.repeat(250)]) {
      matches(path)
    }
  })
})

test('a list of 64,000 brackets or quotes is split in no time', async () => {
  for (const part of ['{', '[{(', '"', '",\'', '{,']) {
    await expectWithinASecond(part, () => splitGlobs(part.repeat(64_000 / part.length)))
  }
})
