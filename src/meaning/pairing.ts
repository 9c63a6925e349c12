import { contentOf, type Plain } from './words.ts'

/** For each parsed rule the formatted ones that say it, by index, and for each formatted rule the parsed ones. */
export type Pairing = { saidBy: Array<Array<number>>; says: Array<Array<number>> }

/** Below this likeness two rules are not paired by their words. */
const RELATED = 0.2

/** From this share of its words on, a rule that is left over is said in another one's text. */
const COVERED = 0.5

/** A word in more rules than this pairs none of them, which keeps the work linear. */
const MAX_PLACES = 30

/** Two rules, the share of all their words that they have in common, and of the parsed one's that the other has. */
type Candidate = { parsed: number; formatted: number; likeness: number; coverage: number }

/** Finds the rules that share a word, most alike first; a word counts the more the fewer parsed rules have it. */
const candidatesOf = (parsed: Array<Plain>, formatted: Array<Plain>): Array<Candidate> => {
  const meant = parsed.map((text) => new Set(contentOf(text)))
  const places = new Map<string, Array<number>>()
  const placesOf = (word: string) => places.get(word) ?? places.set(word, []).get(word)!
  meant.forEach((words, index) => words.forEach((word) => placesOf(word).push(index)))
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
  }).sort((one, other) => other.likeness - one.likeness)
}

/**
 * Pairs parsed and formatted rules: those with the same words first, then those at the same place between these. A
 * parsed rule that is left over goes to the text that has its words (it was merged), a formatted one to the rule whose
 * words it has (it was split off).
 */
export const pairRules = (parsed: Array<Plain>, formatted: Array<Plain>): Pairing => {
  const saidBy = parsed.map((): Array<number> => [])
  const says = formatted.map((): Array<number> => [])
  const isFree = (indexes: Array<number> | undefined) => indexes?.length === 0
  const pair = (index: number, at: number, isRight = isFree(saidBy[index]) && isFree(says[at])) => {
    if (isRight) saidBy[index]!.push(at)
    if (isRight) says[at]!.push(index)
  }
  const candidates = candidatesOf(parsed, formatted)
  for (const one of candidates) if (one.likeness >= RELATED) pair(one.parsed, one.formatted)
  for (const at of formatted.keys()) pair((says[at - 1]?.[0] ?? -1) + 1, at)
  for (const one of candidates) {
    const isMerged = isFree(saidBy[one.parsed]) && one.coverage >= COVERED
    pair(one.parsed, one.formatted, isMerged || isFree(says[one.formatted]) && one.likeness >= RELATED)
  }
  return { saidBy, says }
}
