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

type Line = typeof line extends fc.Arbitrary<infer Drawn> ? Drawn : never

const textOf = (lines: Array<Line>, eol: string) => {
  let number = 0
  const numbered = (word: string) => word.replace('#', String(1000 + number++))
  // Markers without words are read as the underline of a heading, or as words.
  return lines.filter(({ indent, start, words }) =>
    words.length > 0 ? true : !/^[-*\da]/.test(start) && !(indent === '    ' && start.startsWith('`'))
  ).map(({ indent, start, words, gap }) => indent + start + words.map(numbered).join(' ') + gap)
    .join('').replaceAll('\n', eol)
}

const numbersIn = (text: string): Array<string> => text.match(/w\d{4}/g) ?? []

/** Lists the numbers of the items of a text. */
const labelsIn = (text: string): Array<string> =>
  readMarkdown(text).blocks.flatMap(({ item, node }) =>
    item?.parent?.name === 'OrderedList' ? text.slice(item.from, node.from).trim() : []
  )

// What stays, stays to the byte, but for the indentation of its further lines, and for a tag around several items.
const unindented = (words: string): string => words.replaceAll('</x>', '').replace(/(?<=[\r\n])[ \t>]+/g, '')

/** A text, its sentences, and some of them; whether these are the sources of one rule, or of one each. */
const drawn = fc.record({
  lines: fc.array(line, { maxLength: 12 }),
  eol: fc.constantFrom('\n', '\r\n'),
  picks: fc.array(fc.nat(), { maxLength: 6 }),
  isOneRule: fc.boolean(),
}).map(({ lines, eol, picks, isOneRule }) => {
  const text = textOf(lines, eol)
  const sentences = readMarkdown(text).blocks.flatMap((block) =>
    sentencesOf(block).map(({ from, to }) => text.slice(from, to))
  ).filter((sentence) => numbersIn(sentence).length > 0)
  const chosen = new Set(picks.flatMap((pick) => sentences[pick % sentences.length] ?? []))
  return { text, eol, isOneRule, sentences, chosen: sentences.filter((one) => chosen.has(one)) }
})

test('a rewrite removes the sentences of its sources, keeps all others in their order, and says each rule once', () => {
  fc.assert(
    fc.property(drawn, ({ text, eol, isOneRule, sentences, chosen }) => {
      const sources = isOneRule && chosen.length > 0 ? [chosen] : chosen.map((one) => [one])
      const sourced = new SourcedText(text, sources)
      expect(sourced.faults).toEqual([])
      const after = sourced.withRules(sources.map((_, index) => `Rule: Rule R${index}\nReason: It is so.`))
      const gone = new Set(chosen.flatMap(numbersIn))
      expect(numbersIn(after)).toEqual(numbersIn(text).filter((number) => !gone.has(number)))
      // Each rule once, in the place of its sentence.
      const places = (words: string): Array<string> => words.match(/R\d+|w\d{4}/g) ?? []
      const first = new Map(sources.map((ofRule, index) => [numbersIn(ofRule[0]!)[0]!, `R${index}`]))
      expect(places(after)).toEqual(
        places(text).flatMap((number) => first.get(number) ?? (gone.has(number) ? [] : number)),
      )
      // No number changes, and none goes but with its item.
      const labels = labelsIn(after)
      if (!isOneRule) expect(labelsIn(text).filter((label) => !labels.includes(label))).toEqual([])
      for (const sentence of sentences.filter((one) => !chosen.includes(one))) {
        expect(unindented(after)).toContain(unindented(sentence))
      }
      if (sources.length === 0) expect(after).toBe(text)
      expect(/[\r\n]$/.test(after)).toBe(/[\r\n]$/.test(text))
      if (eol === '\r\n') expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    }),
    { numRuns: 500 },
  )
})

test('a rewrite by the own sentences of a text changes nothing, and by the rules that are in it neither', () => {
  fc.assert(
    fc.property(drawn, ({ text, chosen }) => {
      const sourced = new SourcedText(text, chosen.map((one) => [one]))
      expect(sourced.withRules(chosen)).toBe(text)
      const rules = chosen.map((_, index) => `Rule R${index} is so.`)
      const after = sourced.withRules(rules)
      const again = new SourcedText(after, rules.map((rule) => [rule]))
      expect(again.faults).toEqual([])
      expect(again.withRules(rules)).toBe(after)
    }),
    { numRuns: 300 },
  )
})
