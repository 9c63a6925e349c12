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
const CLOSING = /^(?:-{3,}|\.\.\.)[ \t]*$/

// A line without its break, and the break.
const LINE = /([^\r\n]*)(\r\n|\n|\r|$)/y

const isBlankOrComment = (text: string): boolean => /^\s*(?:#|$)/.test(text)

/** A key at the start of a line, the text after its colon, and the lines that continue its value. */
export type FrontmatterEntry = { key: string; value: string; lines: Array<FrontmatterLine> }

// The start of a list or a map in brackets after a key. Without the space YAML reads `a:[b` as one plain key.
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
 * Cuts the lines of a frontmatter at its keys. Lines before the first key are left out; keys inside of brackets belong
 * to the value.
 */
export const frontmatterEntries = (lines: Array<FrontmatterLine>): Array<FrontmatterEntry> => {
  const entries: Array<FrontmatterEntry> = []
  let isInBrackets = false
  for (const line of lines) {
    const opened = entries.at(-1)
    const entry = entryOf(line)
    // Otherwise a list that is never closed would swallow the keys that SAT reads.
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

/** Whether lines are a map of YAML, by their beginnings: the first one with text starts it, the others may go on. */
const isMap = (lines: Array<FrontmatterLine>): boolean => {
  const texts = lines.map(({ text }) => text).filter((text) => !isBlankOrComment(text))
  let isInBrackets = false
  return texts[0]?.startsWith('{') || texts.every((text, index) => {
    const isPart = isInBrackets || KEY.test(text) || index > 0 && CONTINUATION.test(text)
    isInBrackets = isInBrackets ? !/[\]}]/.test(text) : isOpenList(text)
    return isPart
  })
}

/** Removes the indent of a map from its lines, where all have that of the first line with text. */
const dedented = (lines: Array<FrontmatterLine>): Array<FrontmatterLine> => {
  const [indent = ''] = /^\s*/.exec(lines.find(({ text }) => !isBlankOrComment(text))?.text ?? '') ?? []
  const isIndented = (text: string): boolean => text.startsWith(indent)
  return lines.every(({ text }) => isIndented(text) || isBlankOrComment(text))
    ? lines.map(({ number, text }) => ({ number, text: isIndented(text) ? text.slice(indent.length) : text }))
    : lines
}

/**
 * Finds the frontmatter that a text starts with, in one pass; `null` where there is none.
 *
 * Prose between two `---` is none. An opening that is never closed makes a frontmatter of the lines up to the first
 * blank one, if a rule's key is among them.
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

/** Splits a text after its frontmatter, which a rewrite keeps: the part with the `---` is empty where there is none. */
export const splitFrontmatter = (text: string): { frontmatter: string; body: string } => {
  const length = frontmatterOf(text)?.length ?? 0
  return { frontmatter: text.slice(0, length), body: text.slice(length) }
}
