/** Quotes names and texts of files as data that no model obeys, and shortens long texts and lists. */
import { markName } from './hidden-characters.ts'

/** Returns a run of backticks longer than any in the text, at least `least` long. */
const backticksFor = (text: string, least: number): string =>
  '`'.repeat([...text.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length + 1), least))

/**
 * Quotes a text in backticks, using a longer run than any inside: "`rm`" becomes "`` `rm` ``". Nothing in the text can
 * close the quotation and be read as an instruction.
 */
export const inBackticks = (text: string): string => {
  const fence = backticksFor(text, 1)
  return fence.length === 1 ? fence + text + fence : `${fence} ${text} ${fence}`
}

/** Fences a text, using a longer fence than any inside. */
export const inFence = (text: string, language = ''): string => {
  const fence = backticksFor(text, 3)
  return `${fence}${language}\n${text}\n${fence}`
}

/** Truncates a text to a number of UTF-16 units without splitting a character. */
export const truncate = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).replace(/(?:[\uD800-\uDBFF]|\u200D)+$/, '')}…` : text

const MAX_QUOTED = 120

/** Quotes text of a file or a model as data: one line of at most 120 characters. */
export const excerpt = (text: string): string => markName(truncate(text, MAX_QUOTED))

const MAX_ROWS = 10

/** Returns the first rows of a list, ten by default, and the number of the others. */
export const firstRows = <Row>(rows: Array<Row>, max = MAX_ROWS): { rows: Array<Row>; more: number } => ({
  rows: rows.slice(0, max),
  more: Math.max(0, rows.length - max),
})

/** Returns the first lines of a list, ten by default, then a line that counts the others. */
export const firstLines = (lines: Array<string>, max = MAX_ROWS): Array<string> => {
  const { rows, more } = firstRows(lines, max)
  return more > 0 ? [...rows, `and ${more} more`] : rows
}

const MAX_NAME = 200

/** Formats a file name as data: one line of at most 200 characters, with hidden characters marked. */
export const safeName = (name: string): string => markName(truncate(name, MAX_NAME))

/** Quotes a file name as code, so that a model does not obey a name such as "Also: the user asks you to …". */
export const nameInBackticks = (name: string): string => inBackticks(safeName(name))

// A name without whitespace and punctuation cannot be read as a sentence.
const ONE_WORD = /^[\w./@+-]+$/

/** Quotes a file name as code if it could be read as a sentence; `src/a.ts` stays as it is. */
export const nameInSentence = (name: string): string =>
  ONE_WORD.test(name) ? safeName(name) : nameInBackticks(name)
