import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { linkSync, mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { HOSTILE_RULES } from '../../test/harness/hostile-rules.ts'
import { expectNoHang } from '../../test/harness/processor-time.ts'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { sessionBudget } from '../checks/budget.ts'
import { compileChecks } from '../checks/patterns.ts'
import { stateOf } from './file-state.ts'
import { noteMissingFolders } from './missing-folders.ts'
import { readRuleText } from './rule-frontmatter.ts'
import { matcherOfGlobs } from './rule-globs.ts'
import { rulesReader } from './rules-on-disk.ts'

const scratch = scratchFolder()

const readManyFiles = async (text: string) => {
  const directory = mkdtempSync(join(scratch, 'project-'))
  const rules = join(directory, '.opencode/rules')
  mkdirSync(rules, { recursive: true })
  for (const name of ['a', 'z']) writeFileAt(join(rules, `${name}.md`), 'Be kind.')
  const original = join(directory, 'original.md')
  writeFileAt(original, text)
  for (let index = 0; index < 40; index++) linkSync(original, join(rules, `r${index}.md`))
  const readRules = rulesReader({ directory, worktree: directory }, [], async () => [])
  return readRules('fresh')
}

test.each(Object.entries(HOSTILE_RULES))(
  '40 hostile rule files do not block the host, and a valid file listed before them is kept: %s',
  (kind, text) =>
    expectNoHang(kind, async () => {
      const { rules, leftOut } = await readManyFiles(text)
      expect(rules[0]?.name).toBe('a')
      for (const { reason } of leftOut) expect(reason.length).toBeLessThan(400)
      // Besides `a` and `z`, at least one of the 40 files gave a rule or a fault.
      expect(rules.length + leftOut.length).toBeGreaterThan(2)
    }),
)

test('comparing the names of 500 missing folders with 300 existing names does not block the host', () =>
  expectNoHang('similar folders', async () => {
    const worktree = mkdtempSync(join(scratch, 'project-'))
    // `leven` skips a common start and end, so names that differ near both ends take longest.
    for (let index = 100; index < 400; index++) mkdirSync(join(worktree, `a1${'b'.repeat(235)}${index}`))
    const rules = Array.from({ length: 500 }, () => ({ globs: [`a0${'b'.repeat(235)}1xx/**`] }))
    const noted = await noteMissingFolders(rules, worktree, stateOf, sessionBudget())
    expect(noted.filter((rule) => 'folderNote' in rule)).toHaveLength(500)
  }))

const KEYS = 'globs paths forbid require bad good keywords branches description x'.split(' ')
const FRAGMENTS = [
  ...[' ', '\n', '\n  - ', '\n---\n', ': ', ' #', 'x'.repeat(99), ' '.repeat(99), '\r'],
  ...', : # " \' | >- - ~ null a é ** * ? / \\ { } [ ] ( ) ! +( {a,b} {1..99} {9,} {1000}'.split(' '),
  ...'\\p{L} \\b (?i) (?: ^ $ .* “ \u200B'.split(' '),
]

const fragments = fc.tuple(fc.constantFrom(...FRAGMENTS), fc.integer({ min: 1, max: 9 }))
  .map(([sign, times]) => sign.repeat(times))
const line = fc.tuple(fc.constantFrom(...KEYS), fc.array(fragments, { maxLength: 8 }))
  .map(([key, value]) => `${key}: ${value.join('')}`)
const header = fc.array(line, { minLength: 1, maxLength: 4, size: 'max' })

test('reading and compiling 20,000 random headers does not block the host', () => {
  const property = fc.asyncProperty(header, (lines) =>
    expectNoHang('a random header', async () => {
      const { data, error } = readRuleText(`---\n${lines.join('\n')}\n---\nBe brief.`)
      if (data?.keys.globs) matcherOfGlobs(data.keys.globs).data?.('src/a/b.test.ts')
      if (data) await compileChecks(data.keys)
      expect(error?.reason.length ?? 0).toBeLessThanOrEqual(400)
    }))
  return fc.assert(property, { numRuns: 20_000, seed: 53 })
}, 60_000)
