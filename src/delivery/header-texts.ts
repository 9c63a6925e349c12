/** Texts of a rule file's header, such as patterns and examples, in which a backslash stays. */
import type { HeaderText } from '../checks/patterns.ts'
import type { FrontmatterEntry } from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'
import { BLOCK_TEXT, QUOTE_IT, QUOTED, splitList, uncommented, unquoted } from './header-values.ts'

// A text in quotes, with at most a comment after it; and a list in brackets, of such texts or of words: `[a-z]` is a text.
const QUOTED_TEXT = new RegExp(String.raw`^(${QUOTED})\s*(?:#.*)?$`)
const LIST_OF_TEXTS = /^\[\s*(?:["'].*["'][\s,]*|\w{2,}\s*,[^[\]]*)?\]$/
// In a pattern both mean the same with a backslash.
const ESCAPES = { n: '\n', t: '\t' }

type Line = FrontmatterEntry['lines'][number]

/** A line of a value without the mark of an item, and where it is `|` or `>`, the lines of the text below it. */
type TextLine = HeaderText & { indent: number; isItem: boolean; below: Array<Line> | null }

const textLinesOf = ({ value, lines: [first, ...others] }: FrontmatterEntry): Array<TextLine> => {
  const below = (text: string) => BLOCK_TEXT.test(text) ? [] : null
  const start = value.trim()
  const found: Array<TextLine> = [
    { line: first!.number, text: start, indent: -1, isItem: false, below: below(start) },
  ]
  for (const one of others) {
    const [indent, above] = [one.text.search(/\S|$/), found.at(-1)!]
    const text = one.text.replace(/^\s*-\s+/, '').trim()
    if (above.below && (text === '' || indent > above.indent)) above.below.push(one)
    else {
      const isItem = /^\s*-\s/.test(one.text)
      found.push({ line: one.number, text, indent, isItem, below: below(text) })
    }
  }
  return found
}

/** Removes the indent that the first line with text has. */
const withoutIndent = (lines: Array<string>): string => {
  const [indent = ''] = /^\s*/.exec(lines.find((line) => line.trim() !== '') ?? '') ?? []
  return lines.map((line) => line.slice(indent.length)).join('\n').trimEnd()
}

/** Reads the lines below `|` or `>`: `>` folds them into one, below `|` each is a pattern of its own, or all are an example. */
const textsBelow = (sign: TextLine, below: Array<Line>, isPattern: boolean): Array<HeaderText> => {
  const { line } = sign
  const full = below.map(({ number, text }) => ({ line: number, text: text.trim() }))
    .filter(({ text }) => text !== '')
  if (sign.text.startsWith('>')) return [{ line, text: full.map(({ text }) => text).join(' ') }]
  return isPattern ? full : [{ line, text: withoutIndent(below.map(({ text }) => text)) }]
}

/** Reads a text without the comment after it. A `#` with a blank before it and none after it may be of the text. */
const plainText = (item: string): Result<string> => {
  const quoted = QUOTED_TEXT.exec(item)?.[1]
  if (quoted !== undefined) return ok(unquoted(quoted, ESCAPES) ?? '')
  if (/^["']/.test(item)) return fail(`the quote in ${excerpt(item)} is not closed`)
  const [, bare = item, next = ''] = /^(.*?)\s#(.?)/s.exec(item) ?? []
  return /\S/.test(next)
    ? fail(`the # in ${excerpt(item)} may start a comment; ${QUOTE_IT}`)
    : ok(bare.trim())
}

/**
 * Reads texts such as patterns, in which a backslash stays: one, an item a line, or a list in brackets. A text that is
 * all of a value or of an item may start with `#`.
 */
export const textsOf = (entry: FrontmatterEntry): Result<Array<HeaderText>> => {
  const lines = textLinesOf(entry)
  const isPattern = entry.key === 'forbid' || entry.key === 'require'
  const isList = LIST_OF_TEXTS.test(lines.map(({ text }) => uncommented(text)).join(' '))
  const texts: Array<HeaderText> = []
  for (const one of lines) {
    const { line, text, isItem, below } = one
    if (below) texts.push(...textsBelow(one, below, isPattern))
    const items = isList ? splitList(uncommented(text).replace(/^\[|\]$/g, '')) : [text]
    for (const item of below ? [] : items.filter((item) => isItem || !/^(?:#|$)/.test(item))) {
      const plain = plainText(item)
      if (plain.error !== null) return plain
      if (plain.data !== '' || item !== '') texts.push({ line, text: plain.data })
    }
  }
  const [first, ...others] = lines
  if (texts.length > 0 || ![first, ...others].some((one) => one?.text.startsWith('#'))) return ok(texts)
  const whole = first?.text.startsWith('#')
    ? plainText(first.text)
    : fail(`all of ${entry.key} is a comment; ${QUOTE_IT}`)
  return whole.error === null ? ok([{ line: first!.line, text: whole.data }]) : whole
}
