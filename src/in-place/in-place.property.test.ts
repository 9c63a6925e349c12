/** What no source covers stays as it is, to the byte, in any text with any sources. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readMarkdown } from './blocks.ts'
import { SourcedText } from './index.ts'
import { sentencesOf } from './sentences.ts'

// Sentences in several scripts and forms, each with a number of its own.
const SENTENCES = [
  'Use w# here.',
  '**Never** do `w#`!',
  'Fact w# (so).',
  'Nutze w#, *immer*.',
  'w#を使う。',
  '"w#" stays. Yes?',
  'Try w#.</x>',
]

const INDENTS = ['', '  ', '    ', '> ', '> > ']
const STARTS = ',,- ,* ,1. ,2) ,- [ ] ,# ,**Lead-in:** ,| a | ,```\n,<!-- x -->\n,a. ,<x>,✅ <x>,\t'.split(
  ',',
)

const line = fc.record({
  indent: fc.constantFrom(...INDENTS),
  start: fc.constantFrom(...STARTS),
  words: fc.array(fc.constantFrom(...SENTENCES), { maxLength: 3 }),
  gap: fc.constantFrom('\n', '\n', '\n\n', '\n>\n'),
})

const textOf = (
  lines: Array<{ indent: string; start: string; words: Array<string>; gap: string }>,
  eol: string,
) => {
  let number = 0
  return lines.map(({ indent, start, words, gap }) =>
    indent + start + words.map((word) => word.replace('#', String(1000 + number++))).join(' ') + gap
  ).join('').replaceAll('\n', eol)
}

const numbersIn = (text: string): Array<string> => text.match(/w\d{4}/g) ?? []

test('a rewrite removes the sentences of its sources, keeps all others, and says each rule once', () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 12 }),
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.nat(), { maxLength: 6 }),
      fc.boolean(),
      (lines, eol, picks, isSecond) => {
        const text = textOf(lines, eol)
        const sentences = readMarkdown(text).blocks.flatMap((block) =>
          sentencesOf(block).map(({ from, to }) => text.slice(from, to))
        ).filter((sentence) => numbersIn(sentence).length > 0)
        if (sentences.length === 0) return
        const chosen = [...new Set(picks.map((pick) => sentences[pick % sentences.length]!))]
        const sources = isSecond ? (chosen.length > 0 ? [chosen] : []) : chosen.map((one) => [one])
        const sourced = new SourcedText(text, sources)
        expect(sourced.faults).toEqual([])
        const after = sourced.withRules(sources.map((_, index) => `Rule: R${index}\nReason: r`))
        const gone = new Set(chosen.flatMap(numbersIn))
        expect(numbersIn(after)).toEqual(numbersIn(text).filter((number) => !gone.has(number)))
        sources.forEach((_, index) =>
          expect(after.match(new RegExp(`R${index}(?!\\d)`, 'g'))).toHaveLength(1)
        )
        // What stays, stays to the byte, but for the indentation below a list that changed.
        const unindented = (words: string) => words.replace(/(?<=\n)[ \t]+/g, '')
        for (const sentence of sentences.filter((one) => !chosen.includes(one))) {
          expect(unindented(after)).toContain(unindented(sentence))
        }
        if (sources.length === 0) expect(after).toBe(text)
        expect(/[\r\n]$/.test(after)).toBe(/[\r\n]$/.test(text))
        if (eol === '\r\n') expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
      },
    ),
    { numRuns: 500 },
  )
})
