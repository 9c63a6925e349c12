/** `RUNS=20000` in the environment sets 20,000 runs and a random seed. */
import { test } from 'bun:test'
import fc from 'fast-check'
import { addRules } from '../../src/append.ts'
import { sourcedText } from '../../src/in-place/index.ts'
import { compareMeaning } from '../../src/meaning/compare-meaning.ts'
import { FormatResponseSchema, type Mode, sourcesOf, STRENGTHS } from '../../src/rule-schema.ts'
import { findUnsaid } from '../../src/tools/unsaid-lines.ts'
import { validateJson } from '../../src/validate.ts'
import { expectNoHang } from '../harness/processor-time.ts'
import { STORY_TIMEOUT_MS } from '../harness/story.ts'

const PIECES =
  'a;use tabs;NEVER push.;- ;* ;1. ;- [ ] ;# ;> ;| a | b |;|-|-|;```;<!--;-->;---;globs: ;**;_;`;…;...;\\; ;\t;\n;\r\n;\n\n;    ;<x>;</x>;é;e\u0301;使う。;“;”;\u200B;😀;[a](b);[^1]: ;$&;\uFEFF;{a,b};, ;!;9'
    .split(';')

const piece = fc.constantFrom(...PIECES)
/** Repeats a piece up to 10,000 times, so that quadratic work exceeds the time limit. */
const repeated = fc.tuple(piece, fc.nat(10_000)).map(([text, times]) => text.repeat(times))

const text = fc.array(fc.oneof({ weight: 99, arbitrary: piece }, repeated), { maxLength: 40, size: 'max' })
  .map((pieces) => pieces.join(''))

const sourceIn = (document: string): fc.Arbitrary<string> => {
  const part = fc.record({ from: fc.nat(document.length), length: fc.nat(200), isShortened: fc.boolean() })
    .map(({ from, length, isShortened }) => {
      const words = document.slice(from, from + length)
      return isShortened ? `${words.slice(0, 9)} … ${words.slice(-9)}` : words
    })
  return fc.oneof(text, { weight: 3, arbitrary: part })
}

const documentAndRules = text.chain((document) =>
  fc.record({
    document: fc.constant(document),
    strength: fc.constantFrom(...STRENGTHS),
    sources: fc.array(sourceIn(document), { maxLength: 5 }),
    texts: fc.tuple(text, text, text, text, text), // enough for 5 sources
    mode: fc.constantFrom<Mode>('verbose', 'balanced', 'concise'),
    after: sourceIn(document),
  })
)

test('no function throws or hangs on random documents and rules', async () => {
  const property = fc.asyncProperty(
    documentAndRules,
    ({ document, strength, sources, texts, mode, after }) =>
      expectNoHang('a random document', async () => {
        const rules = sources.map((source) => ({ strength, action: 'use', target: 'tabs', source }))
        const sourced = sourcedText(document, rules.map(sourcesOf))
        const formatting = validateJson({ rules: texts.slice(0, rules.length) }, FormatResponseSchema)
        const formatted = formatting.data?.rules ?? rules.map(() => 'x')
        compareMeaning(rules, sourced.wordsToReplace(), formatted)
        if (sourced.faults.length === 0) sourced.withRules(formatted, mode)
        await addRules(document, { rules: [texts[0], 'x'], after })
        findUnsaid(document, texts[1])
      }),
  )
  const { RUNS } = process.env
  await fc.assert(property, RUNS ? { numRuns: Number(RUNS) } : { numRuns: 150, seed: 20_261_128 })
}, STORY_TIMEOUT_MS)
