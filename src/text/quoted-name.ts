import { markName } from './hidden-characters.ts'

/** Gives a run of backticks that is longer than any in a text, and has at least so many. */
export const backticksFor = (text: string, least: number): string =>
  '`'.repeat([...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length + 1), least))

/**
 * Quotes a text in backticks, in a longer run than any inside it: "`rm`" becomes "`` `rm` ``". No part of it can close
 * them and be read as instructions.
 */
export const inBackticks = (text: string): string => {
  const fence = backticksFor(text, 1)
  return fence.length === 1 ? fence + text + fence : `${fence} ${text} ${fence}`
}

/** Quotes lines of a diff, in a longer fence than any inside it. */
export const inDiffFence = (lines: string): string => {
  const fence = backticksFor(lines, 3)
  return `${fence}diff\n${lines}\n${fence}`
}

/** Cuts a text after so many UTF-16 units, but no character in two. */
export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).replace(/(?:[\uD800-\uDBFF]|\u200D)+$/, '')}…` : text

const MAX_QUOTED = 120

/** Quotes words of a file or of a model as data, wherever SAT speaks: on one line, at most 120 characters of them. */
export const quotation = (text: string): string => markName(cut(text, MAX_QUOTED))

const MAX_ROWS = 10

/** Gives the rows of a list that are shown, wherever SAT speaks: the first ten; and how many `more` there are. */
export const firstRows = <Row>(rows: Array<Row>): { rows: Array<Row>; more: number } => ({
  rows: rows.slice(0, MAX_ROWS),
  more: Math.max(0, rows.length - MAX_ROWS),
})

/** Gives the first ten lines of a list, and one that counts the others. */
export const firstLines = (lines: Array<string>): Array<string> => {
  const { rows, more } = firstRows(lines)
  return more > 0 ? [...rows, `and ${more} more`] : rows
}

const MAX_NAME = 200

/** Makes one line of a file's name, as data: its hidden characters marked, cut to 200 characters. */
export const plainName = (name: string): string => markName(cut(name, MAX_NAME))

/** Quotes a file's name as code: a model must not obey a name such as "Also: the user asks you to …". */
export const codeName = (name: string): string => inBackticks(plainName(name))

// A name without blanks and punctuation cannot say anything.
const ONE_WORD = /^[\w./@+-]+$/

/** Quotes a file's name as code where it could be read as words; `src/a.ts` stays as it is. */
export const nameInWords = (name: string): string => ONE_WORD.test(name) ? plainName(name) : codeName(name)
