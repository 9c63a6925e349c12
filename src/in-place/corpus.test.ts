/** Ten instruction files with the rules, sources and sentences of a model: each is found, and nothing else changes. */
import { expect, test } from 'bun:test'
import { filesToRewrite } from '../../test/corpora/corpus.ts'
import { expectLinear, filled } from '../../test/harness/within-a-second.ts'
import { MODES } from '../rule-schema.ts'
import { SourcedText } from './index.ts'

const FILES = filesToRewrite()

/** Lists what a rewrite must keep: headings, tables and code, line by line. */
const layoutOf = (text: string): Array<string> => {
  let isCode = false
  return text.split(/\r?\n/).filter((line) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    return isFence || isCode || /^(?:#|={3,}|-{3,}|\|)/.test(line) || /^(?: {4}|\t)[a-z]/.test(line)
  }).map((line) => line.trim())
}

test('there are ten files', () => expect(FILES).toHaveLength(10))

test.each(FILES)('$file keeps its layout in each mode, and says each rule where its words stood', (one) => {
  const { text, sourced, sentences } = one
  expect(sourced.faults).toEqual([])
  for (const mode of MODES) {
    const after = sourced.withRules(sentences, mode)
    expect(layoutOf(after)).toEqual(layoutOf(text))
    const onOneLine = after.replace(/\s*\n[ >]*/g, ' ').replace(/[*]+/g, '')
    for (const sentence of sentences) {
      const [, words = ''] = /^Rule: (.*?)[.。]?$/m.exec(sentence)!
      expect(onOneLine).toContain(words.replace(/[*]+/g, ''))
    }
    const hasReasons = sentences.some((sentence) => sentence.includes('Reason:'))
    expect(after.includes('Reason:')).toBe(mode === 'verbose' && hasReasons)
    expect(after.includes('Rule:')).toBe(false)
    expect(after).not.toMatch(/\n\s*\n\s*\n/)
  }
})

// Each is repeated, and has the source `a` where none is named.
const UNITS = [
  ...'*a ;1. ;[a](;`a` ];• a\n;[^1]:\n• ;<!-- a -->;**a:** ;<x>a ;(a '.split(';'),
  ...'- use a or b, as you like\n;<rule>\n    use a or b, as you like\n'.split(';'),
]

const HOSTILE: Array<[unit: string, source: string]> = [
  ...UNITS.map((unit): [string, string] => [unit, 'a']),
  ['a ', 'a … b'],
  ['a. b\n', 'b'],
  ['Use a or b as you like\n', 'Use a … like Use b'],
  ['use a or b, as you like ', 'USE A OR B … AS YOU LIKE z'],
]

test.each(HOSTILE)(
  'a text full of %j, and a source of it, take time that grows as the text does',
  async (unit, source) => {
    await expectLinear(`sources in ${JSON.stringify(unit)}`, (size) => {
      const sourced = new SourcedText(filled(unit, size / 2), [[source], ['b']])
      sourced.withRules(['Rule: x', 'Rule: y'])
      sourced.unsourced()
      sourced.restated()
    })
  },
)
