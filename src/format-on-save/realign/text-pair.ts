import type { Range, Stretch } from '../../text/changed-stretch.ts'
import { type Pairs, pairUp } from './pair-up.ts'
import { type Token, tokenCounts, tokenize } from './tokens.ts'

/** What formatters leave alone of a text, and the place of each of its characters. */
type Bare = { text: string; places: Array<number> }

const SPACE = 32
const LAST_ASCII = 127

/** Whether a formatter may put a character in or take it out: white space, a separator, a round bracket. */
const mayChange = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit <= SPACE || (unit <= LAST_ASCII ? ',;()'.includes(text[at]!) : /\s/.test(text[at]!))
}

/** Reduces a range of a text to what formatters leave alone; both kinds of quotes count as one. */
export const bareOf = (text: string, { start, end }: Range): Bare => {
  const kept: Array<string> = []
  const places: Array<number> = []
  for (let at = start; at < end; at += 1) {
    if (mayChange(text, at)) continue
    kept.push(text[at] === "'" ? '"' : text[at]!)
    places.push(at)
  }
  return { text: kept.join(''), places }
}

/** The tokens of a stretch on both sides; `pairOf[i]` is the place of `before[i]` in `after`, or -1. */
export type Alignment = { before: Array<Token>; after: Array<Token>; pairOf: Pairs['pairOf'] }

// The host waits for the work on two texts, every session of it. A step takes some 15 ns: all of them take less than
// 50 ms. A stretch without anchors that is longer than this, or has more edits, is given up.
const MAX_STEPS = 1_500_000
const MAX_STRETCH = 40_000
const MAX_EDITS = 800

// The steps that it takes to begin with a range, for each unit of it, for each token around it, and for each unit of
// both texts to reduce them for a search and to search them.
const RANGE_STEPS = 1_000
const RANGE_UNIT_STEPS = 25
const TOKEN_STEPS = 20
const BARE_STEPS = 3
const SEARCH_STEPS = 0.05

const lengthOf = ({ before, after }: Stretch): number => before.end - before.start + after.end - after.start

/** A text before and after formatting. It keeps what was worked out of the two, and counts the work on them. */
export class TextPair {
  readonly before: string
  readonly after: string
  #stepsLeft = MAX_STEPS
  readonly #alignments = new Map<string, Alignment | null>()
  #bare: { old: Bare; now: Bare } | undefined
  #counts: { old: Map<string, number>; now: Map<string, number> } | undefined

  constructor(before: string, after: string) {
    this.before = before
    this.after = after
  }

  #spend(steps: number): boolean {
    this.#stepsLeft -= steps
    return this.#stepsLeft > 0
  }

  /** Counts the work on a range of the text before; says whether it may still be done. */
  mayCarry({ start, end }: Range): boolean {
    return this.#spend(RANGE_STEPS + (end - start) * RANGE_UNIT_STEPS)
  }

  /** Gives what formatters leave alone of both texts; null where that is too much work. */
  bare(): { old: Bare; now: Bare } | null {
    const { before, after } = this
    if (!this.#spend((before.length + after.length) * (this.#bare ? SEARCH_STEPS : BARE_STEPS))) return null
    return this.#bare ??= {
      old: bareOf(before, { start: 0, end: before.length }),
      now: bareOf(after, { start: 0, end: after.length }),
    }
  }

  /** Counts each word and sign of both texts. */
  tokenCounts(): { old: Map<string, number>; now: Map<string, number> } {
    const { before, after } = this
    return this.#counts ??= {
      old: tokenCounts(tokenize(before, 0, before.length)),
      now: tokenCounts(tokenize(after, 0, after.length)),
    }
  }

  /** Pairs the tokens of a stretch; null where that is too much work. */
  align(stretch: Stretch): Alignment | null {
    const key = [stretch.before.start, stretch.before.end, stretch.after.start, stretch.after.end].join(' ')
    if (!this.#alignments.has(key)) this.#alignments.set(key, this.#align(stretch))
    return this.#alignments.get(key)!
  }

  #align(stretch: Stretch): Alignment | null {
    if (lengthOf(stretch) > MAX_STRETCH || !this.#spend(0)) return null
    const before = tokenize(this.before, stretch.before.start, stretch.before.end)
    const after = tokenize(this.after, stretch.after.start, stretch.after.end)
    this.#spend((before.length + after.length) * TOKEN_STEPS)
    const pairs = pairUp(before.map(({ key }) => key), after.map(({ key }) => key), MAX_EDITS)
    this.#spend((pairs?.edits ?? MAX_EDITS) ** 2 / 2)
    return pairs && { before, after, pairOf: pairs.pairOf }
  }
}
