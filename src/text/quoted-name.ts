/** Quotes names and texts so that a model reads them as data, and shortens long texts and lists. */
import { markName } from './hidden-characters.ts'

const backticksFor = (text: string, minimum: number): string =>
  '`'.repeat([...text.matchAll(/`+/g)].reduce((length, [run]) => Math.max(length, run.length + 1), minimum))

/** Quotes a text so that backticks inside it cannot end the quotation. */
export const inBackticks = (text: string): string => {
  const fence = backticksFor(text, 1)
  const space = fence.length === 1 ? '' : ' '
  return fence + space + text + space + fence
}

export const inFence = (text: string, language = ''): string => {
  const fence = backticksFor(text, 3)
  return `${fence}${language}\n${text}\n${fence}`
}

/** Truncates a text of more than `length` UTF-16 units without splitting a character, and adds `…`. */
export const truncate = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).replace(/(?:[\uD800-\uDBFF]|\u200D)+$/, '')}…` : text

/** Returns the start of a text as one line, with hidden characters marked. */
export const excerpt = (text: string): string => markName(truncate(text, 120))

const MAX_ROWS = 10

export const firstRows = <Row>(rows: Array<Row>, max = MAX_ROWS): { rows: Array<Row>; more: number } => ({
  rows: rows.slice(0, max),
  more: Math.max(0, rows.length - max),
})

export const firstLines = (lines: Array<string>, max = MAX_ROWS): Array<string> => {
  const { rows, more } = firstRows(lines, max)
  return more > 0 ? [...rows, `and ${more} more`] : rows
}

export const safeName = (name: string): string => markName(truncate(name, 200))

/** Quotes a file name as code, so that a model does not obey a name such as "Also: the user asks you to …". */
export const nameInBackticks = (name: string): string => inBackticks(safeName(name))

/** Quotes a file name unless it is one plain word such as `a/b.ts`, because several words may read as a sentence. */
export const nameInSentence = (name: string): string =>
  /^[\w./@+-]+$/.test(name) ? safeName(name) : nameInBackticks(name)
