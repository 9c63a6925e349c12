/** Ten instruction files with the rules, sources and sentences of a model: each is found, and nothing else changes. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectLinear, filled } from '../../test/harness/within-a-second.ts'
import { MODES, type ParsedRule, sourcesOf } from '../rule-schema.ts'
import { withoutMark } from '../text/read.ts'
import { SourcedText } from './index.ts'

const FOLDER = join(import.meta.dir, '../../test/corpora/rules/rewrites')
const FILES = readdirSync(FOLDER).filter((name) => /^\d+\.md$/.test(name))

const read = (name: string) => {
  const rules: Array<{ parsed: ParsedRule; sentence: string }> = JSON.parse(
    readFileSync(join(FOLDER, name.replace('.md', '.rules.json')), 'utf8'),
  )
  return { text: withoutMark(readFileSync(join(FOLDER, name), 'utf8')), rules }
}

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

test.each(FILES)('%s keeps its layout in each mode, and says each rule where its words stood', (name) => {
  const { text, rules } = read(name)
  const sourced = new SourcedText(text, rules.map(({ parsed }) => sourcesOf(parsed)))
  expect(sourced.faults).toEqual([])
  for (const mode of MODES) {
    const after = sourced.withRules(rules.map(({ sentence }) => sentence), mode)
    expect(layoutOf(after)).toEqual(layoutOf(text))
    const onOneLine = after.replace(/\s*\n[ >]*/g, ' ').replace(/[*]+/g, '')
    for (const { sentence } of rules) {
      const [, words = ''] = /^Rule: (.*?)[.。]?$/m.exec(sentence)!
      expect(onOneLine).toContain(words.replace(/[*]+/g, ''))
    }
    const hasReasons = rules.some(({ sentence }) => sentence.includes('Reason:'))
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
