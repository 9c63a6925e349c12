/** Parses Markdown in linear time, and departs from CommonMark where authors mean something else. */
import { type BlockContext, GFM, type Line, parser } from '@lezer/markdown'

// The parser's search for matching brackets and stars takes quadratic time.
const MAX_PARAGRAPH = 10_000

/** The library's types omit `depth`, the number of open blocks (lists, items, quotations) that the line continues. */
type LineInBlocks = Line & { depth?: number }

const leavesBlock = (context: BlockContext, line: LineInBlocks): boolean => line.depth! < context.depth

const startsComment = ({ text, pos }: Line): boolean => text.startsWith('<!--', pos)

/**
 * Reads a comment up to its `-->`. In CommonMark, a comment also includes the rest of that line.
 * Returns `false` if no comment starts here, `null` if the library is to read the rest of the line, otherwise `true`.
 */
const readComment = (context: BlockContext, line: LineInBlocks): boolean | null => {
  if (!startsComment(line)) return false
  const from = context.lineStart + line.pos
  const addComment = (to: number): void => context.addElement(context.elt('CommentBlock', from, to))
  for (let position = line.pos;; position = 0) {
    const close = line.text.indexOf('-->', position)
    if (close >= 0) {
      addComment(context.lineStart + close + 3)
      line.moveBase(close + 3)
      return null
    }
    if (!context.nextLine() || leavesBlock(context, line)) {
      addComment(context.prevLineEnd())
      return true
    }
  }
}

// Labels (`Code style:`, `code_style:`, `**Code style**`) and titles (`Code style`) announce a list below.
const LABEL = /^(?:\P{Ll}.*[:：]["'*_”’»)\]]*|[\p{L}\d_-]+:|(\*\*?|__?)[^*_]+\1)[ \t]*$/u
const TITLE = /^\p{Lu}[^.!?:]{0,30}$/u
const NUMBER = /^\d{1,9}[.)][ \t]/
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/
const MAX_LABEL = 100

const endsParagraph = (context: BlockContext, line: LineInBlocks, paragraph: string): boolean => {
  const text = line.text.slice(line.pos)
  const isNumbered = NUMBER.test(text)
  if (leavesBlock(context, line)) {
    // In CommonMark, the second line of `- a\nStyle:`, `> a\n2. b` and `- a\nStyle\n- b` continues the first.
    const isTitleOfList = TITLE.test(text) && ITEM.test(context.peekLine())
    return isNumbered || LABEL.test(text) || isTitleOfList
  }
  // In CommonMark, a numbered list right below `Style:` must begin with 1.
  return isNumbered && paragraph.length <= MAX_LABEL && (LABEL.test(paragraph) || TITLE.test(paragraph))
}

/** Parses GitHub's Markdown with `\n` line endings. This takes linear time only if `treeOf` has prepared the text. */
export const markdown = parser.configure([GFM, {
  parseInline: [{
    name: 'LongParagraph',
    before: 'Escape',
    parse: ({ offset, end }) => end - offset > MAX_PARAGRAPH ? end : -1,
  }],
  parseBlock: [{
    name: 'Comment',
    after: 'ATXHeading',
    parse: readComment,
    endLeaf: (context, line, { content }) => startsComment(line) || endsParagraph(context, line, content),
  }],
  // HTML blocks are read as text, as a model reads them.
  remove: ['HTMLBlock'],
}])
