import { diffArrays } from 'diff'
import { changedStretch } from '../realign/range.ts'
import { lostLines } from './lost-lines.ts'

const MAX_LINES = 10
const MAX_LENGTH = 700
const MAX_EDIT_LENGTH = 200

/** A run of lines that differ; `first` is the number of the first line now, counted from 1. */
type ChangedLines = { first: number; now: Array<string>; gone: Array<string> }

/** A text's lines; what is behind the last line end is none. */
const linesOf = (text: string): Array<string> => {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The runs of lines that differ between two texts; null where they are too many to be worth telling. */
const changedLines = (before: string, after: string): Array<ChangedLines> | null => {
  const stretch = changedStretch(before, after)
  const old = linesOf(before.slice(stretch.before.start, stretch.before.end))
  const now = linesOf(after.slice(stretch.after.start, stretch.after.end))
  const changes = diffArrays(old, now, { maxEditLength: MAX_EDIT_LENGTH })
  if (!changes) return null
  const runs: Array<ChangedLines> = []
  let line = after.slice(0, stretch.after.start).split('\n').length
  let isOpen = false
  for (const { added, removed, value } of changes) {
    if (!added && !removed) isOpen = false
    else {
      if (!isOpen) runs.push({ first: line, now: [], gone: [] })
      runs.at(-1)![added ? 'now' : 'gone'].push(...value)
      isOpen = true
    }
    if (!removed) line += value.length
  }
  return runs
}

const isBlank = (line: string): boolean => line.trim() === ''

/** A line by what formatters leave alone of it. */
const bare = (line: string): string => line.replace(/[\s;,]/g, '').replaceAll("'", '"')

const countBlank = (lines: Array<string>): number => lines.filter(isBlank).length

/** Widens a run that does not show by itself which blank lines came or went, to the next lines with words around it. */
const withNeighbours = ({ first, now, gone }: ChangedLines, all: Array<string>): ChangedLines => {
  if (!now.every(isBlank) && countBlank(now) === countBlank(gone)) return { first, now, gone }
  const last = first + now.length - 1
  const above = all.findLastIndex((line, index) => index < first - 1 && !isBlank(line))
  const below = all.findIndex((line, index) => index >= last && !isBlank(line))
  const from = Math.max(above, 0)
  return { first: from + 1, now: all.slice(from, below < 0 ? all.length : below + 1), gone }
}

const places = (first: number, last: number): string =>
  first === last ? `line ${first}` : `lines ${first}-${last}`

/** A line that is gone from its place, with the place where it is now. */
const withPlace = (line: string, all: Array<string>): string => {
  const to = all.findIndex((other) => bare(other) === bare(line))
  return to < 0 ? line : `${line} (it is in line ${to + 1})`
}

/** What is said of the lines that are gone from a run and were not only spelt otherwise. */
const goneFrom = ({ now, gone }: ChangedLines, all: Array<string>): Array<string> => {
  const lost = !now.every(isBlank)
    ? lostLines(gone.join('\n'), now.join('\n'))
    : gone.filter((line) => !isBlank(line))
  return lost.map((line) => withPlace(line, all))
}

const told = (changed: ChangedLines, all: Array<string>): string => {
  const run = withNeighbours(changed, all)
  const lines = run.now.length === 0
    ? ''
    : `now reads in ${places(run.first, run.first + run.now.length - 1)}:\n${run.now.join('\n')}`
  const gone = goneFrom(changed, all)
  const lost = gone.length > 0 ? `no longer has there:\n${gone.join('\n')}` : ''
  return [lines, lost].filter((one) => one !== '').join('\nand ')
}

/**
 * What the model must be told of a formatted file because nothing in its history says it: the lines as they now are,
 * where they are few. Empty where it knows all of them.
 *
 * @param believed the file as the model must think it is, from its own, perhaps corrected, calls; null where its calls
 * do not apply to what they say of each other
 * @param lost lines that the model sent and that its corrected calls no longer say
 */
export const noteOf = (
  name: string,
  believed: string | null,
  text: string,
  lost: Array<string> = [],
): string => {
  const readAgain = `${name} was formatted; read it again before you edit its other lines.`
  const plain = text.replaceAll('\r\n', '\n')
  const changed = believed === null ? null : changedLines(believed.replaceAll('\r\n', '\n'), plain)
  if (changed === null) return readAgain
  const all = linesOf(plain)
  // What is new first, then what stands together now.
  const came = changed.filter(({ now }) => !now.every(isBlank))
  const runs = [...came, ...changed.filter((run) => !came.includes(run))]
  const said = runs.map((run) => told(run, all)).filter((one) => one !== '')
  if (lost.length > 0) said.push(`no longer has:\n${lost.map((line) => withPlace(line, all)).join('\n')}`)
  if (believed !== '' && !believed?.endsWith('\n') && plain.endsWith('\n')) said.push('ends with a line end')
  const words = said.join('\nand ')
  if (words.split('\n').length - said.length > MAX_LINES || words.length > MAX_LENGTH) return readAgain
  return words === '' ? '' : `${name} was formatted and ${words}`
}
