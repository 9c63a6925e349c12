import { contentOf, type Plain } from './words.ts'

/** A parsed rule and the formatted one that says it, by their indexes. */
export type Pair = { parsed: number; formatted: number }

/** Which formatted rule says which parsed one, and what has no counterpart, by their indexes. */
export type Pairing = {
  pairs: Array<Pair>
  /** A parsed rule that is merged into another one's formatted rule; a formatted rule that is split off another one. */
  extra: Array<Pair>
  /** Parsed rules that nothing says. */
  dropped: Array<number>
  /** Formatted rules that say no parsed one. */
  added: Array<number>
}

/** Two rules, the share of their words that they have in common, and the parsed one's words that the other has. */
type Candidate = Pair & { likeness: number; coverage: number }

/** Below this likeness two rules are not paired by their words. */
const RELATED = 0.2

/** What standing in order counts beside likeness: a rule is seldom moved, and many rules are alike. */
const IN_ORDER = 0.25

/** From this share of its words on, a rule is said in another one's text. */
const COVERED = 0.5

/** A word in more rules than this brings no two of them together, which keeps the work linear. */
const MAX_PLACES = 30

/** The rules that share a telling word; a word counts the more the fewer parsed rules have it. */
const candidatesOf = (parsed: Array<Plain>, formatted: Array<Plain>): Array<Candidate> => {
  const meant = parsed.map((text) => new Set(contentOf(text)))
  const places = new Map(
    meant.flatMap((words) => [...words]).map((word): [string, Array<number>] => [word, []]),
  )
  meant.forEach((words, index) => words.forEach((word) => places.get(word)!.push(index)))
  const weigh = (words: Iterable<string>) =>
    [...words].reduce((sum, word) => sum + 1 / (places.get(word)?.length ?? 1), 0)
  const weights = meant.map(weigh)
  return formatted.flatMap((text, at) => {
    const words = new Set(contentOf(text))
    const weight = weigh(words)
    const near = [...words].map((word) => places.get(word) ?? []).filter(({ length }) => length <= MAX_PLACES)
    return [...new Set(near.flat())].map((index): Candidate => {
      const shared = weigh([...meant[index]!].filter((word) => words.has(word)))
      const likeness = 2 * shared / (weights[index]! + weight)
      return { parsed: index, formatted: at, likeness, coverage: shared / weights[index]! }
    })
  })
}

/**
 * Finds for each parsed rule the formatted one that says it: those with the same words first, then by their order
 * between those. A rule that is left over is merged where another one's text has its words, a text is split off where
 * it has those of a rule that is said already; else it was dropped, or added.
 *
 * Near-linear: only rules that share a telling word are compared.
 */
export const pairRules = (parsed: Array<Plain>, formatted: Array<Plain>): Pairing => {
  const candidates = candidatesOf(parsed, formatted)
  const saidBy = new Map<number, number>()
  const says = new Map<number, number>()
  const pair = (index: number, at: number) => {
    if (index >= parsed.length || saidBy.has(index) || says.has(at)) return
    saidBy.set(index, at)
    says.set(at, index)
  }

  const shift = parsed.length - formatted.length
  const scoreOf = (one: Candidate) => {
    const moved = one.parsed - one.formatted
    return one.likeness + (moved >= Math.min(0, shift) && moved <= Math.max(0, shift) ? IN_ORDER : 0)
  }
  candidates.filter(({ likeness }) => likeness >= RELATED).sort((a, b) => scoreOf(b) - scoreOf(a))
    .forEach((one) => pair(one.parsed, one.formatted))
  // A rule without a word in common stands behind the one before it.
  for (const at of formatted.keys()) pair(at === 0 ? 0 : (says.get(at - 1) ?? parsed.length) + 1, at)

  const merged = candidates.filter((one) => !saidBy.has(one.parsed) && one.coverage >= COVERED)
    .sort((a, b) => a.coverage - b.coverage)
  const split = candidates.filter((one) => !says.has(one.formatted) && one.likeness >= RELATED)
    .sort((a, b) => a.likeness - b.likeness)
  // The last of a rule's candidates stays: the most alike.
  const mergedInto = new Map(merged.map((one) => [one.parsed, one]))
  const splitOff = new Map(split.map((one) => [one.formatted, one]))
  return {
    pairs: [...says].sort(([a], [b]) => a - b).map(([at, index]) => ({ parsed: index, formatted: at })),
    extra: [...mergedInto.values(), ...splitOff.values()],
    dropped: [...parsed.keys()].filter((index) => !saidBy.has(index) && !mergedInto.has(index)),
    added: [...formatted.keys()].filter((at) => !says.has(at) && !splitOff.has(at)),
  }
}
