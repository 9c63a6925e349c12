import { commonPrefixLength, commonSuffixLength } from '../text/changed-range.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import type { Pattern } from './patterns.ts'

const hasNoNewMatch = (matches: Array<string>, removedMatches: Array<string>): boolean =>
  matches.length <= removedMatches.length && matches.every((match) => removedMatches.includes(match))

const mostSimilarLine = (
  removed: { text: string; matches: Array<string> },
  matchesByLine: Map<Line, Array<string>>,
): Line | undefined => {
  let nearest: Line | undefined
  let highest = -1
  for (const [line, matches] of matchesByLine) {
    if (!hasNoNewMatch(matches, removed.matches)) continue
    const similarity = commonPrefixLength(removed.text, line.text)
      + commonSuffixLength(removed.text, line.text)
    if (similarity <= highest) continue
    nearest = line
    highest = similarity
  }
  return nearest
}

/**
 * Finds the added lines (of `matching`) that only touch a line: for the pattern `foo`, `foo(1)` touches `foo()`, while
 * `foo(), foo()` has a new match. Each removed line that `mayAccount` accounts for the most similar line of its hunk.
 * The result is incomplete if the budget runs out.
 */
export const touchedLines = async (
  matching: Array<Line>,
  hunks: Array<Hunk>,
  { mayAccount, matchesIn }: { mayAccount: (removed: string) => boolean } & Pick<Pattern, 'matchesIn'>,
  budget: TimeBudget,
): Promise<Set<Line>> => {
  const touched = new Set<Line>()
  const matchingSet = new Set(matching)
  for (const { added, removed } of hunks) {
    if (removed.length === 0) continue
    const { kept: addedMatching } = await budget.filter(added, (line) => matchingSet.has(line))
    if (addedMatching.length === 0) continue
    const { kept: removedMatching } = await budget.filter(removed, mayAccount)
    if (removedMatching.length === 0) continue
    const unassigned = new Map<Line, Array<string>>()
    await budget.forEach(addedMatching, (line) => unassigned.set(line, matchesIn(line.text)))
    await budget.forEach(removedMatching, (text) => {
      const line = mostSimilarLine({ text, matches: matchesIn(text) }, unassigned)
      if (line && unassigned.delete(line)) touched.add(line)
    })
  }
  return touched
}
