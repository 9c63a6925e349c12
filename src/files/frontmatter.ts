/** A text in two: its frontmatter with the lines around it (empty where there is none), and the rest. */
export type SplitText = { frontmatter: string; body: string }

/** A line of a frontmatter: where it stands in the file, counted from 1, and its text without the line break. */
export type FrontmatterLine = { number: number; text: string }

/** What opens a file: its frontmatter's inner lines, how many characters it has in all, and whether it is closed. */
export type FrontmatterBlock = { lines: Array<FrontmatterLine>; length: number; isClosed: boolean }

/** The keys of a rule's frontmatter that SAT reads; a block that has one of them is frontmatter, however broken. */
const RULE_KEY = /^["']?(?:globs|paths|applyTo|alwaysApply|description)["']?[ \t]*:/

// YAML's plain and quoted keys, with whatever stands in them: `a b`, `a/b`, `"a: b"`, `größe`. A colon parts key and
// value only where white space or the end of the line follows.
const KEY = /^[^\s#[\]{}|>%@`,&*!-].*?:(?:\s|$)/

// What may stand at the start of a line without being a key: an indented line, a comment, an item, the end of a
// list or a map in brackets.
const CONTINUATION = /^(?:\s|#|-(?:\s|$)|[\]}]|$)/

// Only what stands first in a file, behind its byte-order mark at most, opens a frontmatter.
const OPENING = /^\uFEFF?---(?:[ \t]+#[^\r\n]*|[ \t]*)(?:\r\n|\n|\r)/

/** The lines that a frontmatter may close with: YAML's own two ways to end a document. */
const CLOSING = /^(?:---|\.\.\.)[ \t]*$/

// A line without its break, and the break.
const LINE = /([^\r\n]*)(\r\n|\n|\r|$)/y

const isBlankOrComment = (text: string): boolean => /^\s*(?:#|$)/.test(text)

/** A key at the start of a line, the text behind its colon, and the lines that go on with its value. */
export type FrontmatterEntry = { key: string; value: string; lines: Array<FrontmatterLine> }

// A value that YAML reads as a list or a map in brackets; without the blank it is a part of a plain key.
const VALUE_IN_BRACKETS = /:[ \t]+[[{]/

/** Whether a key's value is a list or a map in brackets that goes on over the next lines. */
const isOpenList = (text: string): boolean => {
  const start = VALUE_IN_BRACKETS.exec(text)
  return start !== null && !/[\]}]/.test(text.slice(start.index))
}

const entryOf = (line: FrontmatterLine): FrontmatterEntry | null => {
  const { text } = line
  const isKey = KEY.test(text)
  if (!isKey && !RULE_KEY.test(text)) return null
  const colon = isKey ? text.search(/:(?:\s|$)/) : text.indexOf(':')
  const key = text.slice(0, colon).trim().replace(/^(["'])(.*)\1$/, '$2')
  return { key, value: text.slice(colon + 1), lines: [line] }
}

/**
 * Cuts the lines of a frontmatter at its keys; lines before the first one are left out, and so is what stands in a
 * map in brackets.
 */
export const frontmatterEntries = (lines: Array<FrontmatterLine>): Array<FrontmatterEntry> => {
  const entries: Array<FrontmatterEntry> = []
  let isInBrackets = false
  for (const line of lines) {
    const opened = entries.at(-1)
    const entry = entryOf(line)
    // A list that is never closed does not swallow the rule's keys behind it.
    if (entry && (!isInBrackets || RULE_KEY.test(line.text))) {
      entries.push(entry)
      isInBrackets = isOpenList(line.text)
    } else {
      opened?.lines.push(line)
      isInBrackets &&= !/[\]}]/.test(line.text)
    }
  }
  return entries
}

/** Whether the first line that says something starts a map, and each further one can stand in it. */
const isMap = (lines: Array<FrontmatterLine>): boolean => {
  const [first, ...rest] = lines.filter(({ text }) => !isBlankOrComment(text))
  if (first === undefined || first.text.startsWith('{')) return true
  if (!KEY.test(first.text)) return false
  let isInBrackets = isOpenList(first.text)
  return rest.every(({ text }) => {
    const isPart = isInBrackets || KEY.test(text) || CONTINUATION.test(text)
    isInBrackets = isInBrackets ? !/[\]}]/.test(text) : isOpenList(text)
    return isPart
  })
}

/** The lines without the indent of the first that says something, where they all have it: a map may be indented. */
const dedented = (lines: Array<FrontmatterLine>): Array<FrontmatterLine> => {
  const first = lines.find(({ text }) => !isBlankOrComment(text))?.text ?? ''
  const indent = first.slice(0, first.length - first.trimStart().length)
  return indent !== '' && lines.every(({ text }) => text.startsWith(indent) || isBlankOrComment(text))
    ? lines.map(({ number, text }) => ({
      number,
      text: text.startsWith(indent) ? text.slice(indent.length) : text,
    }))
    : lines
}

/**
 * Finds the frontmatter that a text starts with, in one pass: `null` where there is none. Prose between two rulers is
 * none; lines under an opening that is never closed are, up to the first blank one, where a rule's key is among them.
 */
export const frontmatterOf = (text: string): FrontmatterBlock | null => {
  const opening = OPENING.exec(text)
  if (!opening) return null
  const lines: Array<FrontmatterLine> = []
  LINE.lastIndex = opening[0].length
  let unclosed: { count: number; length: number } | undefined
  for (let number = 2; LINE.lastIndex < text.length; number++) {
    const start = LINE.lastIndex
    const line = LINE.exec(text)?.[1] ?? ''
    const length = LINE.lastIndex
    if (CLOSING.test(line)) {
      const inner = dedented(lines)
      const isFrontmatter = inner.some(({ text }) => RULE_KEY.test(text)) || isMap(inner)
      return isFrontmatter ? { lines: inner, length, isClosed: true } : null
    }
    if (line.trim() === '') unclosed ??= { count: lines.length, length: start }
    lines.push({ number, text: line })
  }
  const opened = lines.slice(0, unclosed?.count)
  return opened.some(({ text }) => RULE_KEY.test(text))
    ? { lines: opened, length: unclosed?.length ?? text.length, isClosed: false }
    : null
}

/**
 * Splits a text at the end of its frontmatter (spec.md, Frontmatter is not a rule): what delivery reads as
 * frontmatter is what a rewrite keeps, for both ask `frontmatterOf`.
 */
export const splitFrontmatter = (text: string): SplitText => {
  const length = frontmatterOf(text)?.length ?? 0
  return { frontmatter: text.slice(0, length), body: text.slice(length) }
}
