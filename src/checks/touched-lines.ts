import { commonPrefix, commonSuffix } from '../text/changed-stretch.ts'
import type { Line } from './changed-lines.ts'
import type { Pattern } from './patterns.ts'

/**
 * Gives the lines whose matches of a pattern stood in a line that they replace in the same hunk. Each replaced line
 * stands for one, the most like it.
 *
 * @param hits the added lines that have the pattern
 * @param old the removed lines that count
 */
export const touchedLines = async (
  hits: Array<Line>,
  old: Array<string>,
  { before, after }: { before: string | null; after: string | null },
  { matchesIn }: Pattern,
): Promise<Set<Line>> => {
  const touched = new Set<Line>()
  if (old.length === 0) return touched
  const { hunksOf } = await import('../text/hunks.ts')
  for (const { newStart, newLines, lines } of hunksOf(before ?? '', after ?? '', 0) ?? []) {
    const own = hits.filter(({ line }) => line >= newStart && line < newStart + newLines)
      .map((hit) => ({ hit, matches: matchesIn(hit.text) }))
    const replaced = lines.flatMap((line) => line.startsWith('-') ? line.slice(1).replace(/\r$/, '') : [])
    for (const text of own.length > 0 ? replaced.filter((one) => old.includes(one)) : []) {
      const there = matchesIn(text)
      const likeness = ({ hit }: { hit: Line }) => commonPrefix(text, hit.text) + commonSuffix(text, hit.text)
      const [nearest] = own.filter(({ hit, matches }) =>
        !touched.has(hit) && matches.length <= there.length && matches.every((one) => there.includes(one))
      ).toSorted((one, other) => likeness(other) - likeness(one))
      if (nearest) touched.add(nearest.hit)
    }
  }
  return touched
}
