import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { answerLimit, formatAnswer } from './discover-answer.ts'

test('the config sets the limit of an answer, up to 200 KB', () => {
  expect(answerLimit(undefined)).toEqual({ bytes: 51_200, lines: 2_000 })
  expect(answerLimit({ tool_output: { max_bytes: 900, max_lines: 9 } })).toEqual({ bytes: 900, lines: 9 })
  expect(answerLimit({ tool_output: { max_bytes: 1_000_000 } })).toEqual({ bytes: 200_000, lines: 2_000 })
})

const DEFAULT = answerLimit(undefined)

test('each file has a section with its text (without a byte order mark) or its error', () => {
  const files = [{ path: '/a.md', content: '\uFEFFa' }, { path: '/b.md', content: '', error: 'no such file' }]
  expect(formatAnswer(files, [], DEFAULT).output)
    .toBe('## /a.md\n\na\n\n---\n\n## /b.md\n\nError: could not read this file: no such file')
})

test('hidden characters are marked, and noted by file and line', () => {
  const hidden = { path: '/c\u202E.md', content: 'one\ntwo\u200B\u200B\u{E0041}' }
  expect(formatAnswer([{ path: '/a.md', content: 'a' }, hidden], [], DEFAULT).output).toBe(
    '## /a.md\n\na\n\n---\n\n## /c⟦U+202E⟧.md\n\none\ntwo⟦U+200B⟧⟦U+200B⟧⟦U+E0041⟧\n\n---\n\n# Notes\n\n'
      + 'Warning: hidden characters, marked above as ⟦U+…⟧:\n- /c⟦U+202E⟧.md: line 2',
  )
})

const LINES = Array.from({ length: 9_000 }, (_, line) => `line ${line}`)
const BIG = { path: '/big.md', content: LINES.map((line) => `${line}\n`).join('') }

test('if no file fits, the answer shows the beginning of the first file', () => {
  const { output, shown } = formatAnswer([BIG, { ...BIG, path: '/b.md' }], ['Outside: /big.md'], DEFAULT)
  expect(shown).toMatchObject([{ file: BIG, isCut: true }])
  expect(output).toContain('- /b.md (')
  const [, lines = ''] = /its first (\d+) of 9000 lines are shown\. You can add to it, but/.exec(output)!
  expect(Number(lines)).toBeGreaterThan(1_000)
  const beginning = LINES.slice(0, Number(lines)).join('\n')
  expect(output).toStartWith(`## /big.md\n\n${beginning}\n\n---\n\n# Notes`)
})

test("if not even the first line of the first file fits, the answer shows only the file's heading", () => {
  const { output, shown } = formatAnswer([{ path: '/long.md', content: 'a'.repeat(100_000) }], [], DEFAULT)
  expect(Buffer.byteLength(output)).toBeLessThan(DEFAULT.bytes)
  expect(shown).toMatchObject([{ text: '## /long.md\n', isCut: true }])
  expect(output).toContain('- /long.md: its first line is too long to be shown. You can add to it, but')
})

// The 1980 lines exceed the 60 % of an answer that files usually get. They fit, because the notes are short.
test.each(['a', 'a word\n'.repeat(1_980)])('if one file fits, a longer file is only named', (content) => {
  const fitting = { path: '/fitting.md', content }
  const { output, shown } = formatAnswer([BIG, fitting], [], DEFAULT)
  expect(shown.map(({ file, isCut }) => [file, isCut])).toEqual([[fitting, undefined]])
  expect(output).toContain('- /big.md (')
})

test('an answer stays within its limit, and names files that it does not show', () => {
  const length = fc.oneof(fc.nat(30_000), fc.nat(1_000))
  // Short lines reach the limit `lines`, and one long line reaches the limit `bytes`.
  const content = fc.tuple(fc.constantFrom('a\n', 'äb'), length).map(([part, length]) =>
    part.repeat(length / 2)
  )
  const contents = fc.array(content, { minLength: 2, maxLength: 200, size: 'max' })
  const limits = fc.constantFrom(DEFAULT, { bytes: 20_000, lines: 500 })
  fc.assert(
    fc.property(contents, limits, (drawn, limit) => {
      const files = drawn.map((content, index) => ({ path: `/some/folder/with/rules/${index}.md`, content }))
      const { output, shown } = formatAnswer(files, ['note\n'.repeat(50)], limit)
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(limit.bytes)
      expect(output.split('\n').length).toBeLessThanOrEqual(limit.lines)
      const shownFiles = shown.map(({ file }) => file)
      expect(shownFiles).toEqual(files.filter((file) => shownFiles.includes(file)))
      if (shownFiles.length < files.length) expect(output).toMatch(/^- \/some\/folder/m)
      for (const { path } of shownFiles) expect(output).toContain(`## ${path}\n`)
    }),
    { numRuns: 25 },
  )
})
