import type { Span } from './blocks.ts'

/**
 * A change of a text: a span replaced, or the lines that begin in it indented differently from a column on. Of two
 * edits at one place, the one of the greater `depth` belongs to the other.
 */
export type Edit = Span & { depth: number } & ({ text: string } | Shift)

type Shift = { shift: number; column: number }

const shiftLines = (text: string, { shift, column, isLine }: Shift & { isLine: boolean }): string =>
  text.split('\n').map((line, index) => {
    const [head, tail] = [line.slice(0, column), line.slice(column)]
    if (index === 0 && !isLine || tail.trim() === '') return line
    return head
      + (shift > 0 ? ' '.repeat(shift) + tail : tail.replace(new RegExp(`^[ \\t]{0,${-shift}}`), ''))
  }).join('\n')

const isInsertion = (edit: Edit): boolean => 'text' in edit && edit.from === edit.to

/** Applies edits to a text. An edit may lie within another one's span; none may cross another's end. */
export const applyEdits = (text: string, edits: Array<Edit>): string => {
  const sorted = edits.toSorted((one, other) =>
    one.from - other.from
    || Number(isInsertion(other)) - Number(isInsertion(one))
    || (isInsertion(one) ? other.depth - one.depth : other.to - one.to)
  )
  let [next, at] = [0, 0]
  const textTo = (to: number): string => {
    const from = at
    at = Math.max(at, to)
    return text.slice(from, at)
  }
  const render = (to: number, depth: number): string => {
    const parts: Array<string> = []
    for (let edit = sorted[next]; edit !== undefined; edit = sorted[next]) {
      const isWithin = edit.from < to || edit.from === to && isInsertion(edit) && edit.depth > depth
      if (!isWithin) break
      next++
      // What lies in a span that was replaced is gone with it.
      if (edit.from < at && ('text' in edit || edit.to <= at)) continue
      parts.push(textTo(edit.from))
      if ('text' in edit) {
        parts.push(edit.text)
        at = edit.to
      } else {
        const isLine = at === 0 || text[at - 1] === '\n'
        parts.push(shiftLines(render(edit.to, edit.depth), { ...edit, isLine }))
      }
    }
    parts.push(textTo(to))
    return parts.join('')
  }
  return render(text.length, -1)
}
