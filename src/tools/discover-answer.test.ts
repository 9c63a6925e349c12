import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { answerLimit, formatAnswer } from './discover-answer.ts'

const LIMITS: Array<[name: string, config: Parameters<typeof answerLimit>[0], bytes: number, lines: number]> =
  [
    ['no config', undefined, 51_200, 2_000],
    ['less', { tool_output: { max_bytes: 1_000, max_lines: 10 } }, 1_000, 10],
    ['more', { tool_output: { max_bytes: 1_000_000, max_lines: 50_000 } }, 200_000, 50_000],
  ]

test.each(LIMITS)('the limit of an answer, by the config: %s', (_, config, bytes, lines) => {
  expect(answerLimit(config)).toEqual({ bytes, lines })
})

const WIDE = answerLimit(undefined)

test('hidden characters are marked in texts and paths, and noted by file and line', () => {
  const files = [{ path: '/a.md', content: '\uFEFFa' }, { path: '/b.md', content: '', error: 'no such file' }]
  const sections = '## /a.md\n\na\n\n---\n\n## /b.md\n\nError: could not read this file: no such file'
  expect(formatAnswer(files, [], WIDE).output).toBe(sections)
  const hidden = { path: '/c\u202E.md', content: 'one\ntwo\u200B\u200B\u{E0041}' }
  expect(formatAnswer([...files, hidden], [], WIDE).output).toBe(
    `${sections}\n\n---\n\n## /c⟦U+202E⟧.md\n\none\ntwo⟦U+200B⟧⟦U+200B⟧⟦U+E0041⟧\n\n---\n\n# Notes\n\n`
      + 'Warning: hidden characters, marked above as ⟦U+…⟧:\n- /c⟦U+202E⟧.md: line 2',
  )
})

test('a file that is too long is truncated, or only named if another one fits', () => {
  const content = Array.from({ length: 9_000 }, (_, line) => `line ${line}\n`).join('')
  const big = { path: '/big.md', content }
  const small = { path: '/small.md', content: 'a' }
  const both = formatAnswer([big, small], [], WIDE)
  expect(both.shown.map(({ file, isCut }) => [file, isCut])).toEqual([[small, undefined]])
  expect(both.output).toContain('- /big.md (')

  const { output, shown: [alone] } = formatAnswer([big], ['Outside: /big.md'], WIDE)
  expect(alone).toMatchObject({ file: big, isCut: true })
  const [, lines = ''] = /its first (\d+) of 9000 lines are shown\. It can be added to, not rewritten/.exec(
    output,
  )!
  expect(output).toStartWith(
    `## /big.md\n\n${content.split('\n').slice(0, Number(lines)).join('\n')}\n\n---\n\n# Notes`,
  )
  expect(Number(lines)).toBeGreaterThan(1_000)
  const fits = { path: '/fits.md', content: 'a word\n'.repeat(1_980) }
  const beside = formatAnswer([big, fits], [], WIDE)
  expect(beside.shown.map(({ file, isCut }) => [file, isCut])).toEqual([[fits, undefined]])
  expect(beside.output.split('\n').length).toBeLessThanOrEqual(WIDE.lines)
  const two = formatAnswer([big, { ...big, path: '/b.md' }], [], WIDE)
  expect(two.shown).toMatchObject([{ file: big, isCut: true }])
  expect(two.output).toContain('- /b.md (')
  const long = formatAnswer([{ path: '/long.md', content: 'a'.repeat(100_000) }], [], WIDE)
  expect(Buffer.byteLength(long.output)).toBeLessThan(WIDE.bytes)
  expect(long.shown[0]?.isCut).toBe(true)
})

test('an answer never exceeds its limit, and keeps the order of files', () => {
  const size = fc.oneof(fc.nat(30_000), fc.nat(1_000))
  const sizes = fc.array(fc.tuple(size, fc.boolean()), { minLength: 2, maxLength: 200, size: 'max' })
  const limits = fc.constantFrom(WIDE, { bytes: 20_000, lines: 500 })
  fc.assert(
    fc.property(sizes, limits, (drawn, limit) => {
      const files = drawn.map(([size, isTall], index) => ({
        path: `/some/folder/with/rules/${index}.md`,
        content: (isTall ? 'a\n' : 'äb').repeat(size / 2),
      }))
      const { output, shown } = formatAnswer(files, ['note\n'.repeat(50)], limit)
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(limit.bytes)
      expect(output.split('\n').length).toBeLessThanOrEqual(limit.lines)
      const named = shown.map(({ file }) => file)
      expect(named).toEqual(files.filter((file) => named.includes(file)))
      if (named.length < files.length) expect(output).toMatch(/^- \/some\/folder/m)
      for (const { path } of named) expect(output).toContain(`## ${path}\n`)
    }),
    { numRuns: 25 },
  )
})
