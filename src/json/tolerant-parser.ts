import { isDeepStrictEqual } from 'node:util'
import { quote } from './issues.ts'
import { MAX_JSON_DEPTH, TOO_DEEP } from './limits.ts'

/** What is wrong with JSON, at which offset in UTF-16 units, and whether the text ends there. No `Error`: its stack is slow. */
export class JsonFault {
  readonly message: string
  readonly offset: number
  readonly isCutOff: boolean

  constructor(message: string, offset: number, isCutOff = false) {
    this.message = message
    this.offset = offset
    this.isCutOff = isCutOff
  }
}

/** What a string goes on with, by the quote that opens it; a curly one may stand the wrong way round. */
const STRINGS = new Map(
  ["''", '""', '“”', '”“', '‘’', '’‘'].map((quotes) => [quotes[0], new RegExp(`[^${quotes}\\\\]*`, 'y')]),
)
const ESCAPE = /\\(?:u[\da-fA-F]{4}|[bfnrt"'\\/])/y
const CUT_ESCAPE = /\\(?:u[\da-fA-F]{0,3})?$/y

/** JSON's words and numbers, Python's words, and what JavaScript writes for nothing. */
const SCALAR =
  /(?:true|false|null|True|False|None|undefined|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s\0{}[\],:"'“”‘’/`]|$)/y
const OTHER_WORDS = new Map([['True', 'true'], ['False', 'false'], ['None', 'null'], ['undefined', 'null']])

// Whitespace and comments, the NUL that a C program leaves after a text included; `// ...` leaves data out.
const BLANK = /(?:[\s\0]+|(?!\/[/*]\s*(?:\.{3}|…))(?:\/\/.*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/))*/y
const WORD = /[^\s\0{}[\],:"'“”‘’/`]+/y
const BARE_KEY = /[\p{L}_$][\p{L}\p{N}_$-]*/uy

/** Where a text is cut off, by what closes the innermost bracket that is open. */
const WITHIN = { '}': 'in an object', ']': 'in a list', '': 'before its value' }

/**
 * Parses JSON as models write it, with comments, trailing commas, single or curly quotes, bare keys, line breaks in
 * strings and Python's words, in time linear in the text. What is missing, doubled or out of place is thrown as a
 * `JsonFault`. A fence in place of a value or a sign counts as the end of the text.
 */
export class TolerantParser {
  /** The offset that is read next. */
  at = 0
  readonly #text: string
  /** What closes the brackets that are open. */
  readonly #closers: Array<'}' | ']'> = []

  constructor(text: string) {
    this.#text = text
  }

  /** Parses the value that starts at or after `at`. */
  value(): unknown {
    const sign = this.next()
    if (sign === '{') return this.#object()
    if (sign === '[') return this.#items(']', () => this.value())
    const pattern = STRINGS.get(sign)
    if (pattern !== undefined) return this.#string(pattern)
    const word = this.take(SCALAR) ?? this.#expect('a value')
    return JSON.parse(OTHER_WORDS.get(word) ?? word)
  }

  /** Moves `at` past whitespace and comments and gives the character there; `''` at the end of the text. */
  next(): string {
    this.take(BLANK)
    return /^(?:```|~~~)/.test(this.#text.slice(this.at, this.at + 3)) ? '' : this.#text[this.at] ?? ''
  }

  /** Moves `at` to the end of what a pattern finds, at `at` if it is sticky, else at or after it; gives the match. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.#text)
    if (found !== null) this.at = pattern.lastIndex
    return found?.[0]
  }

  #object(): object {
    const entries = new Map<string, unknown>()
    this.#items('}', () => {
      const pattern = STRINGS.get(this.next())
      const key = pattern ? this.#string(pattern) : this.take(BARE_KEY) ?? this.#expect('a key in quotes')
      if (this.next() !== ':') this.#expect('a colon after the key')
      const start = ++this.at
      const value = this.value()
      if (entries.has(key) && !isDeepStrictEqual(entries.get(key), value)) {
        throw new JsonFault(`the key ${quote(key)} is there twice with different values`, start)
      }
      entries.set(key, value)
    })
    // Not by assignment, which would not add the key `__proto__`.
    return Object.fromEntries(entries)
  }

  /** Parses items in brackets by `readItem`, with a comma after each, which the last one may lack. */
  #items(closer: '}' | ']', readItem: () => unknown): Array<unknown> {
    if (this.#closers.push(closer) > MAX_JSON_DEPTH) throw new JsonFault(TOO_DEEP, this.at)
    const items: Array<unknown> = []
    this.at++
    while (this.next() !== closer) {
      items.push(readItem())
      if (this.next() === ',') this.at++
      else if (this.next() !== closer) this.#expect(`a comma or ${closer}`)
    }
    this.at++
    this.#closers.pop()
    return items
  }

  #string(pattern: RegExp): string {
    this.at++
    let value = this.take(pattern) ?? ''
    for (; this.#text[this.at] === '\\'; value += this.take(pattern) ?? '') {
      if (this.take(CUT_ESCAPE) !== undefined) break
      const escape = this.take(ESCAPE)
      if (escape === undefined) throw new JsonFault('a backslash inside a string is written \\\\', this.at)
      value += escape === "\\'" ? "'" : String(JSON.parse(`"${escape}"`))
    }
    if (this.at++ >= this.#text.length) throw new JsonFault('in a string', this.#text.length, true)
    return value
  }

  #expect(expected: string): never {
    const sign = this.next()
    const { at } = this
    const isEllipsis = /^(?:\/[/*]\s*)?(?:\.{3}|…)/.test(this.#text.slice(at, at + 9))
    if (!isEllipsis && this.#text.startsWith('/*', at)) {
      throw new JsonFault('in a comment', this.#text.length, true)
    }
    if (sign === '') throw new JsonFault(WITHIN[this.#closers.at(-1) ?? ''], at, true)
    const word = this.take(WORD) ?? sign
    const isQuote = expected.startsWith('a comma') && /^[\p{L}.]/u.test(word)
    const shown = STRINGS.has(word) ? 'a string' : quote(word)
    const found = isEllipsis ? 'an ellipsis, which leaves data out' : shown
    const hint = isQuote ? '; strings stand in "…", a quote inside a string is written \\"' : ''
    throw new JsonFault(`expected ${expected}, found ${found}${hint}`, at)
  }
}
