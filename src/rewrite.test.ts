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

test.each<[rules: Array<string>, mode: Mode | undefined, text: string]>([
  [['- a', '- b'], 'concise', '- a\n- b\n'],
  [['Rule: a\nReason: x', 'Rule: b'], 'balanced', 'Rule: a\nReason: x\n\nRule: b\n'],
  [['- a', '- b'], undefined, '- a\n\n- b\n'],
  [['\n\n- a  \n\n', '  - indented\r\n'], 'concise', '- a\n  - indented\n'],
])('joins the rules %j in the mode %s', (rules, mode, text) => {
  expect(joinRules(rules, mode)).toBe(text)
})

test('without sources, a rewrite keeps the frontmatter and the line ending, and replaces the rest', () => {
  expect(replaceBody('---\na: 1\n---\nold\n', ['new'])).toBe('---\na: 1\n---\n\nnew\n')
  expect(replaceBody('---\na: 1\n---', ['new'])).toBe('---\na: 1\n---\n\nnew\n')
  // The rules get the line ending of the text, whatever theirs is.
  expect(replaceBody('---\r\na: 1\r\n---\r\nold\r\n', ['new\n  more', 'b']))
    .toBe('---\r\na: 1\r\n---\r\n\r\nnew\r\n  more\r\n\r\nb\r\n')
  expect(replaceBody('---\ra: 1\r---\rold\r', ['- a', '- b'], 'concise'))
    .toBe('---\ra: 1\r---\r\r- a\r- b\r')
})

const path = join(folder, 'rules.md')
test('a file rewritten without sources has its byte-order mark, its frontmatter, and only the rules', async () => {
  await fc.assert(
    fc.asyncProperty(textArbitrary, rulesArbitrary, async (text, rules) => {
      writeFileSync(path, text)
      const [before] = await readFilePaths(folder, ['rules.md'])
      expect((await processFile({ file: before!, rules })).status).toBe('success')
      const [after] = await readFilePaths(folder, ['rules.md'])
      const byteOrderMark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
      const { frontmatter } = splitFrontmatter(text.slice(byteOrderMark.length))
      const gap = frontmatter === '' ? '' : frontmatter.endsWith('\n') ? '\n' : '\n\n'
      const ending = lineEndingOf(text)
      expect(after!.content)
        .toBe(byteOrderMark + frontmatter + withLineEnding(gap + joinRules(rules), ending))
    }),
    { numRuns: 30 },
  )
})

test('if the sources are no longer in the file, it stays unchanged', async () => {
  writeFileSync(path, 'new words\n')
  const [file] = await readFilePaths(folder, ['rules.md'])
  const { error } = await processFile({ file: file!, rules: ['- a'], sources: [['old words']] })
  expect(error).toContain('no longer in the file')
  expect(readFileSync(path, 'utf8')).toBe('new words\n')
})
