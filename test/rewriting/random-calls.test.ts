/**
 * Passes random documents and arguments to the functions that read them. `RUNS=20000` in the environment tries more of
 * them, from a random seed.
 */
import { test } from 'bun:test'
import fc from 'fast-check'
import { addRules } from '../../src/append.ts'
import { readHeader } from '../../src/delivery/rule-frontmatter.ts'
import { SourcedText } from '../../src/in-place/index.ts'
import { compareMeaning } from '../../src/meaning/compare-meaning.ts'
import {
  FormatResponseSchema,
  type Mode,
  ParseResponseSchema,
  sourcesOf,
  STRENGTHS,
} from '../../src/rule-schema.ts'
import { findUnsaid } from '../../src/tools/unsaid-lines.ts'
import { formatValidationError, validateJson } from '../../src/validate.ts'
import { expectNoHang } from '../harness/processor-time.ts'
import { STORY_TIMEOUT_MS } from '../harness/story.ts'

const PIECES =
  'a;use tabs;NEVER push.;- ;* ;1. ;- [ ] ;# ;> ;| a | b |;|-|-|;```;<!--;-->;---;globs: ;**;_;`;…;...;\\; ;\t;\n;\r\n;\n\n;    ;<x>;</x>;é;e\u0301;使う。;“;”;\u200B;😀;[a](b);[^1]: ;$&;\uFEFF;{a,b};, ;!;9'
    .split(';')

const piece = fc.constantFrom(...PIECES)
// A long run of one piece shows work that is not linear.
const run = fc.tuple(piece, fc.nat(10_000)).map(([text, times]) => text.repeat(times))
const text = fc.array(fc.oneof({ weight: 99, arbitrary: piece }, run), { maxLength: 40, size: 'max' })
  .map((pieces) => pieces.join(''))

/** Draws a part of a document, or another text. In one of three parts, an ellipsis replaces the middle. */
const sourceIn = (document: string): fc.Arbitrary<string> => {
  const part = fc.record({ from: fc.nat(document.length), length: fc.nat(200), cut: fc.nat(2) })
    .map(({ from, length, cut }) => {
      const source = document.slice(from, from + length)
      return cut === 0 ? `${source.slice(0, 9)} … ${source.slice(-9)}` : source
    })
  return fc.oneof(text, { weight: 3, arbitrary: part })
}

/** Draws a value as it is, or in another form in which a model may send it. */
const inAnyForm = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => {
  const otherForms = value.map((sent) => [JSON.stringify(sent), [sent], { rules: sent }])
    .chain((forms) => fc.constantFrom<unknown>(...forms, null, 7))
  return fc.oneof({ weight: 4, arbitrary: value }, { weight: 4, arbitrary: otherForms }, text)
}

/** Draws the argument of a call of parse-rules about a document, valid or not. */
const parsedFrom = (document: string): fc.Arbitrary<unknown> => {
  const rule = fc.record({
    strength: fc.constantFrom(...STRENGTHS, 'must'),
    action: fc.constant('use'),
    target: fc.oneof({ weight: 8, arbitrary: fc.constant('tabs') }, text),
    source: inAnyForm(sourceIn(document)),
  }, { requiredKeys: ['strength', 'action', 'target'] })
  return inAnyForm(fc.array(rule, { maxLength: 5 }))
}

const documentsWithCalls = text.chain((document) =>
  fc.record({
    document: fc.constant(document),
    parsed: parsedFrom(document),
    texts: fc.tuple(text, text, text, text, text),
    mode: fc.constantFrom<Mode | undefined>(undefined, 'verbose', 'balanced', 'concise'),
    after: fc.option(sourceIn(document), { nil: undefined }),
  })
)

test('no reader of random documents and arguments throws or hangs', async () => {
  const property = fc.asyncProperty(
    documentsWithCalls,
    ({ document, parsed, texts, mode, after }) =>
      expectNoHang('a random document', async () => {
        const checked = validateJson({ rules: parsed }, ParseResponseSchema)
        if (checked.error !== null) formatValidationError(checked)
        const rules = checked.data?.rules ?? []
        const sent = validateJson({ rules: texts.slice(0, rules.length) }, FormatResponseSchema)
        const formatted = sent.data?.rules ?? rules.map(() => 'x')
        const sourced = new SourcedText(document, rules.map(sourcesOf))
        compareMeaning(rules, sourced.replaced(), formatted)
        if (sourced.faults.length === 0) sourced.withRules(formatted, mode)
        await addRules(document, { rules: [texts[0], 'x'], ...(after === undefined ? {} : { after }) })
        findUnsaid(document, texts[1])
        readHeader(document)
      }),
  )
  const { RUNS } = process.env
  await fc.assert(property, RUNS ? { numRuns: Number(RUNS) } : { numRuns: 150, seed: 20_261_128 })
}, STORY_TIMEOUT_MS)
