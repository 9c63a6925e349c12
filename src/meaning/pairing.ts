import { contentOf } from './words.ts'

/** Two rules, how alike their words are, and the share of the shorter one's words in the other. */
type Candidate = { parsed: number; formatted: number; likeness: number; overlap: number }

/** Above this overlap, a rule that is left over is said in another one's text. */
const COVERED = 0.5

/** A word in more rules than this pairs none of them, which keeps the work linear. */
const MAX_PLACES = 30

/** Finds the rules that share a word, most alike first. */
const candidatesOf = (parsed: Array<string>, formatted: Array<string>): Array<Candidate> => {
  const meant = parsed.map((text) => new Set(contentOf(text)))
  const places = new Map<string, Array<number>>()
  const placesOf = (word: string) => places.get(word) ?? places.set(word, []).get(word)!
  meant.forEach((words, index) => words.forEach((word) => placesOf(word).push(index)))
  return formatted.flatMap((text, at) => {
    const words = new Set(contentOf(text))
    const shared = new Map<number, number>()
    const near = [...words].map(placesOf).filter(({ length }) => length <= MAX_PLACES)
    for (const index of near.flat()) shared.set(index, (shared.get(index) ?? 0) + 1)
    return [...shared].map(([index, amount]): Candidate => {
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
  const pairIf = (needed: 'one is free' | 'both are free', index: number, at: number) => {
    const [isFree, isOtherFree] = [saidBy[index]?.length === 0, says[at]?.length === 0]
    if (needed === 'one is free' ? !isFree && !isOtherFree : !isFree || !isOtherFree) return
    saidBy[index]!.push(at)
    says[at]!.push(index)
  }
  const candidates = candidatesOf(parsed, formatted)
  for (const one of candidates) pairIf('both are free', one.parsed, one.formatted)
  for (const at of says.keys()) pairIf('both are free', (says[at - 1]?.[0] ?? -1) + 1, at)
  for (const one of candidates) if (one.overlap > COVERED) pairIf('one is free', one.parsed, one.formatted)
  return { saidBy, says }
}
