import { diffArrays } from 'diff'
import { commonEnds } from './range.ts'

/** A run of lines that formatting changed or, where there are none, took out; `first` counts from 1. */
export type ChangedLines = { first: number; lines: Array<string>; gone: Array<string> }

const MAX_EDIT_LENGTH = 200

/**
 * The lines of a formatted text that differ from what it was formatted from; null where they are too many to be worth
 * telling.
 */
export const changedLines = (before: string, after: string): Array<ChangedLines> | null => {
  if (before === after) return []
  const { prefix, suffix } = commonEnds(before, after)
  const start = before.lastIndexOf('\n', prefix - 1) + 1
  const from = prefix === 0 ? 0 : start
  const feed = after.indexOf('\n', after.length - suffix)
  const end = suffix === 0 || feed < 0 ? after.length : feed + 1
  const old = before.slice(from, end + before.length - after.length).split('\n')
  const now = after.slice(from, end).split('\n')
  const changes = diffArrays(old, now, { maxEditLength: MAX_EDIT_LENGTH })
  if (!changes) return null
  const runs: Array<ChangedLines> = []
  let line = after.slice(0, from).split('\n').length
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
