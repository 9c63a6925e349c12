/** What a rewrite does with the words of a file: what is restated, what goes with it, what stays. */
import { isText } from '../markdown/tree.ts'
import { lineNumbers, linesOf } from '../text/line-ending.ts'
import type { Markdown } from './blocks.ts'
import { hasWords, type Span } from './lines.ts'
import { isEmptied, type Part, type Row } from './restated-parts.ts'

/** Sentences of a text, the indexes of the rules that restate them, and the words under which they stand, such as "Tests should:". */
export type Restated = { text: string; rules: Array<number>; under: string }

/** Gives the words under which a row stands: its lead-in, the text of the item or the paragraph above its list. */
const wordsAbove = (text: string, { block: { item }, parts: [first] }: Row): string => {
  const list = item?.parent
  const above = list?.prevSibling?.name === 'Paragraph'
    ? list.prevSibling
    : list?.parent?.firstChild?.nextSibling
  const intro = above && isText(above) ? text.slice(above.from, above.to) : ''
  const lead = first?.kind === 'lead-in' ? text.slice(first.from, first.to) : ''
  return [/[:：]\W*$/.test(intro) ? intro : '', lead].join(' ').trim()
}

/** Lists the restated sentences; those that rules share are one. */
export const restatedIn = ({ text }: Markdown, rows: Array<Row>): Array<Restated> => {
  const found: Array<Span & { rules: Set<number>; under: string }> = []
  for (const row of rows.filter(({ places }) => places.length > 0)) {
    const { parts, places } = row
    for (const { from, to } of parts.filter(({ isGone }) => isGone)) {
      const restating = places.filter((place) => place.from < to && from < place.to)
      const last = found.at(-1)
      const isShared = last !== undefined && restating.some((place) => place.from < last.to)
      const one = isShared ? last : { from, to, rules: new Set<number>(), under: wordsAbove(text, row) }
      if (!isShared) found.push(one)
      one.to = to
      for (const { rule } of restating) one.rules.add(rule)
    }
  }
  return found.map(({ from, to, rules, under }) => ({ text: text.slice(from, to), rules: [...rules], under }))
}

/** Words of a text, and the line in which they begin, from 1. */
export type Quoted = { text: string; line: number }

/** What of a text no source takes in. */
export type Unsourced = {
  /** What goes with the rest of its sentence. */
  goes: Array<Quoted>
  /** The ranges of the lines that stay as a whole. */
  lines: Array<[first: number, last: number]>
  /** What stays of the other lines. */
  pieces: Array<Quoted>
  /** The sentences that stay, each as it begins a line or stands in one. */
  sentences: Array<Quoted>
}

/** Lists the parts of a row; of one that goes as a whole all go. */
const partsOf = (row: Row): Array<Part> => {
  const isAllGone = row.places.length > 0 && isEmptied(row)
  return isAllGone ? row.parts.map((part) => ({ ...part, isGone: true })) : row.parts
}

/** Lists the parts of a row that go though no source takes them in; tags stay. */
const goingIn = (mask: string, row: Row): Array<Span> =>
  partsOf(row).filter(({ isGone }) => isGone).flatMap(({ from, to }) => {
    const own = row.places.filter((place) => place.from < to && from < place.to)
      .toSorted((one, other) => one.from - other.from)
    let at = from
    return [...own, { from: to, to }].flatMap((place) => {
      const part = { from: at, to: Math.max(at, place.from) }
      at = Math.max(at, place.to)
      return hasWords(mask.slice(part.from, part.to)) ? [part] : []
    })
  })

/** Lists what of a text no source takes in. */
export const unsourcedIn = ({ text, mask, barred }: Markdown, rows: Array<Row>): Unsourced => {
  const numbers = lineNumbers(text)
  const quoted = ({ from, to }: Span): Quoted => ({ text: text.slice(from, to), line: numbers[from]! })
  const linesIn = ({ from, to }: Span): Array<number> => {
    const first = numbers[from]!
    return Array.from({ length: numbers[to - 1]! - first + 1 }, (_, index) => first + index)
  }
  const parts = rows.flatMap(partsOf)
  const staying = parts.filter(({ isGone }) => !isGone)
  const sentences = staying.filter(({ kind }) => kind === 'sentence')
  const gone = new Set(parts.filter(({ isGone }) => isGone).flatMap(linesIn))
  const whole = new Set([...barred, ...staying].flatMap(linesIn))
  const lines: Unsourced['lines'] = []
  let open: Unsourced['lines'][number] | undefined
  linesOf(text).forEach((words, index) => {
    const line = index + 1
    if (!hasWords(words)) return
    if (!whole.has(line) || gone.has(line)) open = undefined
    else if (open === undefined) lines.push(open = [line, line])
    else open[1] = line
  })
  const isInMixed = (part: Part) =>
    hasWords(text.slice(part.from, part.to)) && linesIn(part).some((line) => gone.has(line))
  return {
    goes: rows.filter(({ places }) => places.length > 0).flatMap((row) => goingIn(mask, row)).map(quoted),
    lines,
    pieces: sentences.filter(isInMixed).map(quoted),
    sentences: sentences.map(quoted),
  }
}
