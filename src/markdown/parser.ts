import {
  type BlockContext,
  GFM,
  type LeafBlock,
  type Line,
  type MarkdownConfig,
  parser,
} from '@lezer/markdown'

// In a paragraph of this length, which no person wrote, the search for what a bracket or a star belongs to would take time
// that grows with its square.
const MAX_PARAGRAPH = 10_000

/** A line, with the number of lists and quotations that it stands in, which the types leave out. */
type LineInBlocks = Line & { depth?: number }

const startsComment = ({ text, pos }: Line): boolean => text.startsWith('<!--', pos)

/** Reads a comment at the start of a line, up to its end: to CommonMark, words after it on its line are a part of it. */
const readComment = (context: BlockContext, line: LineInBlocks): boolean | null => {
  if (!startsComment(line)) return false
  const from = context.lineStart + line.pos
  const add = (to: number): void => context.addElement(context.elt('CommentBlock', from, to))
  for (let at = line.pos;; at = 0) {
    const end = line.text.indexOf('-->', at) + 3
    if (end > 2) {
      add(context.lineStart + end)
      line.moveBase(end)
      return null
    }
    if (!context.nextLine() || line.depth! < context.depth) {
      add(context.prevLineEnd())
      return true
    }
  }
}

/** Leaves very long paragraphs unread. */
const BOUNDED: MarkdownConfig = {
  parseInline: [{
    name: 'LongParagraph',
    before: 'Escape',
    parse: ({ offset, end }) => end - offset > MAX_PARAGRAPH ? end : -1,
  }],
}

// To CommonMark a line without the indentation of the item above goes on with its words, and so does a number but 1 below a
// title. To their writers these do not: a label such as `Code style:`, a line in bold, a title right above a list, a number.
const LABEL = /^(?:\P{Ll}.*[:：]["'*_”’»)\]]*|[\p{L}\d_-]+:|(\*\*?|__?)[^*_]+\1)[ \t]*$/u
const TITLE = /^\p{Lu}[^.!?:]{0,30}$/u
const NUMBER = /^\d{1,9}[.)][ \t]/
const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/
const MAX_TITLE = 100

const endsItem = (context: BlockContext, line: LineInBlocks, { content }: LeafBlock): boolean => {
  const words = line.text.slice(line.pos)
  const isLazy = line.depth! < context.depth
  if (NUMBER.test(words)) {
    return isLazy || content.length <= MAX_TITLE && (LABEL.test(content) || TITLE.test(content))
  }
  return isLazy && (LABEL.test(words) || TITLE.test(words) && ITEM.test(context.peekLine()))
}

// A line that begins with so many lists and quotations in each other, or so far to the right, takes seconds to read, and
// the stack is limited.
const DEEP_LINE = /^(?:(?: (?! ))?(?:>|(?:\d{1,9}[.)]|[-*+])(?=[ \t])| {2}|\t)){200}.*/gm

/** Gives a text of the same length in which very deep lines are words. */
const withoutDeepLines = (text: string): string => text.replace(DEEP_LINE, (line) => line.replace(/\S/g, 'x'))

const COMMENT: MarkdownConfig = {
  parseBlock: [{
    name: 'Comment',
    after: 'ATXHeading',
    parse: readComment,
    endLeaf: (context, line, leaf) => startsComment(line) || endsItem(context, line, leaf),
  }],
}

// What stands in a block of HTML is text to a model, which reads a file as it is.
const markdown = parser.configure([GFM, BOUNDED, COMMENT, { remove: ['HTMLBlock'] }])

/** Reads a text, whose lines end with `\n`, as CommonMark with GitHub's tables. */
export const parseMarkdown = (text: string) => markdown.parse(withoutDeepLines(text)).topNode
