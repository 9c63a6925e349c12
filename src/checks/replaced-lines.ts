import { commonPrefix, commonSuffix } from '../text/changed-range.ts'
import type { Line } from './added-lines.ts'
import type { TimeBudget } from './budget.ts'
import type { Pattern } from './patterns.ts'

/** A stretch of changed lines: the numbers of the added ones, from the first up to the one after the last, and what they replace. */
export type Replaced = { from: number; to: number; removed: Array<string> }

/**
 * Lists the changed stretches of a file; one where it is another text.
 *
 * @param gone the removed lines but those that only moved
 */
export const replacedLines = async (
  { before, after }: { before: string | null; after: string | null },
  gone: Array<string>,
  budget: TimeBudget,
): Promise<Array<Replaced>> => {
  const counted = new Set(gone)
  const { hunksOf } = await import('../text/hunks.ts')
  const hunks = await budget.run(() => hunksOf(before ?? '', after ?? '', 0))
  return hunks?.map(({ newStart, newLines, lines }) => ({
    from: newStart,
    to: newStart + newLines,
    removed: lines.flatMap((line) => line.startsWith('-') ? line.slice(1).replace(/\r$/, '') : [])
      .filter((text) => counted.has(text)),
  })) ?? [{ from: 1, to: Infinity, removed: gone }]
}

type Hit = { hit: Line; matches: Array<string> }

/** Gives the hit that is most like a replaced line, of those that match nothing else than that line. */
const nearestTo = (text: string, hits: Iterable<Hit>, there: Array<string>): Line | undefined => {
  let nearest: { hit: Line; likeness: number } | undefined
  for (const { hit, matches } of hits) {
    if (matches.length > there.length || !matches.every((one) => there.includes(one))) continue
    const likeness = commonPrefix(text, hit.text) + commonSuffix(text, hit.text)
    if (!nearest || likeness > nearest.likeness) nearest = { hit, likeness }
  }
  return nearest?.hit
}

/**
 * Gives the lines whose matches of a pattern stood in a line that they replace, and the number of what was not compared.
 * Each replaced line stands for one, the most like it.
 *
 * @param hits the added lines that have the pattern
 */
export const touchedLines = async (
  hits: Array<Line>,
  replaced: Array<Replaced>,
  { isIn, matchesIn }: Pattern,
  budget: TimeBudget,
): Promise<{ touched: Set<Line>; untested: number }> => {
  const touched = new Set<Line>()
  let untested = 0
  for (const { from, to, removed } of replaced) {
    const here = await budget.filter(hits, ({ line }) => line >= from && line < to)
    const old = await budget.filter(here.kept.length > 0 ? removed : [], isIn)
    const left = new Map<Line, Hit>()
    const matched = await budget.filter(
      old.kept.length > 0 ? here.kept : [],
      (hit) => Boolean(left.set(hit, { hit, matches: matchesIn(hit.text) })),
    )
    const compared = await budget.filter(old.kept, (text) => {
      const nearest = nearestTo(text, left.values(), matchesIn(text))
      if (nearest) touched.add(nearest)
      return nearest !== undefined && left.delete(nearest)
    })
    untested += here.untested + old.untested + matched.untested + compared.untested
  }
  return { touched, untested }
}
