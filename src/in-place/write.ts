/** Rows of parts → the text with the rules in their place. */
import { type Node, NOTHING } from '../markdown/tree.ts'
import type { Mode } from '../rule-schema.ts'
import { lineEndingOf } from '../text/line-ending.ts'
import type { Markdown } from './blocks.ts'
import { isInWord } from './copied-words.ts'
import { Layout, type Piece, type WordsOf } from './lay-out.ts'
import {
  BULLET_SIGN,
  type Edit,
  edited,
  hasWords,
  lettersOf,
  lineStart,
  NO_ITEM,
  NUMBER_SIGN,
  prefixOf,
  withoutRemoved,
} from './lines.ts'
import { introduces, isEmptied, type Part, type Row } from './rows.ts'
import { withoutLead, wordsOfRule } from './rule-words.ts'
import { NUMBER } from './sentences.ts'

/** How several rules of a block begin: the first one, and each further one; and what their further lines begin with. */
type Form = { opening: string; separator: string; prefix: string; end?: string }

const isList = (name = ''): boolean => /List$/.test(name)

/** Whether blank lines stand between the items of a list, as far as its next ones show. */
export const isLoose = (text: string, item: Node): boolean => {
  let first = item
  for (let step = 0; step < 2 && first.prevSibling !== null; step++) first = first.prevSibling
  const gaps: Array<string> = []
  for (let step = 0; step < 4 && first.nextSibling !== null; step++, first = first.nextSibling) {
    gaps.push(text.slice(first.to, first.nextSibling.from))
  }
  return gaps.length > 0 && gaps.every((gap) => /\n[ \t>]*\r?\n|\r[ \t>]*\r/.test(gap))
}

const BULLETS_BELOW = /[^\r\n]*(?:(?:\r\n?|\n)[ \t>]*(?=[\r\n]))*(?:\r\n?|\n)([ \t>]*)([-*+][ \t]+)(?=\S)/y

/**
 * Gives the form of items below words: that of the bullets there, or else of a list under these words; of paragraphs above
 * indented code, which would be a part of the list.
 *
 * @param under what the lines below begin with
 */
const nested = (
  { text, lineBreak, row: { block } }: Layout,
  column: number,
  under: string,
  hasLead: boolean,
): Form => {
  BULLETS_BELOW.lastIndex = block.to + block.closing.length
  const [, indent = '', marker = ''] = BULLETS_BELOW.exec(text) ?? []
  const isThere = indent.length > column
  const isCode = block.next?.name === 'CodeBlock'
  const [prefix, item] = isThere ? [indent, marker] : [under, isCode ? '' : '- ']
  const separator = lineBreak + (isCode ? under.trimEnd() + lineBreak : '') + prefix + item
  return { opening: hasLead ? separator : '', separator, prefix: prefix + item.replace(/\S/g, ' ') }
}

/** Gives the form of several rules in the place of a paragraph: a list, or paragraphs next to a list, which they would join. */
const inParagraph = ({ text, lineBreak, row: { block } }: Layout, hasLead: boolean): Form => {
  const { previous, next, node, from, to, sign } = block
  const prefix = prefixOf(text, from - sign.length)
  // Below a blank line, words so deep in tags would be code.
  const isDeep = node.parent?.parent === null && /^(?: {4}|\t)/.test(prefix)
  const blankLine = isDeep ? '' : lineBreak + prefix.trimEnd()
  const gap = blankLine + lineBreak + prefix
  const isNextToList = isList(next?.name) || !hasLead && isList(previous?.name)
  if (isNextToList || next?.name === 'CodeBlock') {
    return { opening: hasLead ? gap : '', separator: gap, prefix }
  }
  const end = next !== undefined && /^[^\r\n]*(?:\r\n?|\n)[ \t>]*[^\s>]/.test(text.slice(to, to + 1_000))
    ? blankLine
    : ''
  return {
    opening: `${hasLead ? gap : ''}- `,
    separator: `${lineBreak + prefix}- `,
    prefix: `${prefix}  `,
    end,
  }
}

