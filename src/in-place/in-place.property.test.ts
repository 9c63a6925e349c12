import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { sourcedText } from './index.ts'

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

const withSources = (text: string, sources: Array<string | Array<string>>) =>
  sourcedText(text, sources.map((source) => [source].flat()))

// Sources are the sentences to replace. Texts with a source in indented code, where nothing is replaced, are left out.
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
  return { text, sources: sentences.filter((sentence) => chosen.has(sentence)) }
}).filter(({ text, sources }) => withSources(text, sources).faults.length === 0)

const checkAll = (check: (drawn: { text: string; sources: Array<string> }) => void): void =>
  fc.assert(fc.property(textWithSources, check), { numRuns: 500 })

const rewrite = (text: string, sources: Array<string | Array<string>>, rules: Array<string>): string => {
  const sourced = withSources(text, sources)
  expect(sourced.faults).toEqual([])
  return sourced.withRules(rules).text
}

test('a rewrite replaces only its sources, and can be reversed', () =>
  checkAll(({ text, sources }) => {
    const rules = sources.map((_, at) => `Rule R${at} is so`)
    const expected = sources.reduce((before, source, at) => before.replace(source, () => rules[at]!), text)
    expect(rewrite(text, sources, rules)).toBe(expected)
    expect(rewrite(expected, rules, rules)).toBe(expected)
    expect(rewrite(expected, rules, sources)).toBe(text)
    expect(rewrite(text, sources, sources)).toBe(text)
  }))

test('a rule replaces its first source, and its other sources are removed', () =>
  checkAll(({ text, sources }) => {
    // A list item's first line cannot be removed if later lines of the item remain.
    fc.pre(withSources(text, [sources]).faults.length === 0)
    const namesIn = (words: string): Array<string> => words.match(/w\d{4}|R0/g) ?? []
    const [first = '', ...others] = sources.flatMap(namesIn)
    const expected = namesIn(text).filter((name) => !others.includes(name))
      .map((name) => name === first ? 'R0' : name)
    expect(namesIn(rewrite(text, [sources], ['Rule R0 is so']))).toEqual(expected)
  }))
