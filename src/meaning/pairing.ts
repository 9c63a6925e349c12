import { contentOf, type Plain } from './words.ts'

/** For each rule of one side the indexes of those of the other that it belongs to. */
export type Pairing = {
  /** For each parsed rule those that say it: none where it was dropped, several where it was split. */
  saidBy: Array<Array<number>>
  /** For each formatted rule those that it says: none where it was added, several where it merges them. */
  says: Array<Array<number>>
}

/** Two rules, the share of all their words that they have in common, and of the parsed one's that the other has. */
type Candidate = { parsed: number; formatted: number; likeness: number; coverage: number }

/** Below this likeness two rules are not paired by their words. */
const RELATED = 0.2

/** From this share of its words on, a rule that is left over is said in another one's text. */
const COVERED = 0.5

/** A word in more rules than this brings no two of them together, which keeps the work linear. */
const MAX_PLACES = 30

/** Finds the rules that share a telling word, most alike first; a word counts the more the fewer parsed rules have it. */
const candidatesOf = (parsed: Array<Plain>, formatted: Array<Plain>): Array<Candidate> => {
  const meant = parsed.map((text) => new Set(contentOf(text)))
  const places = new Map(meant.flatMap((words) => [...words]).map((word) => [word, new Array<number>()]))
  meant.forEach((words, index) => words.forEach((word) => places.get(word)!.push(index)))
  const weigh = (words: Iterable<string>) =>
    [...words].reduce((sum, word) => sum + 1 / (places.get(word)?.length ?? 1), 0)
  const weights = meant.map(weigh)
  const candidates = formatted.flatMap((text, at) => {
    const words = new Set(contentOf(text))
    const weight = weigh(words)
    const near = [...words].map((word) => places.get(word) ?? []).filter(({ length }) => length <= MAX_PLACES)
    return [...new Set(near.flat())].map((index): Candidate => {
      const shared = weigh([...meant[index]!].filter((word) => words.has(word)))
      const likeness = 2 * shared / (weights[index]! + weight)
      return { parsed: index, formatted: at, likeness, coverage: shared / weights[index]! }
    })
  })
  return candidates.sort((one, other) => other.likeness - one.likeness)
}

/**
 * Finds for each parsed rule the formatted one that says it: those with the same words first, then by their order
 * between those. A parsed rule that is left over then goes to the text that has its words (it was merged), a formatted
 * one to the rule whose words it has (it was split off).
 *
 * Near-linear: only rules that share a telling word are compared.
 */
export const pairRules = (parsed: Array<Plain>, formatted: Array<Plain>): Pairing => {
  const saidBy = parsed.map((): Array<number> => [])
  const says = formatted.map((): Array<number> => [])
  const isFree = (indexes: Array<number> | undefined) => indexes?.length === 0
  const pair = (index: number, at: number) => {
    saidBy[index]!.push(at)
    says[at]!.push(index)
  }
  const pairIfFree = (index: number, at: number) => {
    if (isFree(saidBy[index]) && isFree(says[at])) pair(index, at)
  }

  const candidates = candidatesOf(parsed, formatted)
  for (const one of candidates) if (one.likeness >= RELATED) pairIfFree(one.parsed, one.formatted)
  // A rule without a word in common stands behind the one before it.
  for (const at of formatted.keys()) pairIfFree((says[at - 1]?.[0] ?? -1) + 1, at)
  for (const one of candidates) {
    const isMerged = isFree(saidBy[one.parsed]) && one.coverage >= COVERED
    const isSplitOff = isFree(says[one.formatted]) && one.likeness >= RELATED
    if (isMerged || isSplitOff) pair(one.parsed, one.formatted)
  }
  return { saidBy, says }
}
