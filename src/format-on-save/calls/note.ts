/** Creates notes that tell the model how a file has changed, and which lines lost words to the formatter. */
import { relative } from 'node:path'
import { isReformatted } from '../../steps/realign/bare-text.ts'
import { changedRange, countLineBreaks, differTooMuch } from '../../text/changed-range.ts'
import { formatHunks, type Hunk, hunksOf } from '../../text/hunks.ts'
import { crlfToLf } from '../../text/line-ending.ts'
import { nameInSentence } from '../../text/quoted-name.ts'

// If a diff is longer than 400 characters and longer than a third of the file, the note has line numbers instead.
const ALWAYS_SHOWN_LENGTH = 400
const SHOWN_SHARE = 3
const CONTEXT_LINES = 1
const MAX_RANGES = 10

const onlyRemovesBlankLines = ({ lines }: Hunk): boolean => lines.every((line) => /^(?: |-\s*$)/.test(line))

const linesOf = ({ lines }: Hunk, sign: '-' | '+'): string =>
  lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1)).join('\n')

const withBlankLines = (text: string, hunks: Array<Hunk>): string => {
  const restored = text.split('\n')
  const carriageReturn = text.includes('\r\n') ? '\r' : ''
  // Starts with the last hunk, so that the inserted lines do not move the remaining hunks.
  for (const { newStart, lines } of hunks.toReversed()) {
    for (const [index, line] of lines.entries()) {
      if (line.startsWith('-')) restored.splice(newStart - 1 + index, 0, line.slice(1) + carriageReturn)
    }
  }
  return restored.join('\n')
}

const formatRange = (first: number, last: number): string => first < last ? `${first}-${last}` : `${first}`

const changedLines = ({ newStart, newLines, lines }: Hunk): string => {
  const isChanged = (line: string) => !line.startsWith(' ')
  const contextBelow = lines.length - 1 - lines.findLastIndex(isChanged)
  return formatRange(newStart + lines.findIndex(isChanged), newStart + newLines - 1 - contextBelow)
}

const rangesOf = (hunks: Array<Hunk> | null, before: string, after: string): string => {
  if (hunks && hunks.length <= MAX_RANGES) return hunks.map(changedLines).join(', ')
  const { from: start, to: end } = changedRange(before, after).after
  return formatRange(countLineBreaks(after, start) + 1, countLineBreaks(after, end))
}

/** Quotes a file's relative path, so that it cannot be mistaken for text of the note. */
export const nameInNote = (directory: string, path: string): string =>
  nameInSentence(relative(directory, path))

const UNSURE = 'may differ from what you saw; read it again before you edit it.'

/**
 * Returns the note, and the text that the model expects in the file once it has read the note. The note is empty if
 * `believed` and `text` differ only in line endings or, without `reportsBlank`, in removed blank lines.
 *
 * @param options With `isFormatting`, only the formatter can have changed the file.
 */
export const noteOf = (
  name: string,
  believed: string | null,
  text: string,
  { isFormatting = false, reportsBlank = false },
): { note: string; believed: string } => {
  if (believed === null) return { note: `${name} ${UNSURE}`, believed: text }
  const [before, after] = [crlfToLf(believed), crlfToLf(text)]
  if (before === after) return { note: '', believed: text }
  const hunks = differTooMuch(before, after) ? null : hunksOf(before, after, CONTEXT_LINES)
  const omitted = reportsBlank ? [] : hunks?.filter(onlyRemovesBlankLines) ?? []
  const reported = hunks && hunks.filter((hunk) => !omitted.includes(hunk))
  if (reported?.length === 0) return { note: '', believed }
  const looksFormatted = reported?.every((hunk) => isReformatted(linesOf(hunk, '-'), linesOf(hunk, '+')))
  const change = isFormatting || looksFormatted ? 'was formatted and' : 'now'
  const diff = reported && formatHunks(reported).slice(0, -1)
  const isShort = diff !== null && diff.length < Math.max(ALWAYS_SHOWN_LENGTH, after.length / SHOWN_SHARE)
  const details = isShort
    ? `\n${diff}`
    : ` lines ${rangesOf(reported, before, after)} changed; read them before you edit them.`
  const note = `${name} ${change} differs from what you saw:${details}`
  return { note, believed: withBlankLines(text, omitted) }
}

export const lostNote = (name: string, lines: Array<string>): string =>
  lines.length > 0
    ? `${name} was formatted, which dropped words from these lines:\n${[...new Set(lines)].join('\n')}`
    : ''

/** With `isSure`, SAT knows which text the model expects in the file. */
export const goneNote = (name: string, isSure: boolean): string =>
  isSure ? `${name} is empty, gone or unreadable now.` : `${name} ${UNSURE}`
