/** The keys by which texts are compared: their words, without whitespace, emphasis and the like. */
import type { Span } from './lines.ts'
import { NOTHING } from './tree.ts'

// Ignored in a comparison: whitespace, emphasis, quotation markers, invisible characters.
const IGNORED = /[\s*_~>\p{Cf}\uFE0F]/u

/** Gives what counts of a character: quotation marks and dashes of any kind are one, a shortening is three dots. */
const counting = (unit: string): string =>
  IGNORED.test(unit)
    ? ''
    : /[“”„‟‘’‚‛«»‹›「」『』〝〞＂＇`´']/.test(unit)
    ? '"'
    : /[‐-―−]/.test(unit)
    ? '-'
    : unit === '…'
    ? '...'
    : unit

/** Gives the key of words that a model copied, without marks of hidden characters, which the file does not have. */
export const keyOf = (words: string): string =>
  words.replace(/⟦U\+[0-9A-F]+⟧/g, '').split('').map(counting).join('')

/** The keys of many spans of a text, each with a line break after it. */
export class Keys {
  readonly #key: string
  readonly #offsets: Array<number> = []
  readonly #starts: Array<number> = []

  /** @param spans where one has a mask, its comments do not count */
  constructor(text: string, spans: Array<Span & { masked?: string }>) {
    const units: Array<string> = []
    const add = (unit: string, at: number) => {
      units.push(unit)
      this.#offsets.push(at)
    }
    for (const { from, to, masked } of spans) {
      this.#starts.push(units.length)
      for (let at = from; at < to; at++) {
        if (masked?.[at - from] !== NOTHING) { for (const unit of counting(text[at]!)) add(unit, at) }
      }
      add('\n', to)
    }
    this.#starts.push(units.length)
    this.#key = units.join('')
  }

  /** Finds parts that follow one another in one span; gives the span's index and the offsets in the text. */
  *find([head = '', ...rest]: Array<string>): Generator<Span & { index: number }> {
    // Where each part was found last: a place that is still ahead is not searched for again.
    const ahead: Array<number> = []
    let index = 0
    for (let at = this.#key.indexOf(head); at !== -1; at = this.#key.indexOf(head, at + 1)) {
      while (this.#starts[index + 1]! <= at) index++
      let to = at + head.length
      for (const [number, part] of rest.entries()) {
        if (!((ahead[number] ?? -1) >= to)) ahead[number] = this.#key.indexOf(part, to)
        if (ahead[number] === -1) return
        to = ahead[number]! + part.length
      }
      if (to < this.#starts[index + 1]!) {
        yield { index, from: this.#offsets[at]!, to: this.#offsets[to - 1]! + 1 }
      }
    }
  }
}
