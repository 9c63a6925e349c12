/** Every byte outside of the sources stays, in any text with any sources. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { SourcedText } from './index.ts'

// Words in several scripts and forms, each with a number of its own.
const WORDS = [
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
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
  gap: fc.constantFrom('\n', '\n', '\n\n'),
})

/** A text of words, and some of these as sources, in their order. */
const drawn = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 10 }),
  lineEnding: fc.constantFrom('\n', '\r\n'),
  picks: fc.array(fc.nat(), { maxLength: 6 }),
}).map(({ lines, lineEnding, picks }) => {
  let number = 1_000
  const all: Array<string> = []
  const text = lines.map(({ start, words, gap }) =>
    start + words.map((one) => {
      const numbered = one.replace('#', String(number++))
      all.push(numbered)
      return numbered
    }).join(' ') + gap
  ).join('').replaceAll('\n', lineEnding)
  const chosen = new Set(picks.map((pick) => all[pick % all.length]!))
  const sources = all.filter((one) => chosen.has(one))
  return { text, sources, isFound: new SourcedText(text, sources.map((one) => [one])).faults.length === 0 }
}).filter(({ isFound }) => isFound)

const rewrite = (text: string, sources: Array<Array<string>>, rules: Array<string>): string => {
  const sourced = new SourcedText(text, sources)
  expect(sourced.faults).toEqual([])
  return sourced.withRules(rules).text
}

const alone = (all: Array<string>): Array<Array<string>> => all.map((one) => [one])

test('a rewrite replaces the words of its sources, and nothing else', () => {
  fc.assert(
    fc.property(drawn, ({ text, sources }) => {
      const rules = sources.map((_, at) => `Rule R${at} is so`)
      const expected = sources.reduce((before, source, at) => before.replace(source, () => rules[at]!), text)
      expect(rewrite(text, alone(sources), rules)).toBe(expected)
    }),
    { numRuns: 500 },
  )
})

test('the own words change nothing, the old words put back give the old text, and twice is once', () => {
  fc.assert(
    fc.property(drawn, ({ text, sources }) => {
      expect(rewrite(text, alone(sources), sources)).toBe(text)
      const rules = sources.map((_, at) => `Rule R${at} is so`)
      const after = rewrite(text, alone(sources), rules)
      expect(rewrite(after, alone(rules), rules)).toBe(after)
      expect(rewrite(after, alone(rules), sources)).toBe(text)
    }),
    { numRuns: 300 },
  )
})

test('the sources of one rule: its text stands at the first, the words of the others go, all else stays in order', () => {
  fc.assert(
    fc.property(drawn, ({ text, sources }) => {
      if (sources.length === 0) return
      const numbersIn = (words: string): Array<string> => words.match(/w\d{4}|R0/g) ?? []
      const [first = '', ...others] = sources.flatMap(numbersIn)
      const after = rewrite(text, [sources], ['Rule R0 is so'])
      expect(numbersIn(after)).toEqual(
        numbersIn(text).filter((one) => !others.includes(one)).map((one) => one === first ? 'R0' : one),
      )
    }),
    { numRuns: 300 },
  )
})
