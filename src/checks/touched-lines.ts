/**
 * Finds touched lines: added lines whose matches of a forbidden pattern were already in the line that they replaced.
 * For the pattern `foo`, `foo(1)` in place of `foo()` is touched. `foo(), foo()` is not, because it adds a match.
 */
import { commonPrefixLength, commonSuffixLength } from '../text/changed-range.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import type { Pattern } from './patterns.ts'

const hasNoNewMatch = (matches: Array<string>, removedMatches: Array<string>): boolean =>
  matches.length <= removedMatches.length && matches.every((match) => removedMatches.includes(match))

type MatchingLine = { line: Line; matches: Array<string> }

/** Finds the added line that replaced a removed line: the most similar line without a new match. */
const replacementOf = (
  removed: { text: string; matches: Array<string> },
  candidates: Array<MatchingLine>,
): Line | undefined => {
  let replacement: Line | undefined
  let highest = -1
  for (const { line, matches } of candidates) {
    if (!hasNoNewMatch(matches, removed.matches)) continue
    const similarity = commonPrefixLength(removed.text, line.text)
      + commonSuffixLength(removed.text, line.text)
    if (similarity > highest) [replacement, highest] = [line, similarity]
  }
  return replacement
}

// A removed line is compared only with added lines near its position. Comparing all would take quadratic time.
const MAX_DISTANCE = 20

/** Returns the items around a position, which may be outside of the list. */
const itemsAround = <Item>(items: Array<Item>, position: number): Array<Item> =>
  items.slice(Math.max(0, position - MAX_DISTANCE), Math.max(0, position + MAX_DISTANCE + 1))

/**
 * Finds the touched lines among the added lines that match the pattern (`matching`). A removed line was tolerated
 * (`isTolerated`) if it matched the pattern, but was not reported. Only the replacement of a tolerated line, in the
 * same hunk, is touched. If the budget runs out, some touched lines are missing.
 */
export const touchedLines = async (
  matching: Array<Line>,
  hunks: Array<Hunk>,
  { isTolerated, matchesIn }: { isTolerated: (removed: string) => boolean } & Pick<Pattern, 'matchesIn'>,
  budget: TimeBudget,
): Promise<Set<Line>> => {
  const touched = new Set<Line>()
  const matchingSet = new Set(matching)
  for (const { added, removed } of hunks) {
    if (removed.length === 0) continue
    const { kept: addedMatching } = await budget.filter(added, (line) => matchingSet.has(line))
    if (addedMatching.length === 0) continue
    const { kept: tolerated } = await budget.filter(removed, isTolerated)
    if (tolerated.length === 0) continue
    const lines: Array<MatchingLine> = []
    await budget.forEach(addedMatching, (line) => lines.push({ line, matches: matchesIn(line.text) }))
    // If lines were inserted above, the replacement has the same position when counted from the end.
    const shift = lines.length - tolerated.length
    await budget.forEach([...tolerated.entries()], ([index, text]) => {
      const nearby = [...itemsAround(lines, index), ...itemsAround(lines, index + shift)]
      const candidates = nearby.filter(({ line }) => !touched.has(line))
      const replacement = replacementOf({ text, matches: matchesIn(text) }, candidates)
      if (replacement) touched.add(replacement)
    })
  }
  return touched
}
