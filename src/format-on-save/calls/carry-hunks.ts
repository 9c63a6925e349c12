import type { Range } from '../../text/changed-stretch.ts'
import { type Realign, realign } from '../realign/realign.ts'
import { type Hunk, type PatchSection, placeHunks, runsOf, wholeLines } from './apply-patch.ts'
import type { UnseenFile } from './unseen-formatting.ts'

/** Lines of a patch that are to be replaced, and the new ones with their signs. */
type Change = { run: Array<{ at: number }>; lines: Array<string> }

const linesOf = (text: string, { start, end }: Range): Array<string> =>
  text.slice(start, end).split('\n').map((line) => line.replace(/\r$/, ''))

/** Finds where so many lines end, the last line feed left out. */
const endOfLines = (text: string, start: number, count: number): number => {
  let end = start - 1
  for (let line = 0; line < count; line += 1) end = text.indexOf('\n', end + 1)
  return end < 0 ? text.length : end
}

/**
 * Cuts blank lines off the counterpart of a run of lines, where the run itself does not begin or end with one: a
 * formatter put them beside it.
 */
const withoutBlankLines = (text: string, { start, end }: Range, run: Array<{ text: string }>): Range => {
  const now = text.slice(start, end)
  const [first, last] = [run[0]!.text, run.at(-1)!.text]
  return {
    start: first.trim() === '' ? start : end - now.trimStart().length,
    end: last.trim() === '' ? end : start + now.trimEnd().length,
  }
}

/**
 * Gives the context and removed lines of a hunk as they now stand; null where that cannot be told, or other lines
 * came between them.
 */
const carryHunk = (
  hunk: Hunk,
  { start }: Range,
  { believed, text }: UnseenFile,
  find: Realign,
): Array<Change> | null => {
  const changes: Array<Change> = []
  let from = start
  let last: number | null = null
  for (const run of runsOf(hunk)) {
    const { sign } = run[0]!
    if (sign === '+') continue
    const end = endOfLines(believed, from, run.length)
    const found = find({ start: from, end })
    const lines = found && wholeLines(text, withoutBlankLines(text, found, run))
    from = end + 1
    if (!lines) {
      // Which blank lines these have become cannot be told; without them the hunk is found all the same.
      if (run.some((line) => line.text.trim() !== '')) return null
      changes.push({ run, lines: [] })
      continue
    }
    const between = last === null || last === lines.start
      ? []
      : linesOf(text, { start: last, end: lines.start - 1 })
    if ((last ?? 0) > lines.start || between.some((line) => line.trim() !== '')) return null
    changes.push({
      run,
      lines: [...between.map((line) => ` ${line}`), ...linesOf(text, lines).map((line) => `${sign}${line}`)],
    })
    last = lines.end + 1
  }
  return changes
}

/** Gives the line that a hunk names as it now reads. */
const carryAnchor = ({ at }: Hunk, anchor: Range, { text }: UnseenFile, find: Realign): Change | null => {
  const found = find(anchor)
  const lines = found && wholeLines(text, found)
  return lines && { run: [{ at }], lines: [`@@ ${linesOf(text, lines)[0]!.trim()}`] }
}

/**
 * Replaces the context and removed lines of a section, which was made from the text that the model believes in, by
 * those that stand in the file now; null where that cannot be told of each hunk.
 */
export const carryHunks = (section: PatchSection, file: UnseenFile): Array<Change> | null => {
  const places = placeHunks(section, file.believed)
  if (!places) return null
  const find = realign(file.believed, file.text)
  const changes = section.hunks.flatMap((hunk, index) => {
    const { anchor, lines } = places[index]!
    return [
      anchor ? [carryAnchor(hunk, anchor, file, find)] : [],
      carryHunk(hunk, lines, file, find) ?? [null],
    ].flat()
  })
  return changes.every((change) => change !== null) ? changes : null
}
