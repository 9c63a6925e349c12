/** Finds the lines that a step only touched: their matches were already in the lines that they replace. */
import { commonPrefix, commonSuffix } from '../text/changed-range.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import type { Pattern } from './patterns.ts'

/**
 * Finds the hit most similar to a removed line, among those whose matches all occur in that line.
 *
 * @param hits the hits with their matches
 * @param removedMatches the matches in the removed line
 */
const mostSimilarHit = (
  text: string,
  hits: Map<Line, Array<string>>,
  removedMatches: Array<string>,
): Line | undefined => {
  let nearest: { hit: Line; similarity: number } | undefined
  for (const [hit, matches] of hits) {
    if (matches.length > removedMatches.length || !matches.every((match) => removedMatches.includes(match))) {
      continue
    }
    const similarity = commonPrefix(text, hit.text) + commonSuffix(text, hit.text)
    if (!nearest || similarity > nearest.similarity) nearest = { hit, similarity }
  }
  return nearest?.hit
}

/**
 * Finds the added lines whose matches of a pattern were already in a line that they replace. Each replaced line
 * accounts for one added line, the most similar. The result is incomplete if the budget runs out.
 *
 * @param hits the added lines that match the pattern
 */
export const touchedLines = async (
  hits: Array<Line>,
  hunks: Array<Hunk>,
  { isIn, matchesIn }: Pick<Pattern, 'isIn' | 'matchesIn'>,
  budget: TimeBudget,
): Promise<Set<Line>> => {
  const touched = new Set<Line>()
  const allHits = new Set(hits)
  for (const { added, removed } of hunks) {
    const { kept: hitsInHunk } = await budget.filter(
      removed.length > 0 ? added : [],
      (line) => allHits.has(line),
    )
    const { kept: removedHits } = await budget.filter(hitsInHunk.length > 0 ? removed : [], isIn)
    const unassigned = new Map<Line, Array<string>>()
    await budget.filter(
      removedHits.length > 0 ? hitsInHunk : [],
      (hit) => unassigned.set(hit, matchesIn(hit.text)).size > 0,
    )
    await budget.filter(removedHits, (text) => {
      const nearest = mostSimilarHit(text, unassigned, matchesIn(text))
      if (nearest) touched.add(nearest)
      return nearest !== undefined && unassigned.delete(nearest)
    })
  }
  return touched
}
