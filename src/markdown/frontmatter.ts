import { linesOf } from '../text/line-ending.ts'

/** A line of a frontmatter: its number in the file, counted from 1, and its text without the line break. */
type FrontmatterLine = { number: number; text: string }

/** A file's frontmatter: the lines between the `---`, how many characters it has with them, and whether it is closed. */
export type FrontmatterBlock = { lines: Array<FrontmatterLine>; length: number; isClosed: boolean }

// The keys of a rule's frontmatter that SAT reads. A block that has one of them is frontmatter, however broken.
const RULE_KEY = /^["']?(?:globs|paths|applyTo|alwaysApply|description)["']?[ \t]*:/

// A key of YAML, plain or quoted: `a b`, `a/b`, `"a: b"`, `größe`. A colon ends it only where whitespace or the end
// of the line follows.
const KEY = /^[^\s#[\]{}|>%@`,&*!-].*?:(?:\s|$)/

// A line of YAML that starts no key: an indented one, a comment, an item, the end of a list or a map in brackets.
const CONTINUATION = /^(?:\s|#|-(?:\s|$)|[\]}]|$)/

// The line that opens a frontmatter: the very first of a file, with at most a byte-order mark before it.
const OPENING = /^\uFEFF?---(?:[ \t]+#[^\r\n]*|[ \t]*)(?:\r\n|\n|\r)/

// The line that closes a frontmatter: YAML ends a document in these two ways. Formatters of Markdown take the dashes for
// the underline of a heading and lengthen them.
const CLOSING = /(?<![^\r\n])(?:-{3,}|\.\.\.)[ \t]*(?:\r\n|\n|\r|$)/

const BLANK_LINE = /(?<=^|\n|\r(?!\n))[^\S\r\n]*(?=[\r\n]|$)/

const BLANK_OR_COMMENT = /^\s*(?:#|$)/

/** Gives the first line that has text. */
const textOf = (lines: Array<FrontmatterLine>): string =>
  lines.find(({ text }) => !BLANK_OR_COMMENT.test(text))?.text ?? ''

/** A key at the start of a line, the text after its colon, and the lines that continue its value. */
export type FrontmatterEntry = { key: string; value: string; lines: Array<FrontmatterLine> }

/** Whether a key's value is a list or a map in brackets that goes on over the next lines. `a:[b` is one plain key. */
const isOpenList = (value: string): boolean => /^\s+[[{][^\]}]*$/.test(value)

const entryOf = (line: FrontmatterLine): FrontmatterEntry | null => {
  const { text } = line
  const isKey = KEY.test(text)
  if (!isKey && !RULE_KEY.test(text)) return null
  const colon = isKey ? text.search(/:(?:\s|$)/) : text.indexOf(':')
  const key = text.slice(0, colon).trim().replace(/^(["'])(.*)\1$/, '$2')
  return { key, value: text.slice(colon + 1), lines: [line] }
}

/**
 * Cuts lines at their keys. Lines before the first key are left out; keys inside of brackets belong to the value.
 * `isMap` says whether each line begins as one of YAML does.
 */
const readEntries = (lines: Array<FrontmatterLine>): { entries: Array<FrontmatterEntry>; isMap: boolean } => {
  const entries: Array<FrontmatterEntry> = []
  let isInBrackets = false
  let isMap = true
  for (const line of lines) {
    const entry = entryOf(line)
    // Otherwise a list that is never closed would swallow the keys that SAT reads.
    if (entry && (!isInBrackets || RULE_KEY.test(line.text))) {
      entries.push(entry)
      isInBrackets = isOpenList(entry.value)
      continue
    }
    const opened = entries.at(-1)
    isMap &&= isInBrackets || (opened ? CONTINUATION : BLANK_OR_COMMENT).test(line.text)
    opened?.lines.push(line)
    isInBrackets &&= !/[\]}]/.test(line.text)
  }
  return { entries, isMap: isMap || textOf(lines).startsWith('{') }
}

/** Cuts the lines of a frontmatter at its keys. */
export const frontmatterEntries = (lines: Array<FrontmatterLine>): Array<FrontmatterEntry> =>
  readEntries(lines).entries

/** Removes the indent that the first line with text has. */
const dedented = (lines: Array<FrontmatterLine>): Array<FrontmatterLine> => {
  const [indent = ''] = /^\s*/.exec(textOf(lines)) ?? []
  return lines.map(({ number, text }) => ({
    number,
    text: text.startsWith(indent) ? text.slice(indent.length) : text,
  }))
}

/**
 * Finds the frontmatter that a text starts with; `null` where there is none.
 *
 * Prose between two `---` is none. An opening that is never closed makes a frontmatter of the lines up to the first
 * blank one, if a rule's key is among them.
 */
export const frontmatterOf = (text: string): FrontmatterBlock | null => {
  const start = OPENING.exec(text)?.[0].length
  if (start === undefined) return null
  const rest = text.slice(start)
  const closing = CLOSING.exec(rest)
  const end = closing?.index ?? BLANK_LINE.exec(rest)?.index ?? rest.length
  const texts = end === 0 ? [] : linesOf(rest.slice(0, end).replace(/(?:\r\n|\n|\r)$/, ''))
  const written = texts.map((text, index) => ({ number: index + 2, text }))
  const lines = closing === null ? written : dedented(written)
  const isFrontmatter = lines.some(({ text }) => RULE_KEY.test(text))
    || closing !== null && readEntries(lines).isMap
  const length = start + end + (closing?.[0].length ?? 0)
  return isFrontmatter ? { lines, length, isClosed: closing !== null } : null
}

/** Splits a text after its frontmatter, which a rewrite keeps: the part with the `---` is empty where there is none. */
export const splitFrontmatter = (text: string): { frontmatter: string; body: string } => {
  const length = frontmatterOf(text)?.length ?? 0
  return { frontmatter: text.slice(0, length), body: text.slice(length) }
}
