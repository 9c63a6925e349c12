import { contentOf } from './words.ts'

/** Above this overlap, a rule that is left over is said in another one's text. */
const COVERED = 0.5

/** A word in more rules than this pairs none of them, which keeps the work linear. */
const MAX_PLACES = 30

/** Finds the rules that share a word, most alike first; overlap: the share of the shorter one's words in the other. */
const candidatesOf = (parsed: Array<string>, formatted: Array<string>) => {
  const meant = parsed.map((text) => new Set(contentOf(text)))
  const places = new Map<string, Array<number>>()
  const placesOf = (word: string) => places.get(word) ?? places.set(word, []).get(word)!
  meant.forEach((words, index) => words.forEach((word) => placesOf(word).push(index)))
  return formatted.flatMap((text, at) => {
    const words = new Set(contentOf(text))
    const shared = new Map<number, number>()
    const near = [...words].map(placesOf).filter(({ length }) => length <= MAX_PLACES)
    for (const index of near.flat()) shared.set(index, (shared.get(index) ?? 0) + 1)
    return [...shared].map(([index, amount]) => {
      const { size } = meant[index]!
      const likeness = amount / (size + words.size)
      return { parsed: index, formatted: at, likeness, overlap: amount / Math.min(size, words.size) }
    })
  }).sort((one, other) => other.likeness - one.likeness)
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
  for (const one of candidates) if (one.overlap > COVERED) pairIf(1, one.parsed, one.formatted)
  return { saidBy, says }
}
