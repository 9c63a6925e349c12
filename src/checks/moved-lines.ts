/** Finds added lines that only moved, possibly with another indentation: they are no new violations. */
import type { Line } from './changed-lines.ts'
import { type Change, removedLinesOf } from './file-changes.ts'

/** Maps each moved line to removed lines that equal it, apart from whitespace. */
export type MovedLines = Map<Line, ReadonlySet<string>>

// A pattern may match only some of the variants, for example `\t`.
const MAX_VARIANTS = 10

const withoutBlanks = (text: string): string => text.replace(/\s+/g, '')

/** Removed lines. Each of them accounts for one added line. */
class RemovedLines {
  readonly #byKey = new Map<string, { left: Array<string>; variants: Set<string> }>()

  add(text: string): void {
    const key = withoutBlanks(text)
    const copies = this.#byKey.get(key) ?? { left: [], variants: new Set() }
    this.#byKey.set(key, copies)
    copies.left.push(text)
    if (copies.variants.size < MAX_VARIANTS) copies.variants.add(text)
  }

  variantsOf = (text: string): ReadonlySet<string> =>
    this.#byKey.get(withoutBlanks(text))?.variants ?? new Set()

  /** Whether a removed line was left to account for the text. */
  take = (text: string): boolean => this.#byKey.get(withoutBlanks(text))?.left.pop() !== undefined

  left = (): Array<string> => [...this.#byKey.values()].flatMap(({ left }) => left)
}

/**
 * Finds the lines that moved in a change, or from one change to another.
 *
 * @param removedEarlier the removed lines that earlier steps of the turn left over
 * @param isReported whether a removed line was reported; such a line is reported again in another change
 * @returns also the removed lines that no added line equals
 */
export const movedLines = (
  files: Array<{ path: string; changes: Array<Change> }>,
  removedEarlier: Array<string>,
  isReported: (path: string, text: string) => boolean,
): { moved: MovedLines; removed: Array<string> } => {
  const moved: MovedLines = new Map()
  const removedAnywhere = new RemovedLines()
  removedEarlier.forEach((text) => removedAnywhere.add(text))
  const notMovedHere = files.map(({ path, changes }) =>
    changes.map((change) => {
      const removedHere = new RemovedLines()
      removedLinesOf([change]).forEach((text) => removedHere.add(text))
      const others = change.added.filter((line) => {
        if (!removedHere.take(line.text)) return true
        moved.set(line, removedHere.variantsOf(line.text))
        return false
      })
      for (const text of removedHere.left()) if (!isReported(path, text)) removedAnywhere.add(text)
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
        const count = (countOf.get(key) ?? 0) + 1
        if (count > (takenOf.get(key) ?? 0)) {
          if (!removedAnywhere.take(line.text)) continue
          takenOf.set(key, count)
        }
        countOf.set(key, count)
        moved.set(line, removedAnywhere.variantsOf(line.text))
      }
    }
  }
  return { moved, removed: removedAnywhere.left() }
}
