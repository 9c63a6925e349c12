/**
 * Random documents and random arguments through everything that reads them, with a limit of one second each.
 *
 * By hand: `bun test/rewriting/random-calls.ts [runs] [seed]`; it prints the slowest run and each that fails.
 */
import { addRules } from '../../src/append.ts'
import { readHeader } from '../../src/delivery/rule-frontmatter.ts'
import { SourcedText } from '../../src/in-place/index.ts'
import { compareMeaning } from '../../src/meaning/compare-meaning.ts'
import { FormatResponseSchema, ParseResponseSchema, sourcesOf, STRENGTHS } from '../../src/rule-schema.ts'
import { unsaidOf } from '../../src/tools/unsaid-lines.ts'
import { formatValidationError, validateJson } from '../../src/validate.ts'
import { type Random, randomOf } from '../formatting/fuzz/random.ts'

const PIECES = [
  ...[
    'a',
    'use tabs',
    'NEVER push.',
    '- ',
    '* ',
    '1. ',
    '- [ ] ',
    '# ',
    '> ',
    '| a | b |',
    '|-|-|',
    '```',
    '<!--',
  ],
  ...[
    '-->',
    '---',
    'globs: ',
    '**',
    '_',
    '`',
    '…',
    '...',
    '\\',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\n\n',
    '    ',
    '<x>',
    '</x>',
  ],
  ...[
    'é',
    'e\u0301',
    '使う。',
    '“',
    '”',
    '\u200B',
    '😀',
    '[a](b)',
    '[^1]: ',
    '$&',
    '\uFEFF',
    '{a,b}',
    ', ',
    '!',
    '9',
  ],
]

const MOST_PIECES = 40
const MOST_REPEATS = 10_000

const textOf = (random: Random): string => {
  const pieces = Array.from({ length: random.below(MOST_PIECES) }, () => random.pick(PIECES))
  // A long run of one piece is where work that is not linear shows.
  if (random.oneIn(4)) {
    pieces.splice(random.below(pieces.length + 1), 0, random.pick(PIECES).repeat(random.below(MOST_REPEATS)))
  }
  return pieces.join('')
}

/** Gives a part of a text, or another text. */
const sourceIn = (random: Random, text: string): string => {
  if (random.oneIn(4)) return textOf(random)
  const from = random.below(text.length + 1)
  const source = text.slice(from, from + random.below(200))
  return random.oneIn(4) ? `${source.slice(0, 9)} … ${source.slice(-9)}` : source
}

const valueOf = (random: Random, value: unknown): unknown =>
  random.pick([
    value,
    value,
    value,
    value,
    JSON.stringify(value),
    [value],
    null,
    7,
    { rules: value },
    textOf(random),
  ])

const parsedOf = (random: Random, text: string): unknown =>
  valueOf(
    random,
    Array.from({ length: random.below(6) }, () => ({
      strength: random.oneIn(20) ? 'must' : random.pick(STRENGTHS),
      action: 'use',
      target: random.oneIn(9) ? textOf(random) : 'tabs',
      ...(random.oneIn(9) ? {} : { source: valueOf(random, sourceIn(random, text)) }),
    })),
  )

/** Reads one random document with random arguments. */
const play = async (random: Random): Promise<void> => {
  const text = textOf(random)
  const checked = validateJson({ rules: parsedOf(random, text) }, ParseResponseSchema)
  if (checked.error !== null) formatValidationError(checked)
  const parsed = checked.data?.rules ?? []
  const texts = validateJson({ rules: parsed.map(() => textOf(random)) }, FormatResponseSchema)
  const sourced = new SourcedText(text, parsed.map(sourcesOf))
  const rules = texts.data?.rules ?? parsed.map(() => 'x')
  compareMeaning(parsed, sourced.replaced(), rules)
  if (sourced.faults.length === 0) {
    sourced.withRules(rules, random.pick([undefined, 'verbose', 'balanced', 'concise']))
  }
  await addRules(text, {
    rules: [textOf(random), 'x'],
    ...(random.oneIn(2) ? { after: sourceIn(random, text) } : {}),
  })
  unsaidOf(text, textOf(random))
  readHeader(text)
}

/** What a run came to. */
export type Played = { seed: number; ms: number; error?: unknown }

/** Plays so many documents, each of its own seed; gives the slowest of them and those that threw. */
export const playRandom = async (
  runs: number,
  seed: number,
): Promise<{ slowest: Played; failed: Array<Played> }> => {
  let slowest: Played = { seed, ms: 0 }
  const failed: Array<Played> = []
  for (let run = 0; run < runs; run++) {
    const start = performance.now()
    let error: unknown
    try {
      await play(randomOf(seed + run))
    } catch (thrown) {
      error = thrown
    }
    const played: Played = { seed: seed + run, ms: performance.now() - start, ...(error ? { error } : {}) }
    if (played.ms > slowest.ms) slowest = played
    if (error) failed.push(played)
  }
  return { slowest, failed }
}

if (import.meta.main) {
  const [runs = 20_000, seed = 1] = process.argv.slice(2).map(Number)
  const { slowest, failed } = await playRandom(runs, seed)
  for (const { seed: at, error } of failed.slice(0, 20)) console.log(`seed ${at}:`, error)
  console.log(
    `${runs} documents: ${failed.length} failed; the slowest took ${
      Math.round(slowest.ms)
    } ms (seed ${slowest.seed})`,
  )
}
