/** Rows of parts → the text with the rules in their place. */
import { NOTHING } from '../markdown/tree.ts'
import type { Mode } from '../rule-schema.ts'
import { lineEndingOf } from '../text/line-ending.ts'
import type { Markdown } from './blocks.ts'
import { formOf, markOf } from './items.ts'
import { Layout, type Piece, type WordsOf } from './lay-out.ts'
import { type Edit, edited, hasWords, lettersOf, lineStart, NO_ITEM, withoutRemoved } from './lines.ts'
import { introduces, isEmptied, type Part, type Row } from './restated-parts.ts'
import { type RuleWords, withoutLead, wordsOfRule } from './rule-and-reason.ts'

/** Parts a row where its rules begin; the first group has what stays before them, but for a sign or a label. */
const groupsOf = ({ block, parts }: Row): { lead: Array<Piece>; groups: Array<Array<Piece>> } => {
  const isLead = ({ from, to, kind }: Part) =>
    (kind === 'sentence' || kind === 'lead-in')
    && hasWords(block.masked.slice(from - block.from, to - block.from))
    && !(kind === 'lead-in' && block.masked.startsWith('Rule:'))
  let lead: Array<Piece> = []
  const groups: Array<Array<Piece>> = []
  let open: Array<Piece> = []
  // A sign or a label stays with what follows it.
  const labels: Array<Piece> = []
  for (const piece of piecesIn(parts)) {
    const { part, rule } = piece
    if (part.kind === 'label' || part.kind === 'sign') labels.push(piece)
    else if (rule === undefined) open.push(...labels.splice(0), piece)
    else {
      if (groups.length > 0) open = []
      else if (open.some((one) => isLead(one.part))) [lead, open] = [open, []]
      open.push(...labels.splice(0), piece)
      groups.push(open)
    }
  }
  open.push(...labels)
  return { lead, groups }
}

/** Lists what of a row is written: the rules, and the parts that stay. */
const piecesIn = (parts: Array<Part>): Array<Piece> =>
  parts.flatMap((part, index): Array<Piece> =>
    part.rules.length > 0
      ? part.rules.map((rule) => ({ part, index, rule }))
      : part.isGone
      ? []
      : [{ part, index }]
  )

/** Gives a row whose old reasons go where their rules bring others. */
const withoutOldReasons = (text: string, row: Row, rules: WordsOf): Row => {
  let isOld = false
  const parts = row.parts.map((part, at) => {
    const rule = row.parts[at - 1]?.rules.at(-1)
    if (text.startsWith('Reason:', part.from)) isOld = rule !== undefined && rules(rule).reason !== ''
    else if (part.kind !== 'sentence' || part.isGone) isOld = false
    return isOld ? { ...part, isGone: true } : part
  })
  return { ...row, parts }
}

/** Gives the words of a row that has rules. */
const wordsOf = (layout: Layout): string => {
  const { text, prefix, row: { block, parts } } = layout
  const { lead, groups } = groupsOf(layout.row)
  const form = groups.length > 1 ? formOf(layout, lead.length > 0) : undefined
  const own = block.from - lineStart(text, block.from)
  const isIntroduction = introduces(block) && parts.at(-1)!.isGone
  const colon = block.masked.includes('：') ? '：' : ':'
  const ending = /[*_][:：]$/.test(block.masked) ? `$1${colon}` : `${colon}$1`
  const introducing = (words: string) =>
    isIntroduction ? words.replace(/[.。:：]?(["'*_”’»)\]]*)$/, ending) : words
  if (form === undefined) return introducing(layout.words(piecesIn(parts), prefix, own))
  const head = lead.length > 0 ? layout.words(lead, prefix, own) : ''
  const texts = groups.map((group, index) => {
    const opening = index === 0 ? form.opening : form.separator
    return opening === ''
      ? layout.words(group, prefix, own)
      : layout.words(group, form.prefix, opening.length - opening.lastIndexOf('\n') - 1)
  })
  return head + form.opening + introducing(texts.join(form.separator)) + (form.end ?? '')
}

/** Gives words without tags and emphasis, with one space between them where their script has spaces. */
const unmarked = (words: string): string =>
  words.replace(/<\/?[a-z][^<>]*>|\*|__/gi, '').replace(/([\p{P}\p{Lo}])\s+/gu, '$1').replace(/\s+/g, ' ')
    .trim()

/** Whether rules, in one of the ways to word them, are the words that they restate; a full stop may be left out. */
const isUnchanged = (text: string, { parts }: Row, ...ways: Array<(rule: number) => string>): boolean => {
  const gone = parts.filter(({ isGone }) => isGone)
  const before = unmarked(gone.map(({ from, to }) => text.slice(from, to)).join(' '))
  const same = [before, before.replace(/\p{Sentence_Terminal}$/u, '')]
  return ways.some((wording) =>
    same.includes(unmarked(gone.flatMap((part) => part.rules.map(wording)).join(' ')))
  )
}

/** Gives the change of a row; what has nothing left goes, with the marker of its item. */
const editOf = (row: Row, toLayout: (row: Row) => Layout): Edit => {
  const { block: { from, to, item } } = row
  return isEmptied(row)
    ? { from: item ? markOf(item) : from, to, text: item ? NO_ITEM : NOTHING }
    : { from, to, text: wordsOf(toLayout(row)) }
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
    const { block, parts } = row
    const textOf = ({ from, to }: Part) => text.slice(from, to)
    const staying = lettersOf(parts.filter(({ isGone }) => !isGone).map(textOf).join(' '))
    let leads: Array<string> = []
    const ofRow = new Map<number, RuleWords>()
    for (const part of parts) {
      for (const rule of part.rules) {
        const { sentence, reason } = wordsOfRule(rules[rule]!, mode)
        // What stays next to the rule says its reason already.
        const isSaid = reason.length > 10 && staying.includes(lettersOf(reason))
        ofRow.set(rule, { sentence: leads.reduce(withoutLead, sentence), reason: isSaid ? '' : reason })
      }
      leads = part.kind === 'sentence' ? (part.isGone ? leads : []) : [...leads, textOf(part)]
    }
    const words: WordsOf = (rule) => ofRow.get(rule)!
    const isLabelled = mode === 'verbose' || /^Rule:|\n[ \t>]*Reason:/.test(text.slice(block.from, block.to))
    const asWritten = (rule: number) => words(rule).sentence + words(rule).reason
    if (isUnchanged(text, row, (rule) => rules[rule]!, asWritten)) return []
    const toLayout = (one: Row) => new Layout(text, one, { words, isLabelled, lineBreak })
    return editOf(withoutOldReasons(text, row, words), toLayout)
  })
  const written = withoutRemoved(edited(text, edits))
  // The end has no line break where it had none before.
  return LAST_BREAK.test(text) ? written : written.replace(LAST_BREAK, '')
}
