import { commonPrefix, commonSuffix } from '../text/changed-stretch.ts'
import type { Line } from './added-lines.ts'
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
): Promise<Array<Replaced>> => {
  const counted = new Set(gone)
  const { hunksOf } = await import('../text/hunks.ts')
  const hunks = hunksOf(before ?? '', after ?? '', 0)
  return hunks?.map(({ newStart, newLines, lines }) => ({
    from: newStart,
    to: newStart + newLines,
    removed: lines.flatMap((line) => line.startsWith('-') ? line.slice(1).replace(/\r$/, '') : [])
      .filter((text) => counted.has(text)),
  })) ?? [{ from: 1, to: Infinity, removed: gone }]
}

/**
 * Gives the lines whose matches of a pattern stood in a line that they replace. Each replaced line stands for one, the
 * most like it.
 *
 * @param hits the added lines that have the pattern
 * @param hasTime where no time is left, all of them count as touched
 */
export const touchedLines = async (
  hits: Array<Line>,
  replaced: Array<Replaced>,
  { isIn, matchesIn }: Pattern,
  hasTime: () => Promise<boolean>,
): Promise<Set<Line>> => {
  const touched = new Set<Line>()
  for (const { from, to, removed } of replaced) {
    const here = hits.filter(({ line }) => line >= from && line < to)
    const old = here.length > 0 ? removed.filter(isIn) : []
    const left = []
    for (const hit of old.length > 0 ? here : []) {
      if (await hasTime()) left.push({ hit, matches: matchesIn(hit.text) })
    }
    for (const text of old) {
      if (!await hasTime()) return new Set(hits)
      const there = matchesIn(text)
      const likeness = ({ hit }: { hit: Line }) => commonPrefix(text, hit.text) + commonSuffix(text, hit.text)
      const [nearest] = left.filter(({ hit, matches }) =>
        !touched.has(hit) && matches.length <= there.length && matches.every((one) => there.includes(one))
      ).toSorted((one, other) => likeness(other) - likeness(one))
      if (nearest) touched.add(nearest.hit)
    }
  }
  return touched
}
