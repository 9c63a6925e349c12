/** Finds the lines that a step only touched: their matches of a pattern were already in the lines that they replace. */
import { commonPrefixLength, commonSuffixLength } from '../text/changed-range.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import type { Pattern } from './patterns.ts'

/** Finds the added line most similar to a removed line, among those whose matches all occur in the removed line. */
const mostSimilarLine = (
  removed: string,
  removedMatches: Array<string>,
  matchesByLine: Map<Line, Array<string>>,
): Line | undefined => {
  let nearest: { line: Line; similarity: number } | undefined
  for (const [line, matches] of matchesByLine) {
    const hasOnlyOldMatches = matches.length <= removedMatches.length
      && matches.every((match) => removedMatches.includes(match))
    const similarity = hasOnlyOldMatches
      ? commonPrefixLength(removed, line.text) + commonSuffixLength(removed, line.text)
      : -1
    if (similarity > (nearest?.similarity ?? -1)) nearest = { line, similarity }
  }
  return nearest?.line
}

/**
 * Finds, among added lines that match a pattern, those whose matches were already in a line that they replace. Each
 * replaced line accounts for one added line, the most similar. The result is incomplete if the budget runs out.
 */
export const touchedLines = async (
  matching: Array<Line>,
  hunks: Array<Hunk>,
  { isIn, matchesIn }: Pick<Pattern, 'isIn' | 'matchesIn'>,
  budget: TimeBudget,
): Promise<Set<Line>> => {
  const touched = new Set<Line>()
  const matchingLines = new Set(matching)
  for (const { added, removed } of hunks) {
    if (removed.length === 0) continue
    const { kept: addedMatching } = await budget.filter(added, (line) => matchingLines.has(line))
    if (addedMatching.length === 0) continue
    const { kept: removedMatching } = await budget.filter(removed, isIn)
    if (removedMatching.length === 0) continue
    const unassigned = new Map<Line, Array<string>>()
    await budget.forEach(addedMatching, (line) => unassigned.set(line, matchesIn(line.text)))
    await budget.forEach(removedMatching, (text) => {
      const line = mostSimilarLine(text, matchesIn(text), unassigned)
      if (line && unassigned.delete(line)) touched.add(line)
    })
  }
  return touched
}
