/**
 * Passes random documents and arguments to everything that reads them. `RUNS=20000` in the environment searches
 * further, from a random seed.
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
import { STORY_TIMEOUT_MS } from '../harness/story.ts'
import { expectWithinASecond } from '../harness/within-a-second.ts'

const PIECES =
  'a;use tabs;NEVER push.;- ;* ;1. ;- [ ] ;# ;> ;| a | b |;|-|-|;```;<!--;-->;---;globs: ;**;_;`;…;...;\\; ;\t;\n;\r\n;\n\n;    ;<x>;</x>;é;e\u0301;使う。;“;”;\u200B;😀;[a](b);[^1]: ;$&;\uFEFF;{a,b};, ;!;9'
    .split(';')

const piece = fc.constantFrom(...PIECES)
// A long run of one piece shows work that is not linear.
const run = fc.tuple(piece, fc.nat(10_000)).map(([text, times]) => text.repeat(times))
const text = fc.array(fc.oneof({ weight: 99, arbitrary: piece }, run), { maxLength: 40, size: 'max' })
  .map((pieces) => pieces.join(''))

/** Draws a part of a document, with or without an ellipsis in it, or another text. */
const sourceIn = (document: string): fc.Arbitrary<string> =>
  fc.oneof(
    text,
    ...[false, true, false].map((isCut) =>
      fc.tuple(fc.nat(document.length), fc.nat(200)).map(([from, length]) => {
        const source = document.slice(from, from + length)
        return isCut ? `${source.slice(0, 9)} … ${source.slice(-9)}` : source
      })
    ),
  )

/** Draws a value as it is, or in another form in which a model may send it. */
const inAnyForm = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 4, arbitrary: value },
    value.map((item) => JSON.stringify(item)),
    value.map((item) => [item]),
    value.map((rules) => ({ rules })),
    fc.constantFrom(null, 7),
    text,
  )

const parsedFrom = (document: string): fc.Arbitrary<unknown> => {
  const target = fc.oneof({ weight: 8, arbitrary: fc.constant('tabs') }, text)
  const strength = fc.constantFrom(...STRENGTHS, 'must')
  const rule = fc.record({
    strength,
    action: fc.constant('use'),
    target,
    source: inAnyForm(sourceIn(document)),
  }, {
    requiredKeys: ['strength', 'action', 'target'],
  })
  return inAnyForm(fc.array(rule, { maxLength: 5 }))
}

const calls = text.chain((document) =>
  fc.record({
    document: fc.constant(document),
    parsed: parsedFrom(document),
    texts: fc.array(text, { minLength: 5, maxLength: 5 }),
    mode: fc.constantFrom<Mode | undefined>(undefined, 'verbose', 'balanced', 'concise'),
    after: fc.option(sourceIn(document), { nil: undefined }),
  })
)

type Calls = typeof calls extends fc.Arbitrary<infer Drawn> ? Drawn : never

test('random documents and arguments: nothing throws, nothing takes long', async () => {
  const play = async ({ document, parsed: sent, texts: drawn, mode, after }: Calls) => {
    const checked = validateJson({ rules: sent }, ParseResponseSchema)
    if (checked.error !== null) formatValidationError(checked)
    const parsed = checked.data?.rules ?? []
    const texts = validateJson({ rules: drawn.slice(0, parsed.length) }, FormatResponseSchema)
    const rules = texts.data?.rules ?? parsed.map(() => 'x')
    const sourced = new SourcedText(document, parsed.map(sourcesOf))
    compareMeaning(parsed, sourced.replaced(), rules)
    if (sourced.faults.length === 0) sourced.withRules(rules, mode)
    await addRules(document, { rules: [drawn[0]!, 'x'], ...(after === undefined ? {} : { after }) })
    findUnsaid(document, drawn[1]!)
    readHeader(document)
  }
  const limited = fc.asyncProperty(calls, (all) => expectWithinASecond('a random document', () => play(all)))
  const { RUNS } = process.env
  await fc.assert(limited, RUNS ? { numRuns: Number(RUNS) } : { numRuns: 150, seed: 20_261_128 })
}, STORY_TIMEOUT_MS)
