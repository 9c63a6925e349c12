import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { limitOf, toAnswer } from './discover-answer.ts'

const LIMITS: Array<[name: string, config: Parameters<typeof limitOf>[0], bytes: number, lines: number]> = [
  ['no config', undefined, 51_200, 2_000],
  ['a config that says nothing of it', {}, 51_200, 2_000],
  ['less', { tool_output: { max_bytes: 1_000, max_lines: 10 } }, 1_000, 10],
  ['more', { tool_output: { max_bytes: 1_000_000, max_lines: 50_000 } }, 200_000, 50_000],
]

for (const [name, config, bytes, lines] of LIMITS) {
  test(`how much an answer may have: ${name}`, () => expect(limitOf(config)).toEqual({ bytes, lines }))
}

const WIDE = limitOf(undefined)

test('sections are as the spec has them, without notes where there is nothing to note', () => {
  const files = [{ path: '/a.md', content: '\uFEFFa' }, { path: '/b.md', content: '', error: 'no such file' }]
  expect(toAnswer({ files, outside: [], remote: [], unmatched: [], nothing: [] }, WIDE).output).toBe(
    '## /a.md\n\na\n\n---\n\n## /b.md\n\nError: could not read this file: no such file',
  )
})

test('hidden characters are put into sight in texts and paths, and told by file and line', () => {
  const { output } = toAnswer(
    { files: [{ path: '/a\u202E.md', content: 'one\ntwo\u200B\u200B\u{E0041}' }] },
    WIDE,
  )
  expect(output).toBe(
    '## /a⟦U+202E⟧.md\n\none\ntwo⟦U+200B⟧⟦U+200B⟧⟦U+E0041⟧\n\n---\n\n# Notes\n\n'
      + 'Warning: hidden characters, marked above as ⟦U+…⟧:\n- /a⟦U+202E⟧.md line 2: U+200B, U+E0041',
  )
})

test('a file alone is shown whole where it fits, else in parts; among others it is listed', () => {
  const big = {
    path: '/big.md',
    content: Array.from({ length: 9_000 }, (_, line) => `line ${line}\n`).join(''),
  }
  const small = { path: '/small.md', content: 'a' }
  const both = toAnswer({ files: [big, small] }, WIDE)
  expect(both.shown.map(({ file }) => file)).toEqual([small])
  expect(both.output).toContain('- /big.md (')

  const first = toAnswer({ files: [big] }, WIDE)
  expect(first.output).toContain('"files": "/big.md#2"')
  const count = first.shown[0]?.part?.count ?? 0
  const texts = Array.from({ length: count }, (_, index) => {
    const { output, shown } = toAnswer({ files: [big], parts: new Map([[big, index + 1]]) }, WIDE)
    expect(shown.map(({ part }) => part)).toEqual([{ number: index + 1, count }])
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(WIDE.bytes)
    return output.slice(output.indexOf('\n\n') + 2, output.indexOf('\n\n---\n\n# Notes'))
  })
  expect(texts.join('')).toBe(big.content)
  const beyond = toAnswer({ files: [big], parts: new Map([[big, count + 1]]) }, WIDE)
  expect(beyond.output).toContain(`it has ${count} parts`)
  expect(beyond.shown.map(({ file: { error } }) => error === undefined)).toEqual([false])
})

test('an answer never goes beyond its limit, and keeps the order', () => {
  const sizes = fc.array(fc.tuple(fc.nat(30_000), fc.boolean()), { minLength: 2, maxLength: 400 })
  fc.assert(
    fc.property(sizes, (drawn) => {
      const files = drawn.map(([size, isTall], index) => ({
        path: `/some/folder/with/rules/${index}.md`,
        content: (isTall ? 'a\n' : 'ab').repeat(size / 2),
      }))
      const { output, shown } = toAnswer({ files, outside: files.map(({ path }) => path) }, WIDE)
      expect(Buffer.byteLength(output)).toBeLessThanOrEqual(WIDE.bytes)
      expect(output.split('\n').length).toBeLessThanOrEqual(WIDE.lines)
      const named = shown.map(({ file }) => file)
      expect(named).toEqual(files.filter((file) => named.includes(file)))
      for (const { path } of named) expect(output).toContain(`## ${path}\n`)
    }),
    { numRuns: 50 },
  )
})
