import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { lostText } from './lost-text.ts'

test('a piece that is said in other marks, on other lines or in another case of a heading is not lost', () => {
  const before =
    '# Style Guide\n\n```\nnpm   ci\n```\n\n| a | b |\n|---|---|\n| c | d |\n\nsee [x](y.md), `z` and `w`\n'
  const after = 'Rule: the style guide says: run `npm ci`; **y.md** has z\n\n| a | b |\n| c | d |\n'
  const { names, ...forms } = lostText(before, after)
  expect(names).toEqual([{ line: 11, text: 'w' }])
  expect(forms).toEqual({ codeBlocks: [], tables: [], links: [], headings: [] })
})

test('of a block the first line that is gone is told; the frontmatter is kept and so not lost', () => {
  const before = '---\nx: "`y`"\n---\n~~~\nnpm ci\nnpm test\n~~~\n'
  const { codeBlocks, names } = lostText(before, '---\nx: "`y`"\n---\nRule: run npm ci\n')
  expect(codeBlocks).toEqual([{ line: 4, text: 'npm test' }])
  expect(names).toEqual([])
})

const word = fc.stringMatching(/^[a-z]{1,8}$/)
const line = fc.oneof(
  word.map((text) => `\`${text}\``),
  word.map((text) => `# ${text}`),
  word.map((text) => `[x](${text}.md)`),
  fc.array(word, { minLength: 1 }).map((words) => ['```', ...words, '```'].join('\n')),
  fc.tuple(word, word).map(([one, other]) => `| ${one} | b |\n| - | - |\n| ${other} | d |\n`),
  fc.lorem(),
)
const text = fc.array(line).map((lines) => lines.join('\n'))

test('what is called lost was in the old text and is not in the new one', () => {
  fc.assert(fc.property(text, text, (before, after) => {
    for (const pieces of Object.values(lostText(before, after))) {
      for (const { line, text } of pieces) {
        expect(before.split('\n').slice(line - 1).join('\n')).toContain(text)
        expect(after).not.toContain(text)
      }
    }
  }))
})

test('nothing is lost where the old text is kept', () => {
  fc.assert(fc.property(text, text, (before, added) => {
    const lost = lostText(before, `${added}\n${before}`)
    expect(Object.values(lost).flat()).toEqual([])
  }))
})
