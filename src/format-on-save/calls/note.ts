import { relative } from 'node:path'
import { isReformatted } from '../../steps/realign/bare-text.ts'
import { changedRange, countLineBreaks, differTooMuch } from '../../text/changed-range.ts'
import { formatHunks, type Hunk, hunksOf } from '../../text/hunks.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import { nameInSentence } from '../../text/quoted-name.ts'
import type { Failure } from '../run/run-formatter.ts'

// A diff is shown if it has less than a third of the file's length; a short one always.
const SHARE = 3
const ALWAYS_LENGTH = 400

const CONTEXT = 1
const MAX_RANGES = 10

/** Whether a hunk only removes blank lines. */
const isCollapsed = ({ lines }: Hunk): boolean => lines.every((line) => /^(?: |-\s*$)/.test(line))

/** Gives the lines that a hunk removes, or those that it adds. */
const linesOf = ({ lines }: Hunk, sign: '-' | '+'): string =>
  lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1)).join('\n')

/** Gives a text with the blank lines that hunks removed. */
const withBlankLines = (text: string, hunks: Array<Hunk>): string => {
  const all = text.split('\n')
  const end = text.includes('\r\n') ? '\r' : ''
  for (const { newStart, lines } of hunks.toReversed()) {
    for (const [index, line] of lines.entries()) {
      if (line.startsWith('-')) all.splice(newStart - 1 + index, 0, line.slice(1) + end)
    }
  }
  return all.join('\n')
}

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
  const { from: start, to: end } = changedRange(before, after).after
  return nameLines(countLineBreaks(after, start) + 1, countLineBreaks(after, end))
}

/** Names a file in a note: its path from the session's directory, quoted as data. */
export const nameInNote = (directory: string, path: string): string =>
  nameInSentence(relative(directory, path))

/** A note, and what the model believes of the file once it has read that: removed blank lines are not told. */
type Told = { note: string; believed: string }

const UNSURE = 'may differ from what you saw; read it again before you edit it.'

/**
 * Makes the note on how a file differs from what the model believes: a unified diff, or where that is long the numbers of
 * the changed lines. Empty where they differ by no more than removed blank lines.
 *
 * @param believed null where it is not sure
 * @param how whether nothing but the formatter can have changed it, and whether removed blank lines are told, too
 */
export const noteOf = (
  name: string,
  believed: string | null,
  text: string,
  { isFormatting = false, tellsBlank = false },
): Told => {
  if (believed === null) return { note: `${name} ${UNSURE}`, believed: text }
  const [before, after] = [crlfToLf(believed), crlfToLf(text)]
  if (before === after) return { note: '', believed: text }
  const hunks = differTooMuch(before, after) ? null : hunksOf(before, after, CONTEXT)
  const isTold = (hunk: Hunk) => tellsBlank || !isCollapsed(hunk)
  const told = hunks?.filter(isTold)
  if (told?.length === 0) return { note: '', believed }
  const left = withBlankLines(text, hunks?.filter((hunk) => !isTold(hunk)) ?? [])
  const diff = told ? formatHunks(told).slice(0, -1) : null
  const how = isFormatting || told?.every((hunk) => isReformatted(linesOf(hunk, '-'), linesOf(hunk, '+')))
    ? 'was formatted and differs'
    : 'now differs'
  if (diff !== null && diff.length < Math.max(ALWAYS_LENGTH, after.length / SHARE)) {
    return { note: `${name} ${how} from what you saw:\n${diff}`, believed: left }
  }
  const ranges = rangesOf(told ?? null, before, after)
  const note = `${name} ${how} from what you saw: lines ${ranges} changed; read them before you edit them.`
  return { note, believed: left }
}

/** Makes the note on lines of a call that the formatter dropped, or dropped words from. */
export const lostNote = (name: string, lines: Array<string>): string =>
  lines.length === 0
    ? ''
    : `${name} was formatted, which dropped words from:\n${[...new Set(lines)].join('\n')}`

/** Makes the note on a file of which nothing is left, or that cannot be read. */
export const goneNote = (name: string, isSure: boolean): string =>
  isSure ? `${name} is empty, gone or unreadable now.` : `${name} ${UNSURE}`

const MAX_OUTPUT = 700
const MAX_OUTPUT_LINES = 10

// As a parser reports it; a linter's remarks may stand above that.
const ERROR = /error\b|\b(?:expected|pars(?:e|ing)|syntax|unexpected)\b/i

const firstOf = (lines: Array<string>): string =>
  lines.slice(0, MAX_OUTPUT_LINES).join('\n').slice(0, MAX_OUTPUT)

// The lines of an error move with what is written above it.
const withoutNumbers = (output: string): string => output.replace(/\d+/g, '0')

/**
 * Makes the note on a failed formatter, with the first lines of its output, or those of the first error below them; not
 * again where the model has read the same. A linter that mended what it could ends with an error, too.
 */
export const failureNote = (
  name: string,
  { command, status, code, output, hasWritten }: Omit<Failure, 'isMissing'>,
  told = '',
): string => {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  const isWritten = hasWritten && code !== undefined
  const failed = isWritten
    ? `formatted, but \`${command}\` ended with ${code}`
    : `not formatted: \`${command}\` ${status}`
  if (lines.length === 0) return `${name} was ${failed}.`
  if (withoutNumbers(output) === withoutNumbers(told)) {
    return `${name} ${isWritten ? 'was again' : 'is still'} ${failed}, with the same output.`
  }
  const head = firstOf(lines)
  const error = ERROR.test(head) ? -1 : lines.findIndex((line) => ERROR.test(line))
  return `${name} was ${failed}:\n${error < 0 ? head : firstOf(lines.slice(error))}`
}
