/**
 * Finds touched lines: added lines whose matches of a forbidden pattern were already in the line that they replaced.
 * For the pattern `foo`, `foo(1)` in place of `foo()` is touched, but `foo(), foo()` is not.
 */
import { commonPrefixLength, commonSuffixLength } from '../text/changed-range.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import type { Pattern } from './patterns.ts'

const hasNoNewMatch = (matches: Array<string>, removedMatches: Array<string>): boolean =>
  matches.length <= removedMatches.length && matches.every((match) => removedMatches.includes(match))

/** Returns the line that is most similar to the removed text. */
const mostSimilar = (lines: Array<Line>, removed: string): Line | undefined => {
  const similarities = lines.map(({ text }) =>
    commonPrefixLength(removed, text) + commonSuffixLength(removed, text)
  )
  return lines[similarities.indexOf(Math.max(...similarities))]
}

// Comparing each removed line with all added lines would take quadratic time.
const MAX_DISTANCE = 20

const itemsAround = <Item>(items: Array<Item>, position: number): Array<Item> =>
  items.slice(Math.max(0, position - MAX_DISTANCE), Math.max(0, position + MAX_DISTANCE + 1))

/**
 * Finds the touched lines in `matching`, the added lines that match the pattern. A touched line replaces a tolerated
 * line: a removed line that matched but was not reported. If the budget runs out, some touched lines are missing.
 */
export const touchedLines = async (
  matching: Array<Line>,
  hunks: Array<Hunk>,
  isTolerated: (removed: string) => boolean,
  matchesIn: Pattern['matchesIn'],
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
    const lines: Array<{ line: Line; matches: Array<string> }> = []
    await budget.forEach(addedMatching, (line) => lines.push({ line, matches: matchesIn(line.text) }))
    // If the hunk also adds lines above it, the replacement is as far from the end of the hunk as the old line was.
    const shift = lines.length - tolerated.length
    await budget.forEach([...tolerated.entries()], ([index, text]) => {
      const removedMatches = matchesIn(text)
      const candidates = [...itemsAround(lines, index), ...itemsAround(lines, index + shift)]
        .filter(({ line, matches }) => !touched.has(line) && hasNoNewMatch(matches, removedMatches))
      const replacement = mostSimilar(candidates.map(({ line }) => line), text)
      if (replacement) touched.add(replacement)
    })
  }
  return touched
}