/** Gives the form of several rules in the place of a block; undefined where they stay in its line. */
const formOf = (layout: Layout, hasLead: boolean): Form | undefined => {
  const { text, lineBreak, prefix, row: { block, parts: [first, ...others] } } = layout
  const { item, sign, closing, node, previous, next, masked } = block
  const start = block.from - sign.length
  const [isLine, isOneOfMany] = [next === node, previous === node || next === node]
  // Numbers within a line stay in it.
  if (others.some(({ from, to }) => NUMBER.exec(text.slice(from, to))?.[0].length === to - from)) {
    return undefined
  }
  if (masked.startsWith('Rule:')) {
    const gap = isOneOfMany ? '' : lineBreak + prefix.trimEnd()
    return { opening: '', separator: `${gap + lineBreak + prefix}Rule: `, prefix }
  }
  if (item !== undefined) {
    const [column, under] = [prefixOf(text, item.from), prefixOf(text, node.from)]
    if (hasLead || item.parent!.name === 'OrderedList') return nested(layout, column.length, under, hasLead)
    const gap = isLoose(text, item) ? lineBreak + column.trimEnd() : ''
    return { opening: '', separator: gap + lineBreak + column + text.slice(item.from, start), prefix }
  }
  const column = prefixOf(text, start)
  // Deeper, it would be words of this line.
  const label = first!.kind === 'label' ? first!.to - first!.from : 0
  const under = column + ' '.repeat(Math.min(sign.length + label, 3))
  if (BULLET_SIGN.test(sign) && !hasLead) return { opening: '', separator: lineBreak + column + sign, prefix }
  const isNumber = NUMBER_SIGN.test(sign) || first!.kind === 'label' && isOneOfMany
  if (isNumber || BULLET_SIGN.test(sign)) return nested(layout, column.length, under, hasLead)
  // Further right than a list may begin, next to words.
  const isDeep = previous === node && /^(?: {4}|\t)/.test(column)
  const isOwnLine = isLine || isDeep || sign !== '' && isOneOfMany || closing !== ''
    || masked.startsWith('[^')
  return isOwnLine ? undefined : inParagraph(layout, hasLead)
}

/** Parts a row where its rules begin; the first group has what stays before them, but for a label. */
const groupsOf = ({ block, parts }: Row): { lead: Array<Piece>; groups: Array<Array<Piece>> } => {
  const isLead = ({ from, to, kind, isGone }: Part) =>
    !isGone && kind !== 'label'
    && hasWords(block.masked.slice(from - block.from, to - block.from))
    && !(kind === 'lead-in' && block.masked.startsWith('Rule:'))
  let lead: Array<Piece> = []
  const groups: Array<Array<Piece>> = []
  let open: Array<Piece> = []
  // A label stays with what follows it.
  const labels: Array<Piece> = []
  for (const part of parts) {
    if (part.kind === 'label') labels.push({ part })
    else if (part.rules.length === 0) open.push(...labels.splice(0), { part })
    for (const rule of part.rules) {
      if (groups.length > 0) open = []
      else if (open.some((piece) => isLead(piece.part))) [lead, open] = [open, []]
      open.push(...labels.splice(0), { part, rule })
      groups.push(open)
    }
  }
  open.push(...labels)
  return { lead, groups }
}

/** Gives a row whose old reason goes where its rule brings another one. */
const withoutOldReason = (text: string, row: Row, rules: WordsOf): Row => {
  const at = row.parts.findIndex(({ from }) => text.startsWith('Reason:', from))
  const rule = row.parts[at - 1]?.rules.at(-1)
  const isReplaced = rule !== undefined && rules(rule).reason !== ''
    && !row.parts.slice(at).some(({ isGone }) => isGone)
  return isReplaced
    ? { ...row, parts: row.parts.map((part, index) => index < at ? part : { ...part, isGone: true }) }
    : row
}

