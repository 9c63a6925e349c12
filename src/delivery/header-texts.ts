/** Reads the values of `forbid`, `require`, `bad` and `good`: patterns and examples, in which backslashes are kept. */
import type { HeaderText } from '../checks/patterns.ts'
import type { FrontmatterEntry } from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'
import { BLOCK_TEXT, QUOTE_IT, QUOTED, splitList, uncommented, unquoted } from './header-values.ts'

// A quoted text with at most a comment after it: `'a b' # why`.
const QUOTED_TEXT = new RegExp(String.raw`^(${QUOTED})\s*(?:#.*)?$`)
// A list in brackets, of quoted texts or words: `["a", 'b']`, `[TODO, FIXME]`. `[a-z]` is one text.
const LIST_OF_TEXTS = /^\[\s*(?:["'].*["'][\s,]*|\w{2,}\s*,[^[\]]*)?\]$/
// In a pattern, an escaped line feed or tab means the same as the character itself.
const ESCAPES = { n: '\n', t: '\t' }

type Line = FrontmatterEntry['lines'][number]

/**
 * A line of a value without the `-` of a list item. If the line is YAML's sign for a text on the lines below (`|` or
 * `>`), `below` has these lines: its block text.
 */
type TextLine = HeaderText & { indent: number; isItem: boolean; below: Array<Line> | null }

const textLine = (line: number, text: string, indent: number, isItem: boolean): TextLine => ({
  ...{ line, text, indent, isItem },
  below: BLOCK_TEXT.test(text) ? [] : null,
})

/** Splits a value into its lines; a block text belongs to the line of its `|` or `>`. */
const textLinesOf = ({ value, lines: [first, ...others] }: FrontmatterEntry): Array<TextLine> => {
  const textLines = [textLine(first!.number, value.trim(), -1, false)]
  for (const line of others) {
    const above = textLines.at(-1)!
    const indent = line.text.search(/\S|$/)
    const text = line.text.replace(/^\s*-\s+/, '').trim()
    if (above.below && (text === '' || indent > above.indent)) above.below.push(line)
    else textLines.push(textLine(line.number, text, indent, /^\s*-\s/.test(line.text)))
  }
  return textLines
}

/** Joins lines, and removes the indentation of the first non-blank line from each. */
const withoutIndent = (lines: Array<string>): string => {
  const [indent = ''] = /^\s*/.exec(lines.find((line) => line.trim() !== '') ?? '') ?? []
  return lines.map((line) => line.slice(indent.length)).join('\n').trimEnd()
}

/**
 * Reads a block text. Below `>`, all lines are one text. Below `|`, each line is a pattern, or all lines are one
 * example.
 */
const textsBelow = (sign: TextLine, below: Array<Line>, isPattern: boolean): Array<HeaderText> => {
  const { line } = sign
  const filled = below.map(({ number, text }) => ({ line: number, text: text.trim() }))
    .filter(({ text }) => text !== '')
  if (sign.text.startsWith('>')) return [{ line, text: filled.map(({ text }) => text).join(' ') }]
  return isPattern ? filled : [{ line, text: withoutIndent(below.map(({ text }) => text)) }]
}

/**
 * Removes quotes and a comment from a text. Fails if ` #` is followed directly by a character: it may be text or the
 * start of a comment.
 */
const plainText = (item: string): Result<string> => {
  const quoted = QUOTED_TEXT.exec(item)?.[1]
  if (quoted !== undefined) return ok(unquoted(quoted, ESCAPES) ?? '')
  if (/^["']/.test(item)) return fail(`the quote in ${excerpt(item)} is not closed`)
  const [, bare = item, next = ''] = /^(.*?)\s#(.?)/s.exec(item) ?? []
  return /\S/.test(next)
    ? fail(`the # in ${excerpt(item)} may start a comment; ${QUOTE_IT}`)
    : ok(bare.trim())
}

/** Reads one text, one item per line, or a list in brackets. A whole value or list item may start with `#`. */
export const textsOf = (entry: FrontmatterEntry): Result<Array<HeaderText>> => {
  const lines = textLinesOf(entry)
  const isPattern = entry.key === 'forbid' || entry.key === 'require'
  const isList = LIST_OF_TEXTS.test(lines.map(({ text }) => uncommented(text)).join(' '))
  const hasText = lines.some(({ text, isItem }) => text !== '' && (isItem || !text.startsWith('#')))
  const texts: Array<HeaderText> = []
  for (const textLine of lines) {
    const { line, text, isItem, below } = textLine
    if (below) texts.push(...textsBelow(textLine, below, isPattern))
    // Without any other text, a `#` directly after the key starts the text, not a comment.
    const mayBeComment = !isItem && (hasText || textLine !== lines[0])
    const items = isList ? splitList(uncommented(text).replace(/^\[|\]$/g, '')) : [text]
    for (const item of below ? [] : items) {
      if (item === '' || mayBeComment && item.startsWith('#')) continue
      const plain = plainText(item)
      if (plain.error !== null) return plain
      texts.push({ line, text: plain.data })
    }
  }
  const isComment = texts.length === 0 && lines.some(({ text }) => text.startsWith('#'))
  return isComment ? fail(`all of ${entry.key} is a comment; ${QUOTE_IT}`) : ok(texts)
}
