import { diffArrays } from 'diff'
import { changedStretch } from './range.ts'

const MAX_LINES = 8
const MAX_LENGTH = 600
const MAX_EDIT_LENGTH = 200

/** A run of lines that formatting changed or, where there are none, took out; `first` counts from 1. */
type ChangedLines = { first: number; lines: Array<string>; gone: Array<string> }

/**
 * The lines of a formatted text that differ from what it was formatted from; null where they are too many to be worth
 * telling.
 */
const changedLines = (before: string, after: string): Array<ChangedLines> | null => {
  if (before === after) return []
  const stretch = changedStretch(before, after)
  const old = before.slice(stretch.before.start, stretch.before.end).split('\n')
  const now = after.slice(stretch.after.start, stretch.after.end).split('\n')
  const changes = diffArrays(old, now, { maxEditLength: MAX_EDIT_LENGTH })
  if (!changes) return null
  const runs: Array<ChangedLines> = []
  let line = after.slice(0, stretch.after.start).split('\n').length
  for (const [index, { added, removed, value }] of changes.entries()) {
    if (removed) {
      if (!changes[index + 1]?.added) runs.push({ first: line, lines: [], gone: value })
      continue
    }
    // What is behind the last line end is no line.
    const isLast = index === changes.length - 1 && value.length > 1 && value.at(-1) === ''
    if (added) runs.push({ first: line, lines: isLast ? value.slice(0, -1) : value, gone: [] })
    line += value.length
  }
  return runs
}

/** The lines that are neither blank nor, in another place, still in the text. */
const missing = (lines: Array<string>, text: string): Array<string> =>
  lines.filter((line) => line.trim() !== '' && !text.includes(line.trim()))

/**
 * What the model must be told of a formatted file because nothing in its history says it: the lines as they now are,
 * where they are few. Empty where it knows all that it can use.
 *
 * @param believed the file as the model must think it is, from its own, perhaps corrected, call
 */
export const noteOf = (name: string, believed: string, text: string): string => {
  const changed = changedLines(believed, text)
  const readAgain = `${name} was formatted; read it again before you edit its other lines.`
  if (changed === null) return readAgain
  const runs = changed.filter(({ lines }) => lines.some((line) => line.trim() !== ''))
  const gone = missing(changed.flatMap((run) => run.gone), text)
  const lines = [...runs.flatMap((run) => run.lines), ...gone]
  if (lines.length === 0) return ''
  if (lines.length > MAX_LINES || lines.join('\n').length > MAX_LENGTH) return readAgain
  const told = runs.map((run) =>
    run.lines.length === 1
      ? `now reads in line ${run.first}:\n${run.lines[0]}`
      : `now reads in lines ${run.first}-${run.first + run.lines.length - 1}:\n${run.lines.join('\n')}`
  )
  const lost = gone.length > 0 ? [`no longer has:\n${gone.join('\n')}`] : []
  return `${name} was formatted and ${[...told, ...lost].join('\nand ')}`
}
