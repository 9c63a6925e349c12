/** Rewrites random texts, with some of their sentences as sources. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { SourcedText } from './index.ts'

// Each sentence of a text gets its own number in place of `#`.
const SENTENCES = [
  'Use w# here.',
  '**Never** do `w#`!',
  'Fact w# (so).',
  'Nutze w#, *immer*.',
  'w#を使う。',
  '"w#" stays. Yes?',
]
const STARTS = ',- ,* ,1. ,2) ,- [ ] ,## ,> ,> - ,  - ,   ,\t'.split(',')

const line = fc.record({
  start: fc.constantFrom(...STARTS),
  words: fc.array(fc.constantFrom(...SENTENCES), { minLength: 1, maxLength: 3 }),
  gap: fc.constantFrom('\n', '\n', '\n\n'),
})

const eachInOwnRule = (sources: Array<string>): Array<Array<string>> => sources.map((source) => [source])

const textWithSources = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 10 }),
  lineEnding: fc.constantFrom('\n', '\r\n'),
  picks: fc.array(fc.nat(), { maxLength: 6 }),
}).map(({ lines, lineEnding, picks }) => {
  const sentences: Array<string> = []
  const addNumbered = (sentence: string): string => {
    sentences.push(sentence.replace('#', `${1_000 + sentences.length}`))
    return sentences.at(-1)!
  }
  const text = lines.map(({ start, words, gap }) => start + words.map(addNumbered).join(' ') + gap)
    .join('').replaceAll('\n', lineEnding)
  const chosen = new Set(picks.map((pick) => sentences[pick % sentences.length]!))
  const sources = sentences.filter((sentence) => chosen.has(sentence))
  return { text, sources, areFound: new SourcedText(text, eachInOwnRule(sources)).faults.length === 0 }
}).filter(({ areFound }) => areFound)

const rewrite = (text: string, sources: Array<Array<string>>, rules: Array<string>): string => {
  const sourced = new SourcedText(text, sources)
  expect(sourced.faults).toEqual([])
  return sourced.withRules(rules).text
}

test('a rewrite replaces only its sources, and can be reversed', () => {
  fc.assert(
    fc.property(textWithSources, ({ text, sources }) => {
      const rules = sources.map((_, at) => `Rule R${at} is so`)
      const expected = sources.reduce((before, source, at) => before.replace(source, () => rules[at]!), text)
      expect(rewrite(text, eachInOwnRule(sources), rules)).toBe(expected)
      expect(rewrite(expected, eachInOwnRule(rules), rules)).toBe(expected)
      expect(rewrite(expected, eachInOwnRule(rules), sources)).toBe(text)
      expect(rewrite(text, eachInOwnRule(sources), sources)).toBe(text)
    }),
    { numRuns: 500 },
  )
})

test('the text of a rule replaces its first source, and the others are removed', () => {
  fc.assert(
    fc.property(textWithSources, ({ text, sources }) => {
      if (sources.length === 0) return
      const namesIn = (words: string): Array<string> => words.match(/w\d{4}|R0/g) ?? []
      const [first = '', ...others] = sources.flatMap(namesIn)
      const after = rewrite(text, [sources], ['Rule R0 is so'])
      expect(namesIn(after)).toEqual(
        namesIn(text).filter((name) => !others.includes(name))
          .map((name) => name === first ? 'R0' : name),
      )
    }),
    { numRuns: 300 },
  )
})
