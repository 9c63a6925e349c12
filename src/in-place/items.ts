/** Several rules in the place of one block: items or paragraphs, each with what stays after it. */
import type { Node } from '../markdown/tree.ts'
import { ENDS_SENTENCE, type Layout } from './lay-out.ts'
import { hasWords, lineStart, prefixOf } from './lines.ts'
import type { Row } from './restated-parts.ts'

/** How several rules of a block begin: the first one, and each further one; and what their further lines begin with. */
type Form = { opening: string; separator: string; prefix: string; end?: string }

const isList = (name = ''): boolean => /List$/.test(name)

/** Whether blank lines stand between the items of a list, as far as those next to one show. */
export const isLoose = (text: string, item: Node): boolean => {
  const items = [item.prevSibling, item, item.nextSibling, item.nextSibling?.nextSibling].filter((one) =>
    one != null
  )
  const gaps = items.slice(1).map((one, index) => text.slice(items[index]!.to, one.from))
  return gaps.length > 0 && gaps.every((gap) => /\n[ \t>]*\r?\n|\r[ \t>]*\r/.test(gap))
}

/** Finds where the marker of an item begins: the item has its indentation as well. */
export const markOf = (item: Node): number => item.firstChild!.from

const BULLETS_BELOW = /[^\r\n]*(?:(?:\r\n?|\n)[ \t>]*(?=[\r\n]))*(?:\r\n?|\n)([ \t>]*)([-*+][ \t]+)(?=\S)/y

/**
 * Gives the form of items below words: that of the bullets there, or else of a list under these words.
 *
 * @param under what the lines below begin with
 */
const nested = (
  { text, lineBreak, row: { block } }: Layout,
  column: number,
  under: string,
  hasLead: boolean,
): Form => {
  BULLETS_BELOW.lastIndex = block.to
  const [, indent = '', bullet = ''] = BULLETS_BELOW.exec(text) ?? []
  const [prefix, marker] = indent.length > column ? [indent, bullet] : [under, '- ']
  const separator = lineBreak + prefix + marker
  return { opening: hasLead ? separator : '', separator, prefix: prefix + marker.replace(/\S/g, ' ') }
}

/** Gives the form of several rules in the place of a paragraph: a list, or paragraphs next to a list, which they would join. */
const inParagraph = ({ text, lineBreak, row: { block } }: Layout, hasLead: boolean): Form => {
  const { previous, next, node, to } = block
  const prefix = prefixOf(text, node.from)
  const blankLine = lineBreak + prefix.trimEnd()
  const gap = blankLine + lineBreak + prefix
  const opening = hasLead ? gap : ''
  const isNextToList = isList(next?.name) || !hasLead && isList(previous?.name)
  if (isNextToList || next?.name === 'CodeBlock') return { opening, separator: gap, prefix }
  // What stands right below would join the last item.
  const isJoined = next !== undefined && /^[^\r\n]*(?:\r\n?|\n)[ \t>]*$/.test(text.slice(to, next.from))
  const end = isJoined ? blankLine : ''
  return { opening: `${opening}- `, separator: `${lineBreak + prefix}- `, prefix: `${prefix}  `, end }
}

/** Whether each rule of a paragraph restates lines of it that have no full stop, and nothing else there. */
const hasLineEach = (text: string, { block, parts }: Row): boolean =>
  block.item === undefined && parts.filter(({ rules }) => rules.length > 0).every(({ from, to, rules }) => {
    const before = text.slice(Math.max(lineStart(text, from), block.from), from)
    const after = /.*/.exec(text.slice(to, block.to))![0]
    return rules.length === 1 && !ENDS_SENTENCE.test(text.slice(from, to)) && !hasWords(before + after)
  })

/** Gives the form of several rules in the place of a block; undefined where they stay in its lines. */
export const formOf = (layout: Layout, hasLead: boolean): Form | undefined => {
  const {
    text,
    lineBreak,
    prefix,
    row: { block: { item, node, next, from, masked }, parts: [first], hasOwnLines },
  } = layout
  if (hasOwnLines || hasLineEach(text, layout.row)) return undefined
  if (masked.startsWith('Rule:')) {
    return { opening: '', separator: `${lineBreak + prefix.trimEnd() + lineBreak + prefix}Rule: `, prefix }
  }
  if (item !== undefined) {
    const mark = markOf(item)
    const [column, under] = [prefixOf(text, mark), prefixOf(text, node.from)]
    if (hasLead || item.parent!.name === 'OrderedList') {
      // Indented code would be words of a nested item.
      const isAboveCode = next?.name === 'CodeBlock'
      return isAboveCode ? inParagraph(layout, hasLead) : nested(layout, column.length, under, hasLead)
    }
    const gap = isLoose(text, item) ? lineBreak + column.trimEnd() : ''
    return { opening: '', separator: gap + lineBreak + column + text.slice(mark, from), prefix }
  }
  // After a number or a bullet that is none of Markdown's.
  const isItem = !hasLead && first!.sign !== ''
  return isItem || masked.startsWith('[^') || layout.isTagged ? undefined : inParagraph(layout, hasLead)
}
