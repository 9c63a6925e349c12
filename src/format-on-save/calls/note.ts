/** Creates the notes that tell a model what corrected calls cannot show: how a file differs, lost words, failures. */
import { relative } from 'node:path'
import { isReformatted } from '../../steps/realign/bare-text.ts'
import { changedRange, countLineBreaks, differTooMuch } from '../../text/changed-range.ts'
import { formatHunks, type Hunk, hunksOf } from '../../text/hunks.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import { nameInSentence } from '../../text/quoted-name.ts'
import type { Failure } from '../run/run-formatter.ts'

// A diff is shown if it is shorter than a third of the file, or than 400 characters.
const SHARE = 3
const ALWAYS_LENGTH = 400
// The number of unchanged lines around a change in a diff.
const CONTEXT_LINES = 1
const MAX_RANGES = 10

const onlyRemovesBlankLines = ({ lines }: Hunk): boolean => lines.every((line) => /^(?: |-\s*$)/.test(line))

const linesOf = ({ lines }: Hunk, sign: '-' | '+'): string =>
  lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1)).join('\n')

/** Restores in a text the blank lines that hunks removed. */
const withBlankLines = (text: string, hunks: Array<Hunk>): string => {
  const restored = text.split('\n')
  const carriageReturn = text.includes('\r\n') ? '\r' : ''
  for (const { newStart, lines } of hunks.toReversed()) {
    for (const [index, line] of lines.entries()) {
      if (line.startsWith('-')) restored.splice(newStart - 1 + index, 0, line.slice(1) + carriageReturn)
    }
  }
  return restored.join('\n')
}

const formatRange = (first: number, last: number): string => first < last ? `${first}-${last}` : `${first}`

/** Returns the range of lines of the new file that a hunk changed, such as `3-5`; its context lines do not count. */
const changedLines = ({ newStart, newLines, lines }: Hunk): string => {
  const isChanged = (line: string) => !line.startsWith(' ')
  const contextBelow = lines.length - 1 - lines.findLastIndex(isChanged)
  return formatRange(newStart + lines.findIndex(isChanged), newStart + newLines - 1 - contextBelow)
}

/** Returns the ranges of all changed lines. If the hunks are many or unknown, returns one range that includes all. */
const rangesOf = (hunks: Array<Hunk> | undefined, before: string, after: string): string => {
  if (hunks && hunks.length <= MAX_RANGES) return hunks.map(changedLines).join(', ')
  const { from: start, to: end } = changedRange(before, after).after
  return formatRange(countLineBreaks(after, start) + 1, countLineBreaks(after, end))
}

/** Returns the name of a file in a note: its path relative to the session's directory, quoted as data. */
export const nameInNote = (directory: string, path: string): string =>
  nameInSentence(relative(directory, path))

/** A note, and the text that the model believes after it: still with removed blank lines that the note omits. */
type Note = { note: string; believed: string }

const UNSURE = 'may differ from what you saw; read it again before you edit it.'

/**
 * Creates the note on how a file differs from the text that the model believes: a unified diff or, if the diff is long,
 * the numbers of the changed lines. The note is empty if only line endings or removed blank lines differ.
 *
 * @param believed null if it is not sure what the model believes; the note then advises to read the file again
 * @param options `isFormatting`: only the formatter can have changed the file; `reportsBlank`: the note also reports
 * removed blank lines
 */
export const noteOf = (
  name: string,
  believed: string | null,
  text: string,
  { isFormatting = false, reportsBlank = false },
): Note => {
  if (believed === null) return { note: `${name} ${UNSURE}`, believed: text }
  const [before, after] = [crlfToLf(believed), crlfToLf(text)]
  if (before === after) return { note: '', believed: text }
  const hunks = differTooMuch(before, after) ? null : hunksOf(before, after, CONTEXT_LINES)
  const isReported = (hunk: Hunk) => reportsBlank || !onlyRemovesBlankLines(hunk)
  const reported = hunks?.filter(isReported)
  if (reported?.length === 0) return { note: '', believed }
  const looksFormatted = reported?.every((hunk) => isReformatted(linesOf(hunk, '-'), linesOf(hunk, '+')))
  const change = isFormatting || looksFormatted ? 'was formatted and' : 'now'
  const differs = `${name} ${change} differs from what you saw:`
  const diff = reported && formatHunks(reported).slice(0, -1)
  const isShort = diff !== undefined && diff.length < Math.max(ALWAYS_LENGTH, after.length / SHARE)
  const changes = isShort
    ? `\n${diff}`
    : ` lines ${rangesOf(reported, before, after)} changed; read them before you edit them.`
  const omitted = hunks?.filter((hunk) => !isReported(hunk)) ?? []
  return { note: differs + changes, believed: withBlankLines(text, omitted) }
}

/** Creates the note on lines of a call from which the formatter dropped words; empty if there are none. */
export const lostNote = (name: string, lines: Array<string>): string =>
  lines.length > 0
    ? `${name} was formatted, which dropped words from:\n${[...new Set(lines)].join('\n')}`
    : ''

/** Creates the note on a file that is empty, gone or unreadable. `isSure`: what the model believed is known. */
export const goneNote = (name: string, isSure: boolean): string =>
  isSure ? `${name} is empty, gone or unreadable now.` : `${name} ${UNSURE}`

const MAX_OUTPUT = 700
const MAX_OUTPUT_LINES = 10

// Matches an error of a parser: `SyntaxError`, `unexpected token`. The remarks of a linter may come before it.
const ERROR = /error\b|\b(?:expected|pars(?:e|ing)|syntax|unexpected)\b/i

const firstOf = (lines: Array<string>): string =>
  lines.slice(0, MAX_OUTPUT_LINES).join('\n').slice(0, MAX_OUTPUT)

// The same error has other line numbers when lines above it were added.
const withoutNumbers = (output: string): string => output.replace(/\d+/g, '0')

/**
 * Creates the note on a formatter that failed, with the first lines of its output or, if the first error comes later,
 * the lines from that error on. Does not repeat an output that was already `reported`, even with other numbers. If
 * `hasWritten`, the file may be formatted: a linter that fixed some errors still exits with an error.
 */
export const failureNote = (
  name: string,
  { command, status, code, output, hasWritten }: Omit<Failure, 'kind'>,
  reported = '',
): string => {
  // Blank lines and the lines of a stack trace, such as `    at parse (index.js:1:1)`, are omitted.
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  const isWritten = hasWritten && code !== undefined
  const failed = isWritten
    ? `formatted, but \`${command}\` exited with code ${code}`
    : `not formatted: \`${command}\` ${status}`
  if (lines.length === 0) return `${name} was ${failed}.`
  if (withoutNumbers(output) === withoutNumbers(reported)) {
    return `${name} ${isWritten ? 'was again' : 'is still'} ${failed}, with the same output.`
  }
  const head = firstOf(lines)
  const error = ERROR.test(head) ? -1 : lines.findIndex((line) => ERROR.test(line))
  return `${name} was ${failed}:\n${error < 0 ? head : firstOf(lines.slice(error))}`
}
