import type { Range } from '../../text/changed-stretch.ts'
import { withoutMark } from '../../text/read.ts'
import { realign } from '../realign/realign.ts'
import { type Call, type ChangedFile, type Corrected, type PastCall, readCall } from './call.ts'
import { occurrences, withLineEnds } from './edits.ts'

/** A call whose text was found in the file: its ranges there and, for an edit of one place, its `oldString`. */
type Placed = {
  past: PastCall
  call: Call
  file: ChangedFile
  ranges: Array<Range>
  oldString: string | null
}

/** An edit that was undone: the range of its text, and the length of what stood there before. */
type Undone = { range: Range; oldLength: number }

/** The corrections of earlier calls, and the file as the model must then believe that it is. */
export type Recalled = { corrections: Array<{ past: PastCall; corrected: Corrected }>; believed: string }

// The host waits for this, every session of it: calls are not followed further back through a large file.
const MAX_UNITS = 20_000_000

type Splice = { range: Range; text: string }

const splice = (text: string, parts: Array<Splice>): string => {
  let made = ''
  let at = 0
  for (const { range, text: words } of parts.toSorted((one, other) => one.range.start - other.range.start)) {
    if (range.start < at) continue
    made += text.slice(at, range.start) + words
    at = range.end
  }
  return made + text.slice(at)
}

/**
 * Finds where a range stands once edits that were undone are made again, the last undone first; null where it cuts
 * one.
 */
const redo = (range: Range, undone: Array<Undone>): Range | null => {
  let { start, end } = range
  for (const { range: { start: from, end: to }, oldLength } of undone.toReversed()) {
    if (end <= from) continue
    if (start < from + oldLength) return null
    const shift = to - from - oldLength
    start += shift
    end += shift
  }
  return { start, end }
}

const oldStringOf = ({ tool, input: { oldString, replaceAll } }: PastCall): string | null =>
  tool === 'edit' && replaceAll !== true && typeof oldString === 'string' ? oldString : null

/** Finds the text of a call in the file after it; null where its place is not sure. */
const placeIn = (text: string, { tool, input }: PastCall, file: ChangedFile): Array<Range> | null => {
  if (tool === 'write') {
    return withoutMark(String(input['content'])) === text ? [{ start: 0, end: text.length }] : null
  }
  if (tool !== 'edit') return file.locate(null, text)
  if (input['replaceAll'] === true) return null
  const newString = withLineEnds(String(input['newString']), text)
  const [start, ...others] = newString === '' ? [] : occurrences(text, newString)
  return start === undefined || others.length > 0 ? null : [{ start, end: start + newString.length }]
}

/**
 * Finds the texts of calls in the file that they left. It goes from the last call back and undoes each edit, since an
 * earlier one is to be found in the file as it was before the later ones. It ends at the first call whose place is
 * not sure.
 */
const placeCalls = (calls: Array<PastCall>, path: string, directory: string, text: string): Array<Placed> => {
  const placed: Array<Placed> = []
  const undone: Array<Undone> = []
  let now = text
  let areAllPlaced = true
  let units = 0
  for (const past of calls.toReversed()) {
    const call = readCall(past.tool, past.input, directory)
    const file = call?.files.find((one) => one.path === path)
    if (!call || !file) continue
    units += now.length
    if (units > MAX_UNITS) break
    const found = placeIn(now, past, file)
    if (!found) break
    const ranges = found.map((range) => redo(range, undone))
    const isWhole = past.tool === 'write'
    const oldString = oldStringOf(past)
    if (isWhole) {
      const whole = [{ start: 0, end: text.length }]
      if (areAllPlaced) placed.push({ past, call, file, ranges: whole, oldString: null })
    } else if (ranges.every((range) => range !== null)) placed.push({ past, call, file, ranges, oldString })
    else areAllPlaced = false
    const [range] = found
    if (isWhole || oldString === null || !range) break
    const old = withLineEnds(oldString, now)
    now = now.slice(0, range.start) + old + now.slice(range.end)
    undone.push({ range, oldLength: old.length })
  }
  return placed
}

/** Has a call say other texts of a file; says whether it can, and collects the correction where it said others. */
const addCorrection = (
  { past, call }: Placed,
  path: string,
  texts: Array<string>,
  corrections: Recalled['corrections'],
): boolean => {
  const corrected = call.correct(new Map([[path, texts]]))
  if (!corrected) return false
  if (past.input[corrected.argument] !== corrected.value) corrections.push({ past, corrected })
  return true
}

/**
 * Gives what the earlier calls of a session have to say of a file that was formatted behind them: by a command for
 * the whole project, or at the end of the turn. The calls after a `write` are left in place: it gets the text that
 * they, as they then are, make into the file.
 *
 * @param calls the session's calls on the file, in their order
 * @param before the file as the calls left it
 * @param seen the calls behind which the model read the file: it believes what it read, whatever they say now
 */
export const recall = (
  calls: Array<PastCall>,
  { path, directory, before, after }: { path: string; directory: string; before: string; after: string },
  seen: ReadonlySet<PastCall> = new Set(),
): Recalled => {
  const find = realign(before, after)
  const corrections: Recalled['corrections'] = []
  const believedEdits: Array<Splice> = []
  const takenBack: Array<Splice & { now: string }> = []
  let believed: string | null = null
  let areAllFound = true
  const correct = (placed: Placed, texts: Array<string>) => addCorrection(placed, path, texts, corrections)
  for (const one of placeCalls(calls, path, directory, before)) {
    if (one.past.tool === 'write') {
      if (areAllFound && correct(one, [splice(after, takenBack)])) {
        if (!seen.has(one.past)) {
          believed = splice(after, takenBack.map(({ range, now }) => ({ range, text: now })))
        }
      }
      break
    }
    const targets = one.ranges.map(find)
    if (!targets.every((to) => to !== null)) {
      areAllFound = false
      continue
    }
    const texts = one.file.toExpressible(after, targets)
    const isSaid = texts !== null && correct(one, texts)
    for (const [index, range] of one.ranges.entries()) {
      const sent = before.slice(range.start, range.end)
      const to = targets[index]!
      const now = isSaid ? texts[index]! : sent
      if (!seen.has(one.past)) believedEdits.push({ range, text: now })
      if (one.oldString !== null) {
        takenBack.push({ range: to, text: withLineEnds(one.oldString, after), now })
      }
    }
  }
  return { corrections, believed: believed ?? splice(before, believedEdits) }
}
