/**
 * Reads the texts of the header keys `forbid`, `require`, `bad` and `good`: one per line (`'a b' # why`), list items
 * (`- #fff`), a list in brackets (`[TODO, "a b"]`) or YAML's block texts below `|` or `>`.
 */
import type { HeaderText } from '../checks/patterns.ts'
import type { FrontmatterEntry } from '../markdown/frontmatter.ts'
import { fail, ok, type Result } from '../safe.ts'
import { excerpt } from '../text/quoted-name.ts'
import {
  BLOCK_SIGN,
  isEmpty,
  MAP_KEY,
  QUOTE_IT,
  QUOTED,
  splitList,
  uncommented,
  unquoted,
} from './header-values.ts'

type FileLine = FrontmatterEntry['lines'][number]

/** `text` lacks the indent and the `-` of a list item. */
type ValueLine = HeaderText & {
  /** It is -1 for the text after the key, so that all lines below are indented more. */
  indent: number
  isItem: boolean
  /** The lines of the block text below a `|` or `>`. */
  block: Array<FileLine> | null
}

// Matches `["a", 'b']` and `[TODO, FIXME]`, but not `[a-z]` or `[a,b]`, which may be character classes.
const LIST_OF_TEXTS = /^\[\s*(?:["'].*["'][\s,]*|\w{2,}\s*,[^[\]]*)?\]$/

const isNoCharacterClass = (text: string): boolean => {
  const [, inside = ''] = /^\[([^^[\]][^[\]]*)\]$/.exec(text) ?? []
  const letters = inside.includes('\\') ? [] : inside.match(/\p{L}/gu) ?? []
  // `[TODO]` repeats a letter, so it is no character class.
  if (new Set(letters).size < letters.length) return true
  const unescaped = inside.replace(/\\./g, '')
  const hasRange = /[^\s,]-[^\s,]/.test(unescaped)
  // `[$, jQuery]` and `[==, !=]` are lists.
  return !hasRange && /\S,\s+\S/.test(inside) && /\p{L}|([^\w\s])\1/u.test(unescaped)
}

// In an item, `#` starts a text: `- #fff`.
const hasText = (text: string, isItem: boolean): boolean => text !== '' && (isItem || !text.startsWith('#'))

/** Reads the texts of an entry, or fails if a text is ambiguous or a quote is not closed. */
export const textsOf = (entry: FrontmatterEntry): Result<Array<HeaderText>> => {
  const { key } = entry
  const value = uncommented(entry.value)
  if (value !== '' && isEmpty(value)) {
    return fail(`YAML reads ${value} as no value; put the text ${value} in quotes`)
  }
  const lines = valueLinesOf(entry)
  const isPattern = key === 'forbid' || key === 'require'
  // The list may go on below: `[TODO, # why`, then `FIXME]`.
  const whole = lines.map(({ text }) => uncommented(text)).join(' ')
  const isBracketList = LIST_OF_TEXTS.test(whole) || (isPattern && isNoCharacterClass(whole))
  // In `forbid: #fff`, the `#` starts a text, unless there are other texts below.
  const firstMayStartWithHash = !lines.some(({ text, isItem }) => hasText(text, isItem))
  const texts: Array<HeaderText> = []
  for (const [index, valueLine] of lines.entries()) {
    const { line, text, isItem, block } = valueLine
    if (isMapBelow(lines[index - 1], valueLine)) {
      return fail(`an item of ${key} must be one text, without keys: ${excerpt(text)}`)
    }
    if (block) {
      texts.push(...blockTextsOf({ line, text }, block, isPattern))
      continue
    }
    const mayStartWithHash = isItem || (index === 0 && firstMayStartWithHash)
    const items = isBracketList ? splitList(uncommented(text).replace(/^\[|\]$/g, '')) : [text]
    for (const item of items.filter((each) => hasText(each, mayStartWithHash))) {
      const plain = plainText(item)
      if (plain.error !== null) return plain
      texts.push({ line, text: plain.data })
    }
  }
  const hasOnlyComments = texts.length === 0 && lines.some(({ text }) => text.startsWith('#'))
  return hasOnlyComments ? fail(`all of ${key} is a comment; ${QUOTE_IT}`) : ok(texts)
}

const valueLinesOf = ({ value, lines }: FrontmatterEntry): Array<ValueLine> => {
  const valueLines: Array<ValueLine> = []
  for (const [index, fileLine] of lines.entries()) {
    const isFirst = index === 0
    const written = isFirst ? value : fileLine.text
    const isItem = !isFirst && /^\s*-\s/.test(written)
    const text = (isItem ? written.replace('-', '') : written).trim()
    const indent = isFirst ? -1 : written.search(/\S|$/)
    const above = valueLines.at(-1)
    const block = BLOCK_SIGN.test(uncommented(text)) ? [] : null
    if (above?.block && (text === '' || indent > above.indent)) above.block.push(fileLine)
    else valueLines.push({ line: fileLine.number, text, indent, isItem, block })
  }
  return valueLines
}

// `- a: b`, then `  c: d`
const isMapBelow = (item: ValueLine | undefined, { text, indent, isItem }: ValueLine): boolean =>
  item?.isItem === true && !isItem && indent > item.indent && MAP_KEY.test(item.text) && MAP_KEY.test(text)

const blockTextsOf = (sign: HeaderText, block: Array<FileLine>, isPattern: boolean): Array<HeaderText> => {
  const filled = block.map(({ number, text }) => ({ line: number, text: text.trim() }))
    .filter(({ text }) => text !== '')
  if (sign.text.startsWith('>')) return [{ line: sign.line, text: filled.map(({ text }) => text).join(' ') }]
  // Below `|`, each line is a pattern, but an example may have several lines.
  return isPattern ? filled : [{ line: sign.line, text: withoutIndent(block.map(({ text }) => text)) }]
}

const withoutIndent = (lines: Array<string>): string => {
  const indent = lines.find((line) => line.trim() !== '')?.search(/\S/) ?? 0
  return lines.map((line) => line.slice(indent)).join('\n').trimEnd()
}

// `'a b' # why`
const QUOTED_TEXT = new RegExp(String.raw`^(${QUOTED})\s*(?:#.*)?$`)
// `'a', "b" # why`
const QUOTED_TEXTS = new RegExp(String.raw`^(${QUOTED}(?:[\s,]+${QUOTED})+)\s*(?:#.*)?$`)
// Captures `color:` and `f` in `color: #fff`: the text before the `#`, and the character after it.
const TEXT_BEFORE_HASH = /^(.*?)\s#(.?)/s
// Unlike in YAML, `\b` in double quotes stays, because it means a word boundary in a pattern.
const ESCAPES = { n: '\n', t: '\t' }

const plainText = (written: string): Result<string> => {
  const quoted = QUOTED_TEXT.exec(written)?.[1]
  if (quoted !== undefined) return ok(unquoted(quoted, ESCAPES) ?? '')
  const several = QUOTED_TEXTS.exec(written)?.[1]
  if (several !== undefined) return fail(`several texts must be a list: [${excerpt(several)}]`)
  if (/^["']/.test(written)) return fail(`the quote in ${excerpt(written)} is not closed`)
  const [, bare = written, afterHash = ''] = TEXT_BEFORE_HASH.exec(written) ?? []
  if (/\S/.test(afterHash)) return fail(`the # in ${excerpt(written)} may start a comment; ${QUOTE_IT}`)
  return ok(bare.trim())
}
