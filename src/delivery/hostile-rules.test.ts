import { expect, test } from 'bun:test'
import { linkSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { HOSTILE_RULES } from '../../test/harness/hostile-rules.ts'
import { expectNoHang } from '../../test/harness/processor-time.ts'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { compileChecks } from '../checks/patterns.ts'
import { readHeader } from './rule-frontmatter.ts'
import { matcherOfAll } from './rule-globs.ts'
import { rulesReader } from './rules-on-disk.ts'

const scratch = scratchFolder()

/** Reads the rules of a project with 40 files of the same text, and a short rule before and after them. */
const readManyFiles = async (text: string) => {
  const directory = mkdtempSync(join(scratch, 'project-'))
  const rules = join(directory, '.opencode/rules')
  mkdirSync(rules, { recursive: true })
  for (const name of ['a', 'z']) writeFileAt(join(rules, `${name}.md`), 'Be kind.')
  const original = join(directory, 'original.md')
  writeFileAt(original, text)
  for (let index = 0; index < 40; index++) linkSync(original, join(rules, `r${index}.md`))
  return rulesReader({ directory, worktree: directory }, [], async () => [])('fresh')
}

test.each(Object.entries(HOSTILE_RULES))(
  'reading 40 rule files with hostile text does not hang, and a short rule before them is read: %s',
  (kind, text) =>
    expectNoHang(kind, async () => {
      const { rules, leftOut } = await readManyFiles(text)
      expect(rules[0]?.name).toBe('a')
      for (const { reason } of leftOut) expect(reason.length).toBeLessThan(400)
      // At least one of the 40 is read or reported, too.
      expect(rules.length + leftOut.length).toBeGreaterThan(2)
    }),
)

const KEYS = 'globs paths forbid require bad good keywords branches description x'.split(' ')
const SIGNS = [
  ...[' ', '\n', '\n  - ', '\n---\n', ': ', ' #', 'x'.repeat(99), ' '.repeat(99), '\r'],
  ...', : # " \' | >- - ~ null a é ** * ? / \\ { } [ ] ( ) ! +( {a,b} {1..99} {9,} {1000}'.split(' '),
  ...'\\p{L} \\b (?i) (?: ^ $ .* “ \u200B'.split(' '),
]

/** Creates a function that returns pseudo-random integers from 0 to less than `below`, the same in each run. */
const randomNumbers = (seed: number) => (below: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor(seed / 2 ** 32 * below)
}

/** Creates a rule file whose header has one to four keys with random values. */
const randomRule = (random: (below: number) => number): string => {
  const anyOf = (from: Array<string>): string => from[random(from.length)]!
  const value = () => Array.from({ length: random(9) }, () => anyOf(SIGNS).repeat(1 + random(9))).join('')
  const lines = Array.from({ length: 1 + random(4) }, () => `${anyOf(KEYS)}: ${value()}`)
  return `---\n${lines.join('\n')}\n---\nBe brief.`
}

test('each of 20,000 random headers is read and compiled in a short time', async () => {
  const random = randomNumbers(53)
  for (let round = 0; round < 20_000; round++) {
    const text = randomRule(random)
    const start = performance.now()
    const { data, error } = readHeader(text)
    if (data?.keys.globs) matcherOfAll(data.keys.globs).data?.('src/a/b.test.ts')
    if (data) await compileChecks(data.keys)
    // Ten seconds, because the machine may be slow.
    if (performance.now() - start > 10_000) throw new Error(`It took too long: ${text}`)
    if (error && error.reason.length > 400) throw new Error(`It quotes too much: ${error.reason}`)
  }
}, 60_000)
