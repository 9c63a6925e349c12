import { relative } from 'node:path'
import { changedStretch, countLineEnds } from '../../text/changed-stretch.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import { nameInWords } from '../../text/quoted-name.ts'
import { pairUp } from '../realign/pair-up.ts'
import { lostLines } from './lost-lines.ts'

const MAX_LINES = 10
const MAX_LENGTH = 700
const MAX_EDITS = 200

// The host waits for this, every session of it: no longer stretch is compared, and no line is looked for in a longer
// text.
const MAX_TEXT = 1_000_000

// So many lines around a change are looked at, for the next one that is not blank.
const CONTEXT = 20

/** A run of lines that differ; `first` is the number of the first line now, counted from 1. */
type ChangedLines = { first: number; now: Array<string>; gone: Array<string> }

/** Lines of a text that stand together; `first` is the number of the first one. */
type Lines = { first: number; lines: Array<string> }

/** A text's lines; what is behind the last line end is none. */
const linesOf = (text: string): Array<string> => {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The lines of two texts that differ, with those around them; null where they are too many to compare. */
const differingLines = (before: string, after: string): { old: Array<string>; now: Lines } | null => {
  const { before: old, after: now } = changedStretch(before, after, CONTEXT)
  if (old.end - old.start + now.end - now.start > MAX_TEXT) return null
  return {
    old: linesOf(before.slice(old.start, old.end)),
    now: { first: countLineEnds(after, now.start) + 1, lines: linesOf(after.slice(now.start, now.end)) },
  }
}

/** The runs of lines that differ; null where they are too many to be worth telling. */
const changedLines = (old: Array<string>, { first, lines: now }: Lines): Array<ChangedLines> | null => {
  const pairs = pairUp(old, now, MAX_EDITS)
  if (!pairs) return null
  const runs: Array<ChangedLines> = []
  let [at, to] = [0, 0]
  for (const [index, place] of [...pairs.pairOf, now.length].entries()) {
    if (place < 0) continue
    if (index > at || place > to) {
      runs.push({ first: first + to, now: now.slice(to, place), gone: old.slice(at, index) })
    }
    ;[at, to] = [index + 1, place + 1]
  }
  return runs
}

const isBlank = (line: string): boolean => line.trim() === ''

const countBlank = (lines: Array<string>): number => lines.filter(isBlank).length

/**
 * Widens a run of which blank lines came or went to the next lines with words: alone it would not show where they
 * are.
 */
const withNeighbours = (run: ChangedLines, around: Lines): ChangedLines => {
  const { now, gone } = run
  if (!now.every(isBlank) && countBlank(now) === countBlank(gone)) return run
  const start = run.first - around.first
  const above = around.lines.findLastIndex((line, index) => index < start && !isBlank(line))
  const below = around.lines.findIndex((line, index) => index >= start + now.length && !isBlank(line))
  const from = Math.max(above, 0)
  const to = below < 0 ? around.lines.length : below + 1
  return { first: around.first + from, now: around.lines.slice(from, to), gone }
}

const places = (first: number, last: number): string =>
  first === last ? `line ${first}` : `lines ${first}-${last}`

/** Reduces a line to what formatters leave alone. */
const bare = (line: string): string => line.replace(/[\s;,]/g, '').replaceAll("'", '"')

/** Finds the number of the first line of a text that reads as another, but for what formatters change. */
type FindLine = (line: string) => number | undefined

const lineFinder = (text: string): FindLine => {
  let numbers: Map<string, number> | undefined
  return (line) => {
    numbers ??= new Map(linesOf(text).map((one, index) => [bare(one), index + 1] as const).reverse())
    return numbers.get(bare(line))
  }
}

/** A line that is gone from its place, with the place where it is now. */
const withPlace = (line: string, find: FindLine): string => {
  const number = find(line)
  return number === undefined ? line : `${line} (it is in line ${number})`
}

/** The lines that are gone from a run and were not only spelt otherwise. */
const goneFrom = ({ now, gone }: ChangedLines): Array<string> =>
  now.every(isBlank) ? gone.filter((line) => !isBlank(line)) : lostLines(gone.join('\n'), now.join('\n'))

/** A run of lines to tell, and the lines that are gone from there. */
type ToldRun = ChangedLines & { lost: Array<string> }

/** Whether the lines of a run are all told by another run, which was widened over them. */
const isWithin = (run: ToldRun, other: ToldRun): boolean =>
  run !== other && run.lost.length === 0 && other.now.length > run.now.length
  && other.first <= run.first && other.first + other.now.length >= run.first + run.now.length

/** Gives the runs to tell: first those with new words, then those about blank or removed lines. */
const runsToTell = (changed: Array<ChangedLines>, around: Lines): Array<ToldRun> => {
  const runs = changed.map((run) => ({ ...withNeighbours(run, around), lost: goneFrom(run) }))
  const came = runs.filter((_, index) => !changed[index]!.now.every(isBlank))
  return [...came, ...runs.filter((run) => !came.includes(run))]
    .filter((run) => !runs.some((other) => isWithin(run, other)))
}

const told = ({ first, now, lost }: ToldRun, find: FindLine): string => {
  const lines = now.length === 0
    ? ''
    : `now reads in ${places(first, first + now.length - 1)}:\n${now.join('\n')}`
  const gone = lost.map((line) => withPlace(line, find))
  return [lines, gone.length > 0 ? `no longer has there:\n${gone.join('\n')}` : ''].filter((one) =>
    one !== ''
  ).join('\nand ')
}

/** Names a file in a note: by its path from the session's directory, which is data and never anybody's words. */
export const nameInNote = (directory: string, path: string): string => nameInWords(relative(directory, path))

/** Tells to read a formatted file again. */
export const readAgainNote = (name: string): string =>
  `${name} was formatted; read it again before you edit its other lines.`

/**
 * Gives what the model must be told of a formatted file because nothing in its history says it: the lines as they now
 * are or, where they are many, that it is to read the file again. Empty where it knows all.
 *
 * @param believed the file as the model must believe that it is, from its calls as they are shown; null where that
 * cannot be told
 * @param lost lines that the model sent and that its corrected calls no longer have
 */
export const noteOf = (
  name: string,
  believed: string | null,
  text: string,
  lost: Array<string> = [],
): string => {
  const readAgain = readAgainNote(name)
  if (believed === null) return readAgain
  const [before, after] = [crlfToLf(believed), crlfToLf(text)]
  if (before === after && lost.length === 0) return ''
  const differing = differingLines(before, after)
  const changed = differing && changedLines(differing.old, differing.now)
  if (!differing || !changed || changed.length + lost.length > MAX_LINES) return readAgain
  const runs = runsToTell(changed, differing.now)
  const isGone = lost.length > 0 || runs.some((run) => run.lost.length > 0)
  if (isGone && after.length > MAX_TEXT) return readAgain
  const find = lineFinder(after)
  const said = runs.map((run) => told(run, find)).filter((one) => one !== '')
  if (lost.length > 0) said.push(`no longer has:\n${lost.map((line) => withPlace(line, find)).join('\n')}`)
  if (before !== '' && !before.endsWith('\n') && after.endsWith('\n')) said.push('ends with a line end')
  const words = said.join('\nand ')
  if (words.split('\n').length - said.length > MAX_LINES || words.length > MAX_LENGTH) return readAgain
  return words === '' ? '' : `${name} was formatted and ${words}`
}
