import { formatPatch, OMIT_HEADERS } from 'diff/lib/patch/create.js'
import { relative } from 'node:path'
import { changedLength, changedStretch, countLineEnds } from '../../text/changed-stretch.ts'
import { type Hunk, hunksOf } from '../../text/hunks.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import { nameInWords } from '../../text/quoted-name.ts'
import type { Failure } from '../run/format-files.ts'

// A diff is shown if it has less than a third of the file's length; a short one always.
const SHARE = 3
const ALWAYS_LENGTH = 400

// Runs on the host's only thread: a longer stretch is not compared.
const MAX_CHANGED = 1_000_000

const CONTEXT = 1
const MAX_RANGES = 10

const NO_NAMES = {
  oldFileName: undefined,
  newFileName: undefined,
  oldHeader: undefined,
  newHeader: undefined,
}

/** Whether only blank lines were removed. */
const isCollapsed = (hunks: Array<Hunk>): boolean =>
  hunks.every(({ lines }) => lines.every((line) => /^(?: |-\s*$)/.test(line)))

const nameLines = (first: number, last: number): string => first < last ? `${first}-${last}` : `${first}`

/** Names the changed lines of a hunk in the file by their numbers, without the context around them. */
const nameChanged = ({ newStart, newLines, lines }: Hunk): string => {
  const isChanged = (line: string) => !line.startsWith(' ')
  const below = lines.length - 1 - lines.findLastIndex(isChanged)
  return nameLines(newStart + lines.findIndex(isChanged), newStart + newLines - 1 - below)
}

/** Names the changed lines of the file by their numbers; all from the first to the last where they are too many. */
const rangesOf = (hunks: Array<Hunk> | null, before: string, after: string): string => {
  if (hunks && hunks.length <= MAX_RANGES) return hunks.map(nameChanged).join(', ')
  const { start, end } = changedStretch(before, after).after
  return nameLines(countLineEnds(after, start) + 1, countLineEnds(after, end))
}

/** Names a file in a note: its path from the session's directory, quoted as data. */
export const nameInNote = (directory: string, path: string): string => nameInWords(relative(directory, path))

/**
 * Makes the note on how a formatted file differs from what the model believes: a unified diff, or where that is long the
 * numbers of the changed lines. Empty where they differ by no more than removed blank lines.
 *
 * @param believed null where it is not sure
 */
export const noteOf = (name: string, believed: string | null, text: string): string => {
  if (believed === null) return `${name} was formatted; read it again before you edit its other lines.`
  const [before, after] = [crlfToLf(believed), crlfToLf(text)]
  if (before === after) return ''
  const hunks = changedLength(before, after) > MAX_CHANGED ? null : hunksOf(before, after, CONTEXT)
  if (hunks && isCollapsed(hunks)) return ''
  const diff = hunks && formatPatch({ ...NO_NAMES, hunks }, OMIT_HEADERS).slice(0, -1)
  if (diff !== null && diff.length < Math.max(ALWAYS_LENGTH, after.length / SHARE)) {
    return `${name} was formatted and differs from what you saw:\n${diff}`
  }
  return `${name} was formatted: lines ${
    rangesOf(hunks, before, after)
  } changed; read them before you edit them.`
}

/** Makes the note on lines of a call that the formatter dropped, or dropped words from. */
export const lostNote = (name: string, lines: Array<string>): string =>
  lines.length === 0
    ? ''
    : `${name} was formatted, which dropped words from:\n${[...new Set(lines)].join('\n')}`

/** Makes the note on a file of which nothing is left, or that cannot be read and may have been formatted. */
export const goneNote = (name: string, isSure: boolean): string =>
  isSure
    ? `${name} was emptied, removed or made unreadable by the formatter.`
    : `${name} may have been formatted; read it again before you edit its other lines.`

const MAX_OUTPUT = 700
const MAX_OUTPUT_LINES = 10

// As a parser reports it; a linter's remarks may stand above that.
const ERROR = /error\b|\b(?:expected|pars(?:e|ing)|syntax|unexpected)\b/i

const firstOf = (lines: Array<string>): string =>
  lines.slice(0, MAX_OUTPUT_LINES).join('\n').slice(0, MAX_OUTPUT)

/** Makes the note on a failed formatter, with the first lines of its output, or those of the first error below them. */
export const failureNote = (name: string, failure: Omit<Failure, 'state'>): string => {
  const { command, status, output } = failure
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  const head = firstOf(lines)
  const error = ERROR.test(head) ? -1 : lines.findIndex((line) => ERROR.test(line))
  const printed = error < 0 ? head : firstOf(lines.slice(error))
  return `${name} was not formatted: \`${command}\` ${status}${printed === '' ? '.' : `:\n${printed}`}`
}
