/** Numbers of items that change when rules join their list, and what refers to them. */
import type { Markdown } from './blocks.ts'
import { itemsOf } from './items.ts'
import { lineNumbers, type Span } from './lines.ts'
import type { Outcomes } from './plan.ts'

/** A numbered list, and the numbers of its items that get another one. */
type Numbered = Span & { changed: Set<number> }

const numberedLists = ({ text, root }: Markdown, outcomes: Outcomes): Array<Numbered> => {
  const lists: Array<Numbered> = []
  root.cursor().iterate(({ name, from, to, node }) => {
    if (name !== 'OrderedList') return
    const changed = new Set<number>()
    let added = 0
    for (const { marker: { label, number }, nodes } of itemsOf(text, node)) {
      if (added !== 0 && number !== undefined && /\d/.test(label)) changed.add(number)
      added += (outcomes.get(nodes[0]?.from ?? -1)?.[0]?.count ?? 1) - 1
    }
    lists.push({ from, to, changed })
  })
  return lists
}

// A number after a word, and before a sign, another such number or nothing: "steps 2 and 3", "(see 4)", but no "3 hours".
const MENTION = /(?:\p{L}[ #]+|\p{Lo}|[(#])(\d{1,3})(?=$|[^\p{L}\p{N}\s%°\/-](?!\p{N})| \p{L}+ \d)/gu

/** Gives the lists whose items a place may refer to: those that it is in, or else the last one before it. */
const listsNear = (lists: Array<Numbered>, at: number): Array<Numbered> => {
  const around = lists.filter(({ from, to }) => from <= at && at < to)
  const before = lists.filter(({ to }) => to <= at).toSorted((one, other) => other.to - one.to)
  return around.length > 0 ? around : before.slice(0, 1)
}

/** Lists the lines that may refer to an item of a list by a number that it does not keep. */
export const renumberedLines = (markdown: Markdown, outcomes: Outcomes): Array<number> => {
  const mentions = markdown.blocks.filter(({ masked }) => /\d/.test(masked)).flatMap(({ from, masked }) =>
    Array.from(masked.matchAll(MENTION), ({ index, 0: { length }, 1: number }) => ({
      number: Number(number),
      from,
      at: from + index + length - 1,
    }))
  )
  if (mentions.length === 0) return []
  const lists = numberedLists(markdown, outcomes)
  const all = new Set(lists.flatMap(({ changed }) => [...changed]))
  const numbers = lineNumbers(markdown.text)
  const lines = mentions.filter(({ number, from }) =>
    all.has(number) && listsNear(lists, from).some(({ changed }) => changed.has(number))
  )
  return [...new Set(lines.map(({ at }) => numbers[at]!))]
}