/** Gives the words of a row that has rules. */
const wordsOf = (layout: Layout): string => {
  const { text, prefix, row: { block, parts } } = layout
  const { lead, groups } = groupsOf(layout.row)
  const form = groups.length > 1 ? formOf(layout, lead.length > 0) : undefined
  const columnOf = (opening: string): number => opening.length - opening.lastIndexOf('\n') - 1
  const own = block.from - lineStart(text, block.from)
  const isIntroduction = introduces(block) && parts.at(-1)!.isGone
  const colon = block.masked.includes('：') ? '：' : ':'
  const introducing = (words: string) =>
    isIntroduction ? words.replace(/[.。:：]?(["'*_”’»)\]]*)$/, `${colon}$1`) : words
  if (form === undefined) {
    const pieces = parts.flatMap((part): Array<Piece> =>
      part.rules.length === 0 ? [{ part }] : part.rules.map((rule) => ({ part, rule }))
    )
    return block.sign + introducing(layout.words(pieces, prefix, own)) + block.closing
  }
  const hasLead = lead.length > 0
  const head = hasLead ? layout.words(lead, prefix, own, { before: false, after: true }) + block.closing : ''
  const texts = groups.map((group, index) => {
    const isFirst = index === 0
    const column = isFirst && form.opening === '' ? own : columnOf(isFirst ? form.opening : form.separator)
    const isCut = { before: hasLead || !isFirst, after: index < groups.length - 1 }
    const words = layout.words(group, isFirst && form.opening === '' ? prefix : form.prefix, column, isCut)
    return isFirst && !hasLead ? block.sign + words + block.closing : words
  })
  return (hasLead ? block.sign : '') + head + form.opening + introducing(texts.join(form.separator))
    + (form.end ?? '')
}

/** Gives words without tags and emphasis, with one space or the underscores where these part words. */
const unmarked = (words: string): string =>
  words.replace(/<\/?[a-z][^<>]*>|\*/gi, '').replace(/[\s_]+/g, (gap, at: number, all: string) => {
    const parts = isInWord(all, at - 1) && isInWord(all, at + gap.length)
    return !parts ? '' : /\s/.test(gap) ? ' ' : gap
  })

/** Whether rules, in one of the ways to word them, are the words that they restate; a full stop may be left out. */
const isUnchanged = (text: string, { parts }: Row, ...ways: Array<(rule: number) => string>): boolean => {
  const gone = parts.filter(({ isGone }) => isGone)
  const before = gone.map(({ from, to }) => text.slice(from, to)).join('')
  const same = [before, before.replace(/\p{Sentence_Terminal}[*_]*$/u, '')].map(unmarked)
  return ways.some((wording) =>
    same.includes(unmarked(gone.flatMap((part) => part.rules.map(wording)).join('')))
  )
}

/** Gives the change of a row; what has nothing left goes, with the marker of its item. */
const editOf = (row: Row, toLayout: (row: Row) => Layout): Edit => {
  const { block } = row
  const { item, next } = block
  const [from, to] = [block.from - block.sign.length, block.to + block.closing.length]
  if (!isEmptied(row)) return { from, to, text: wordsOf(toLayout(row)) }
  // Items of another kind would split the list: they stay, with the item before.
  const isOther = item?.prevSibling?.name === 'ListItem' && isList(next?.name)
    && next!.name !== item.parent!.name
  return { from: item?.from ?? from, to, text: item === undefined || isOther ? NOTHING : NO_ITEM }
}

const LAST_BREAK = /(?:\r\n|\n|\r)+$/

/** Replaces sources by their rules; all other bytes of the text stay. */
export const rewriteInPlace = (
  { text }: Markdown,
  rows: Array<Row>,
  rules: Array<string>,
  mode?: Mode,
): string => {
  const lineBreak = lineEndingOf(text)
  const edits = rows.filter(({ places }) => places.length > 0).flatMap((row) => {
    const { block, parts: [first] } = row
    const lead = first === undefined || first.kind === 'sentence' ? '' : text.slice(first.from, first.to)
    const staying = lettersOf(
      row.parts.flatMap(({ from, to, isGone }) => isGone ? [] : text.slice(from, to)).join(' '),
    )
    const ofRow = new Map(
      row.parts.flatMap((part) => part.rules).map((rule) => {
        const { sentence, reason } = wordsOfRule(rules[rule]!, mode)
        // What stays next to the rule says its reason already.
        const isSaid = reason.length > 10 && staying.includes(lettersOf(reason))
        const words = withoutLead(withoutLead(sentence, block.sign, block.closing), lead)
        return [rule, { sentence: words, reason: isSaid ? '' : reason }]
      }),
    )
    const words: WordsOf = (rule) => ofRow.get(rule)!
    const isLabelled = mode === 'verbose' || /^Rule:|\n[ \t>]*Reason:/.test(text.slice(block.from, block.to))
    const asWritten = (rule: number) => words(rule).sentence + words(rule).reason
    if (isUnchanged(text, row, (rule) => rules[rule]!, asWritten)) return []
    const toLayout = (one: Row) => new Layout(text, one, { words, isLabelled, lineBreak })
    return editOf(withoutOldReason(text, row, words), toLayout)
  })
  const written = withoutRemoved(edited(text, edits))
  // The end has no line break where it had none before.
  return LAST_BREAK.test(text) ? written : written.replace(LAST_BREAK, '')
}
