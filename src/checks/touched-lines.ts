import { commonPrefix, commonSuffix } from '../text/changed-range.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import type { Pattern } from './patterns.ts'

/** Finds the hit most like a removed line among those whose matches all occur in that line. */
const nearestTo = (text: string, hits: Map<Line, Array<string>>, old: Array<string>): Line | undefined => {
  let nearest: { hit: Line; likeness: number } | undefined
  for (const [hit, matches] of hits) {
    if (matches.length > old.length || !matches.every((match) => old.includes(match))) continue
    const likeness = commonPrefix(text, hit.text) + commonSuffix(text, hit.text)
    if (!nearest || likeness > nearest.likeness) nearest = { hit, likeness }
  }
  return nearest?.hit
}

/**
 * Finds the added lines whose matches of a pattern were already in a line that they replace. Each replaced line accounts
 * for one added line, the most similar. Incomplete once the budget is spent.
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
  const all = new Set(hits)
  for (const { added, removed } of hunks) {
    const { kept: here } = await budget.filter(removed.length > 0 ? added : [], (line) => all.has(line))
    const { kept: old } = await budget.filter(here.length > 0 ? removed : [], isIn)
    const left = new Map<Line, Array<string>>()
    await budget.filter(old.length > 0 ? here : [], (hit) => left.set(hit, matchesIn(hit.text)).size > 0)
    await budget.filter(old, (text) => {
      const nearest = nearestTo(text, left, matchesIn(text))
      if (nearest) touched.add(nearest)
      return nearest !== undefined && left.delete(nearest)
    })
  }
  return touched
}
