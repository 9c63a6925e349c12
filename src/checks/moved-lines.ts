/** Finds added lines that only moved, possibly with another indentation: they are no new violations. */
import type { Line } from './changed-lines.ts'
import type { ChangedFile } from './file-changes.ts'

/** Maps each moved line to removed lines that equal it, apart from whitespace. */
export type MovedLines = Map<Line, ReadonlySet<string>>

// Of lines that are equal apart from whitespace, a pattern such as `\t` may match only some.
const MAX_VARIANTS = 10

const withoutBlanks = (text: string): string => text.replace(/\s+/g, '')

/** Maps a text without blanks to its removed lines. Each line that is `left` accounts for one added line. */
type RemovedLines = Map<string, { left: Array<string>; variants: Set<string> }>

const addTo = (lines: RemovedLines, text: string): void => {
  const key = withoutBlanks(text)
  const copies = lines.get(key) ?? { left: [], variants: new Set() }
  lines.set(key, copies)
  copies.left.push(text)
  if (copies.variants.size < MAX_VARIANTS) copies.variants.add(text)
}

const leftIn = (lines: RemovedLines): Array<string> => [...lines.values()].flatMap(({ left }) => left)

/**
 * Finds the lines that moved in a change, or from one change to another.
 *
 * @param removedEarlier the removed lines that earlier steps of the turn left over
 * @param isReported whether a line was reported; a reported line counts as moved only within its change
 * @returns also the removed lines that no added line equals
 */
export const movedLines = (
  files: Array<ChangedFile>,
  removedEarlier: Array<string>,
  isReported: (path: string, text: string) => boolean,
): { moved: MovedLines; removed: Array<string> } => {
  const moved: MovedLines = new Map()
  const removedAnywhere: RemovedLines = new Map()
  removedEarlier.forEach((text) => addTo(removedAnywhere, text))
  const notMovedHere = files.map(({ file: { path }, changes }) =>
    changes.map(({ hunks, added }) => {
      const removedHere: RemovedLines = new Map()
      for (const { removed } of hunks) removed.forEach((text) => addTo(removedHere, text))
      const others = added.filter((line) => {
        const copies = removedHere.get(withoutBlanks(line.text))
        if (copies?.left.pop() === undefined) return true
        moved.set(line, copies.variants)
        return false
      })
      for (const text of leftIn(removedHere)) if (!isReported(path, text)) addTo(removedAnywhere, text)
      return others
    })
  )
  for (const changes of notMovedHere) {
    // If calls of a step add, remove and add a line, one removed line accounts for both additions.
    const takenOf = new Map<string, number>()
    for (const lines of changes) {
      const countOf = new Map<string, number>()
      for (const line of lines) {
        const key = withoutBlanks(line.text)
        const copies = removedAnywhere.get(key)
        if (!copies) continue
        const count = (countOf.get(key) ?? 0) + 1
        if (count > (takenOf.get(key) ?? 0)) {
          if (copies.left.pop() === undefined) continue
          takenOf.set(key, count)
        }
        countOf.set(key, count)
        moved.set(line, copies.variants)
      }
    }
  }
  return { moved, removed: leftIn(removedAnywhere) }
}
