/** The keys by which texts are compared: their words, without whitespace, emphasis and the like. */
import type { Span } from './blocks.ts'

// Ignored in a comparison: whitespace, emphasis, quotation markers, invisible characters.
const IGNORED = /[\s*_~>\p{Cf}\uFE0F]/u

/** Quotation marks and dashes of any kind are one; a shortening is three dots. */
const folded = (unit: string): string =>
  /[“”„‟‘’‚‛«»‹›「」『』〝〞＂＇`´']/.test(unit)
    ? '"'
    : /[‐-―−]/.test(unit)
    ? '-'
    : unit === '…'
    ? '...'
    : unit

/** The key of a text, and the offset of each of its units in the text. */
type Key = { key: string; offsets: Array<number> }

/** Gives the key of a span of a text. */
export const keyOf = (text: string, { from, to }: Span, skipped: Array<Span> = []): Key => {
  const units: Array<string> = []
  const offsets: Array<number> = []
  let next = 0
  for (let at = from; at < to; at++) {
    if (at === skipped[next]?.from) at = skipped[next++]!.to - 1
    else if (!IGNORED.test(text[at]!)) {
      for (const unit of folded(text[at]!)) {
        units.push(unit)
        offsets.push(at)
      }
    }
  }
  return { key: units.join(''), offsets }
}

/** Gives the key of words that a model copied, without marks of hidden characters, which the file does not have. */
export const keyOfWords = (words: string): string => {
  const copied = words.replace(/⟦U\+[0-9A-F]+⟧/g, '')
  return keyOf(copied, { from: 0, to: copied.length }).key
}

/** The keys of many spans in one text, with line breaks between them. */
export class Keys {
  readonly #key: string
  readonly #starts: Array<number> = []
  readonly #keys: Array<Key>

  constructor(text: string, spans: Array<Span & { comments?: Array<Span> }>) {
    this.#keys = spans.map((span) => keyOf(text, span, span.comments))
    let length = 0
    for (const { key } of this.#keys) {
      this.#starts.push(length)
      length += key.length + 1
    }
    this.#key = this.#keys.map(({ key }) => key).join('\n')
  }

  /** Finds parts that follow one another in one span; gives the span's index and the offsets in the text. */
  *find(parts: Array<string>): Generator<Span & { index: number }> {
    const [head = '', ...rest] = parts
    // Where each part was found last: a place that is still ahead is not searched for again.
    const ahead: Array<number> = []
    let index = 0
    for (let at = this.#key.indexOf(head); at !== -1; at = this.#key.indexOf(head, at + 1)) {
      while ((this.#starts[index + 1] ?? Infinity) <= at) index++
      const end = (this.#starts[index + 1] ?? this.#key.length + 1) - 1
      let to = at + head.length
      for (const [number, part] of rest.entries()) {
        if (!((ahead[number] ?? -1) >= to)) ahead[number] = this.#key.indexOf(part, to)
        if (ahead[number] === -1) return
        to = ahead[number]! + part.length
      }
      const { offsets } = this.#keys[index]!
      const start = this.#starts[index]!
      if (to <= end) yield { index, from: offsets[at - start]!, to: offsets[to - start - 1]! + 1 }
    }
  }
}
