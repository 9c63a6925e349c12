import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rulesArbitrary, textArbitrary } from '../test/harness/arbitraries.ts'
import { scratchWithState } from '../test/harness/scratch.ts'
import { readFilePaths } from './discover.ts'
import { splitFrontmatter } from './markdown/frontmatter.ts'
import { joinRules, processFile, replaceBody } from './rewrite.ts'
import type { Mode } from './rule-schema.ts'
import { lineEndingOf, withLineEnding } from './text/line-ending.ts'

const folder = scratchWithState()
const path = join(folder, 'rules.md')

test.each<[rules: Array<string>, mode: Mode, text: string]>([
  [['Rule: a\nReason: x', 'Rule: b'], 'balanced', 'Rule: a\nReason: x\n\nRule: b\n'],
  [['\n\n- a  \n\n', '  - indented\r\n'], 'concise', '- a\n  - indented\n'],
])('joins the rules %j in the mode %s', (rules, mode, text) => {
  expect(joinRules(rules, mode)).toBe(text)
})

test.each([
  ['old\r\n', 'new\r\n\r\nb\r\n'],
  ['---\na: 1\n---', '---\na: 1\n---\n\nnew\n\nb\n'],
  ['---\r\na: 1\r\n---\r\nold\r\n', '---\r\na: 1\r\n---\r\n\r\nnew\r\n\r\nb\r\n'],
  ['---\ra: 1\r---\rold\r', '---\ra: 1\r---\r\rnew\r\rb\r'],
])('without sources, rules replace the text below the frontmatter of %j', (text, rewritten) => {
  expect(replaceBody(text, ['new', 'b'])).toBe(rewritten)
})

test('a file rewritten without sources keeps only its byte-order mark and frontmatter', () =>
  fc.assert(
    fc.asyncProperty(textArbitrary, rulesArbitrary, async (text, rules) => {
      writeFileSync(path, text)
      const [before] = await readFilePaths(folder, ['rules.md'])
      expect((await processFile({ file: before!, rules })).status).toBe('success')
      const [after] = await readFilePaths(folder, ['rules.md'])
      const byteOrderMark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
      const { frontmatter } = splitFrontmatter(text.slice(byteOrderMark.length))
      const gap = frontmatter === '' ? '' : frontmatter.endsWith('\n') ? '\n' : '\n\n'
      const body = withLineEnding(gap + joinRules(rules), lineEndingOf(text))
      expect(after!.content).toBe(byteOrderMark + frontmatter + body)
    }),
    { numRuns: 30 },
  ))

test('if the sources are no longer in the file, it stays unchanged', async () => {
  writeFileSync(path, 'new words\n')
  const file = { path, content: 'old words\n' }
  const { error } = await processFile({ file, rules: ['- a'], sources: [['old words']] })
  expect(error).toContain('no longer in the file')
  expect(readFileSync(path, 'utf8')).toBe('new words\n')
})
