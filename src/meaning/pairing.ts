import { contentOf, shareOf } from './words.ts'

/** Above this overlap, a rule that is left over is said in another one's text. */
const COVERED = 0.5

/** A word in more rules than this pairs none of them, which keeps the work linear. */
const MAX_PLACES = 30

const wordsIn = (plain: string): string => (plain.match(/[^\s.,;:!?]+/g) ?? []).join(' ')

/**
 * Finds the rules that share a word, most alike first, and before these the same words; overlap: the share of the shorter
 * one's words in the other.
 */
const candidatesOf = (parsed: Array<string>, formatted: Array<string>) => {
  const meant = parsed.map((text) => new Set(contentOf(text)))
  const places = new Map<string, Array<number>>()
  const placesOf = (word: string) => places.get(word) ?? places.set(word, []).get(word)!
  meant.forEach((words, index) => words.forEach((word) => placesOf(word).push(index)))
  const all = parsed.map(wordsIn)
  return formatted.flatMap((text, at) => {
    const [words, own] = [new Set(contentOf(text)), wordsIn(text)]
    const shared = new Map<number, number>()
    const near = [...words].map(placesOf).filter(({ length }) => length <= MAX_PLACES)
    for (const index of near.flat()) shared.set(index, (shared.get(index) ?? 0) + 1)
    return [...shared].map(([index, amount]) => {
      const { size } = meant[index]!
      const likeness = amount / (size + words.size)
      const isSame = own === all[index]
      return { parsed: index, formatted: at, isSame, likeness, overlap: amount / Math.min(size, words.size) }
    })
  }).sort((one, other) => Number(other.isSame) - Number(one.isSame) || other.likeness - one.likeness)
}

/**
 * Pairs parsed and formatted rules: those with the same words first, then those at the same place between these. One
 * that is left over goes to the one that has its words: a parsed rule was merged into it, a formatted one split off.
 *
 * @returns for each parsed rule the formatted ones that say it, by index, and for each formatted rule the parsed ones
 */
export const pairRules = (parsed: Array<string>, formatted: Array<string>) => {
  const saidBy = parsed.map((): Array<number> => [])
  const says = formatted.map((): Array<number> => [])
  const pairIf = (free: 1 | 2, index: number, at: number) => {
    if ([saidBy[index], says[at]].filter((others) => others?.length === 0).length < free) return
    saidBy[index]!.push(at)
    says[at]!.push(index)
  }
  const candidates = candidatesOf(parsed, formatted)
  for (const one of candidates) pairIf(2, one.parsed, one.formatted)
  for (const at of says.keys()) pairIf(2, (says[at - 1]?.[0] ?? -1) + 1, at)
  // What says one rule in its own words says no other.
  const isTaken = new Set(candidates.filter((one) => one.isSame).map((one) => one.formatted))
  for (const one of candidates) {
    if (one.overlap > COVERED && !(isTaken.has(one.formatted) && saidBy[one.parsed]!.length === 0)) {
      pairIf(1, one.parsed, one.formatted)
    }
  }
  return { saidBy, says }
}

/** Gives the share of the words of formatted rules that parsed ones have, from 0 to 1. */
export const fitOf = (parsed: Array<string>, formatted: Array<string>): number =>
  shareOf(formatted.flatMap(contentOf), parsed.flatMap(contentOf))
