import { expect, test } from 'bun:test'
import { linkSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { HOSTILE_RULES } from '../../test/harness/hostile-rules.ts'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { expectWithinASecond } from '../../test/harness/within-a-second.ts'
import { compileChecks } from '../checks/patterns.ts'
import { readHeader } from './rule-frontmatter.ts'
import { matcherOfAll } from './rule-globs.ts'
import { rulesReader } from './rules-on-disk.ts'

const scratch = scratchFolder()

/** Reads the rules of a project with 40 files of one kind, and one more before and after them. */
const readMany = async (text: string) => {
  const directory = mkdtempSync(join(scratch, 'project-'))
  const rules = join(directory, '.opencode/rules')
  mkdirSync(rules, { recursive: true })
  for (const name of ['a', 'z']) writeFileAt(join(rules, `${name}.md`), 'Be kind.')
  writeFileAt(join(directory, 'worst.md'), text)
  for (let index = 0; index < 40; index++) linkSync(join(directory, 'worst.md'), join(rules, `r${index}.md`))
  return rulesReader({ directory, worktree: directory }, [], async () => [])(true)
}

test.each(Object.entries(HOSTILE_RULES))('%s: all rules are read within a second', async (what, text) => {
  await expectWithinASecond(what, async () => {
    const { rules, leftOut } = await readMany(text)
    expect(rules[0]?.name).toBe('a')
    for (const { reason } of leftOut) expect(reason.length).toBeLessThan(400)
    // What is left out is told.
    expect(rules.length + leftOut.length).toBeGreaterThan(2)
  })
})

const KEYS = [
  'globs',
  'paths',
  'forbid',
  'require',
  'bad',
  'good',
  'keywords',
  'branches',
  'description',
  'x',
]
const SIGNS = [
  ...[
    ' ',
    '\n',
    '\n  - ',
    '\n---\n',
    ',',
    ':',
    ': ',
    '#',
    ' #',
    '"',
    "'",
    '|',
    '>-',
    '-',
    '~',
    'null',
    'a',
    'é',
  ],
  ...[
    '**',
    '*',
    '?',
    '/',
    '\\',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    '!',
    '+(',
    '{a,b}',
    '{1..99}',
    '{9,}',
    '{1000}',
  ],
  ...['\\p{L}', '\\b', '(?i)', '(?:', '^', '$', '.*', 'x'.repeat(99), ' '.repeat(99), '“', '\u200B', '\r'],
]

/** Makes numbers by chance, the same in each run. */
const chanceOf = (seed: number) => (below: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor(seed / 2 ** 32 * below)
}

/** Makes a header of up to four keys, whose values are signs by chance. */
const headerOf = (chance: (below: number) => number): string => {
  const one = (from: Array<string>): string => from[chance(from.length)]!
  const value = () => Array.from({ length: chance(9) }, () => one(SIGNS).repeat(1 + chance(9))).join('')
  const lines = Array.from({ length: 1 + chance(4) }, () => `${one(KEYS)}: ${value()}`)
  return `---\n${lines.join('\n')}\n---\nBe brief.`
}

test('20,000 random headers are read, compiled and tried, each within a second', async () => {
  const chance = chanceOf(53)
  for (let round = 0; round < 20_000; round++) {
    const text = headerOf(chance)
    const start = performance.now()
    const { data, error } = readHeader(text)
    if (data?.keys.globs) matcherOfAll(data.keys.globs).data?.('src/a/b.test.ts')
    if (data) await compileChecks(data.keys)
    // Ten times as long on a slow machine.
    if (performance.now() - start > 10_000) throw new Error(`It took too long: ${text}`)
    if (error && error.reason.length > 400) throw new Error(`It quotes too much: ${error.reason}`)
  }
}, 60_000)
