/**
 * Finds "touched" lines: added lines whose matches of a forbidden pattern were in a removed line already. For the
 * pattern `foo`, `foo(1)` in place of `foo()` is touched; `foo(), foo()` is a new violation, because it adds a match.
 */
import { commonPrefixLength, commonSuffixLength } from '../text/changed-range.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import type { Pattern } from './patterns.ts'

const hasNoNewMatch = (matches: Array<string>, removedMatches: Array<string>): boolean =>
  matches.length <= removedMatches.length && matches.every((match) => removedMatches.includes(match))

/** Of added lines without a new match, returns the one most similar to a removed line; undefined if there is none. */
const mostSimilarLine = (
  removed: { text: string; matches: Array<string> },
  matchesByAdded: Map<Line, Array<string>>,
): Line | undefined => {
  let mostSimilar: Line | undefined
  let highest = -1
  for (const [line, matches] of matchesByAdded) {
    if (!hasNoNewMatch(matches, removed.matches)) continue
    const similarity = commonPrefixLength(removed.text, line.text)
      + commonSuffixLength(removed.text, line.text)
    if (similarity > highest) [mostSimilar, highest] = [line, similarity]
  }
  return mostSimilar
}

/**
 * Finds the touched lines among the added lines that match the pattern (`matching`). Each removed line for which
 * `mayExcuse` is true excuses one added line of its hunk, which is then touched: the most similar line that is not
 * excused yet. If the budget runs out, some touched lines are missing.
 */
export const touchedLines = async (
  matching: Array<Line>,
  hunks: Array<Hunk>,
  { mayExcuse, matchesIn }: { mayExcuse: (removed: string) => boolean } & Pick<Pattern, 'matchesIn'>,
  budget: TimeBudget,
): Promise<Set<Line>> => {
  const touched = new Set<Line>()
  const matchingSet = new Set(matching)
  for (const { added, removed } of hunks) {
    if (removed.length === 0) continue
    const { kept: addedMatching } = await budget.filter(added, (line) => matchingSet.has(line))
    if (addedMatching.length === 0) continue
    const { kept: excusing } = await budget.filter(removed, mayExcuse)
    if (excusing.length === 0) continue
    const unexcused = new Map<Line, Array<string>>()
    await budget.forEach(addedMatching, (line) => unexcused.set(line, matchesIn(line.text)))
    await budget.forEach(excusing, (text) => {
      const line = mostSimilarLine({ text, matches: matchesIn(text) }, unexcused)
      if (!line) return
      unexcused.delete(line)
      touched.add(line)
    })
  }
  return touched
}
