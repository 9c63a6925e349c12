/** Parses JSON as models write it, but completes nothing that is missing. */
import { isDeepStrictEqual } from 'node:util'
import { quote } from './issues.ts'
import { MAX_JSON_DEPTH, TOO_DEEP } from './limits.ts'

/** A fault in JSON at an offset; `isCutOff`: the text ends too early. No `Error`: its stack would take time. */
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

/** By opening quote, a pattern for the text up to a closing quote or an escape. Curly quotes may be swapped. */
const STRINGS = new Map(
  ["''", '""', '“”', '”“', '‘’', '’‘'].map((quotes) => [quotes[0], new RegExp(`[^${quotes}\\\\]*`, 'y')]),
)
const ESCAPE = /\\(?:u[\da-fA-F]{4}|[bfnrt"'\\/])/y
const TRUNCATED_ESCAPE = /\\(?:u[\da-fA-F]{0,3})?$/y

/** The words and numbers of JSON, the words of Python, and `undefined`. */
const SCALAR =
  /(?:true|false|null|True|False|None|undefined|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s\0{}[\],:"'“”‘’/`]|$)/y
const OTHER_WORDS = new Map([['True', 'true'], ['False', 'false'], ['None', 'null'], ['undefined', 'null']])

// Whitespace, comments, and the NUL that a C program may leave. The comment `// ...` is not skipped: it replaces data.
const BLANK = /(?:[\s\0]+|(?!\/[/*]\s*(?:\.{3}|…))(?:\/\/.*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/))*/y
const WORD = /[^\s\0{}[\],:"'“”‘’/`]+/y
const BARE_KEY = /[\p{L}_$][\p{L}\p{N}_$-]*/uy

/** Where a truncated text ends, by the innermost bracket that is not closed. */
const CUT_OFF_IN = { '}': 'in an object', ']': 'in a list', '': 'before its value' }

/**
 * Parses, in linear time, JSON as models write it: with comments, trailing commas, single or curly quotes, bare keys,
 * line breaks in strings, and Python's words. Throws a `JsonFault` if something is missing, duplicated or misplaced. A
 * fence outside a string counts as the end of the text.
 */
export class TolerantParser {
  /** The offset of the next character to read. */
  at = 0
  readonly #text: string
  /** The closing brackets that are still missing, outermost first. */
  readonly #closers: Array<'}' | ']'> = []

  constructor(text: string) {
    this.#text = text
  }

  /** Parses the value at or after `at`. */
  value(): unknown {
    const next = this.next()
    if (next === '{') return this.#object()
    if (next === '[') return this.#items(']', () => this.value())
    const pattern = STRINGS.get(next)
    if (pattern !== undefined) return this.#string(pattern)
    const word = this.match(SCALAR) ?? this.#throwExpected('a value')
    return JSON.parse(OTHER_WORDS.get(word) ?? word)
  }

  /** Skips whitespace and comments, and returns the next character; `''` at the end of the text. */
  next(): string {
    this.match(BLANK)
    return /^(?:```|~~~)/.test(this.#text.slice(this.at, this.at + 3)) ? '' : this.#text[this.at] ?? ''
  }

  /** Matches a sticky pattern at `at`, or a global one from `at` on. Returns the match, and moves `at` to its end. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.#text)
    if (match !== null) this.at = pattern.lastIndex
    return match?.[0]
  }

  #object(): object {
    const entries = new Map<string, unknown>()
    this.#items('}', () => {
      const pattern = STRINGS.get(this.next())
      const key = pattern
        ? this.#string(pattern)
        : this.match(BARE_KEY) ?? this.#throwExpected('a key in quotes')
      if (this.next() !== ':') this.#throwExpected('a colon after the key')
      const start = ++this.at
      const value = this.value()
      if (entries.has(key) && !isDeepStrictEqual(entries.get(key), value)) {
        throw new JsonFault(`the key ${quote(key)} occurs twice with different values`, start)
      }
      entries.set(key, value)
    })
    // An assignment would not add the key `__proto__`.
    return Object.fromEntries(entries)
  }

  /** Parses the items of a list or an object, each with `readItem`. A comma may follow the last one, too. */
  #items(closer: '}' | ']', readItem: () => unknown): Array<unknown> {
    if (this.#closers.push(closer) > MAX_JSON_DEPTH) throw new JsonFault(TOO_DEEP, this.at)
    const items: Array<unknown> = []
    this.at++
    while (this.next() !== closer) {
      items.push(readItem())
      if (this.next() === ',') this.at++
      else if (this.next() !== closer) this.#throwExpected(`a comma or ${closer}`)
    }
    this.at++
    this.#closers.pop()
    return items
  }

  #string(pattern: RegExp): string {
    this.at++
    let value = this.match(pattern) ?? ''
    while (this.#text[this.at] === '\\' && this.match(TRUNCATED_ESCAPE) === undefined) {
      const escape = this.match(ESCAPE)
      if (escape === undefined) throw new JsonFault('a backslash inside a string is written \\\\', this.at)
      value += escape === "\\'" ? "'" : String(JSON.parse(`"${escape}"`))
      value += this.match(pattern) ?? ''
    }
    if (this.at >= this.#text.length) throw new JsonFault('in a string', this.#text.length, true)
    this.at++
    return value
  }

  /** Throws the fault that the text goes on with something other than `expected`, or ends. */
  #throwExpected(expected: string): never {
    const next = this.next()
    const { at } = this
    const isEllipsis = /^(?:\/[/*]\s*)?(?:\.{3}|…)/.test(this.#text.slice(at, at + 9))
    if (!isEllipsis && this.#text.startsWith('/*', at)) {
      throw new JsonFault('in a comment', this.#text.length, true)
    }
    if (next === '') throw new JsonFault(CUT_OFF_IN[this.#closers.at(-1) ?? ''], at, true)
    const word = this.match(WORD) ?? next
    const kind = STRINGS.has(word) ? 'a string' : quote(word)
    const found = isEllipsis ? 'an ellipsis, which omits data' : kind
    // In `"say "x" now"`, the second quote ends the string, so the word `x` follows it.
    const mayBeInString = expected.startsWith('a comma') && /^[\p{L}.]/u.test(word)
    const hint = mayBeInString ? '; strings are in "…", a quote inside a string is written \\"' : ''
    throw new JsonFault(`expected ${expected}, found ${found}${hint}`, at)
  }
}
