/**
 * Reads the values of `forbid`, `require`, `bad` and `good`: patterns and examples. Unlike in YAML, `\b` in double
 * quotes keeps its backslash, because it is a part of a pattern.
 */
import type { HeaderText } from '../checks/patterns.ts'
import type { FrontmatterEntry } from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'
import { BLOCK_SIGN, QUOTE_IT, QUOTED, splitList, uncommented, unquoted } from './header-values.ts'

// A quoted text, and possibly a comment after it: `'a b' # why`.
const QUOTED_TEXT = new RegExp(String.raw`^(${QUOTED})\s*(?:#.*)?$`)
// A list in brackets, of quoted texts or words: `["a", 'b']`, `[TODO, FIXME]`. `[a-z]` is one text.
const LIST_OF_TEXTS = /^\[\s*(?:["'].*["'][\s,]*|\w{2,}\s*,[^[\]]*)?\]$/
// The escapes that are read in double quotes. In a pattern, they mean the same as the characters themselves.
const ESCAPES = { n: '\n', t: '\t' }

type FileLine = FrontmatterEntry['lines'][number]

/**
 * A line of a value. `text` lacks the `-` of a list item. If `text` is YAML's sign for a block text (`|` or `>`), which
 * follows on the lines below, `block` has these lines; otherwise, it is null.
 */
type ValueLine = HeaderText & { indent: number; isItem: boolean; block: Array<FileLine> | null }

const toValueLine = (line: number, text: string, indent: number, isItem: boolean): ValueLine => ({
  ...{ line, text, indent, isItem },
  block: BLOCK_SIGN.test(text) ? [] : null,
})

/** Splits a value into its lines. The lines of a block text belong to the line with the text's `|` or `>`. */
const valueLinesOf = ({ value, lines: [first, ...others] }: FrontmatterEntry): Array<ValueLine> => {
  const valueLines = [toValueLine(first!.number, value.trim(), -1, false)]
  for (const fileLine of others) {
    const above = valueLines.at(-1)!
    const indent = fileLine.text.search(/\S|$/)
    const text = fileLine.text.replace(/^\s*-\s+/, '').trim()
    if (above.block && (text === '' || indent > above.indent)) above.block.push(fileLine)
    else valueLines.push(toValueLine(fileLine.number, text, indent, /^\s*-\s/.test(fileLine.text)))
  }
  return valueLines
}

/** Joins lines, and removes the indentation of the first non-blank line from each. */
const withoutIndent = (lines: Array<string>): string => {
  const [indent = ''] = /^\s*/.exec(lines.find((line) => line.trim() !== '') ?? '') ?? []
  return lines.map((line) => line.slice(indent.length)).join('\n').trimEnd()
}

/**
 * Reads a block text below its sign. Below `>`, all lines are one text. Below `|`, each line is a pattern, or all lines
 * are one example.
 */
const blockTextsOf = (sign: ValueLine, block: Array<FileLine>, isPattern: boolean): Array<HeaderText> => {
  const { line } = sign
  const filled = block.map(({ number, text }) => ({ line: number, text: text.trim() }))
    .filter(({ text }) => text !== '')
  if (sign.text.startsWith('>')) return [{ line, text: filled.map(({ text }) => text).join(' ') }]
  return isPattern ? filled : [{ line, text: withoutIndent(block.map(({ text }) => text)) }]
}

/**
 * Removes quotes and a comment from an item. Fails if a quote is not closed, or if a character follows ` #` directly,
 * because this may be text or a comment.
 */
const plainText = (item: string): Result<string> => {
  const quoted = QUOTED_TEXT.exec(item)?.[1]
  if (quoted !== undefined) return ok(unquoted(quoted, ESCAPES) ?? '')
  if (/^["']/.test(item)) return fail(`the quote in ${excerpt(item)} is not closed`)
  const [, bare = item, afterHash = ''] = /^(.*?)\s#(.?)/s.exec(item) ?? []
  return /\S/.test(afterHash)
    ? fail(`the # in ${excerpt(item)} may start a comment; ${QUOTE_IT}`)
    : ok(bare.trim())
}

/**
 * Reads one text, one item per line, or a list in brackets. A `#` at the start of a list item is text, and so is one
 * directly after the key if the value has no other text. Any other `#` at the start of a line starts a comment.
 */
export const textsOf = (entry: FrontmatterEntry): Result<Array<HeaderText>> => {
  const lines = valueLinesOf(entry)
  const isPattern = entry.key === 'forbid' || entry.key === 'require'
  const isBracketList = LIST_OF_TEXTS.test(lines.map(({ text }) => uncommented(text)).join(' '))
  const hasText = lines.some(({ text, isItem }) => text !== '' && (isItem || !text.startsWith('#')))
  const texts: Array<HeaderText> = []
  for (const [index, valueLine] of lines.entries()) {
    const { line, text, isItem, block } = valueLine
    if (block) {
      texts.push(...blockTextsOf(valueLine, block, isPattern))
      continue
    }
    const isHashText = isItem || (index === 0 && !hasText)
    const items = isBracketList ? splitList(uncommented(text).replace(/^\[|\]$/g, '')) : [text]
    for (const item of items) {
      if (item === '' || (item.startsWith('#') && !isHashText)) continue
      const plain = plainText(item)
      if (plain.error !== null) return plain
      texts.push({ line, text: plain.data })
    }
  }
  const isComment = texts.length === 0 && lines.some(({ text }) => text.startsWith('#'))
  return isComment ? fail(`all of ${entry.key} is a comment; ${QUOTE_IT}`) : ok(texts)
}
