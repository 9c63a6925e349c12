/** Parses JSON with comments, trailing commas, other quotes, bare keys, raw line breaks, and words such as `None`. */
import { isDeepStrictEqual } from 'node:util'
import { quote } from './issues.ts'
import { MAX_JSON_DEPTH, TOO_DEEP } from './limits.ts'

/**
 * If `isCutOff`, the text ends too early, and `message` only says where: `in a list`.
 * The class does not extend `Error`, because creating a stack takes time.
 */
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

/** Maps an opening quote to a pattern that matches up to a closing quote or `\`. */
const STRINGS = new Map(
  ["''", '""', '“”', '”“', '‘’', '’‘'].map((quotes) => [quotes[0], new RegExp(`[^${quotes}\\\\]*`, 'y')]),
)
// Also matches `\'`, which JSON lacks.
const ESCAPE = /\\(?:u[\da-fA-F]{4}|[bfnrt"'\\/])/y
const TRUNCATED_ESCAPE = /\\(?:u[\da-fA-F]{0,3})?$/y

const SCALAR =
  /(?:true|false|null|True|False|None|undefined|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s\0{}[\],:"'“”‘’/`]|$)/y
const OTHER_WORDS = new Map([['True', 'true'], ['False', 'false'], ['None', 'null'], ['undefined', 'null']])

// Matches whitespace and comments, except a comment such as `// ...`, which stands for omitted data.
const BLANK = /(?:[\s\0]+|(?!\/[/*]\s*(?:\.{3}|…))(?:\/\/.*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/))*/y
const WORD = /[^\s\0{}[\],:"'“”‘’/`]+/y
const BARE_KEY = /[\p{L}_$][\p{L}\p{N}_$-]*/uy

const CUT_OFF_IN = { '}': 'in an object', ']': 'in a list', '': 'before its value' }

/** Parses JSON in linear time, and throws a `JsonFault` instead of adding missing parts. */
export class TolerantParser {
  at = 0
  readonly #text: string
  readonly #missingClosers: Array<'}' | ']'> = []

  constructor(text: string) {
    this.#text = text
  }

  value(): unknown {
    const next = this.next()
    if (next === '{') return this.#object()
    if (next === '[') return this.#items(']', () => this.value())
    const pattern = STRINGS.get(next)
    if (pattern !== undefined) return this.#string(pattern)
    const word = this.match(SCALAR) ?? this.#throwExpected('a value')
    return JSON.parse(OTHER_WORDS.get(word) ?? word)
  }

  /** Skips whitespace and comments, and returns the next character, or `''` at a code fence or the end of the text. */
  next(): string {
    this.match(BLANK)
    return /^(?:```|~~~)/.test(this.#text.slice(this.at, this.at + 3)) ? '' : this.#text[this.at] ?? ''
  }

  /** Matches a sticky pattern at `at`, or a global one from `at` on, and moves `at` to the end of the match. */
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

  #items(closer: '}' | ']', readItem: () => unknown): Array<unknown> {
    if (this.#missingClosers.push(closer) > MAX_JSON_DEPTH) throw new JsonFault(TOO_DEEP, this.at)
    const items: Array<unknown> = []
    this.at++
    while (this.next() !== closer) {
      items.push(readItem())
      if (this.next() === ',') this.at++
      else if (this.next() !== closer) this.#throwExpected(`a comma or ${closer}`)
    }
    this.at++
    this.#missingClosers.pop()
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

  #throwExpected(expected: string): never {
    const next = this.next()
    const { at } = this
    const isEllipsis = /^(?:\/[/*]\s*)?(?:\.{3}|…)/.test(this.#text.slice(at, at + 9))
    // `next` skips comments, except an ellipsis such as `// ...` and a comment that never ends.
    if (!isEllipsis && this.#text.startsWith('/*', at)) {
      throw new JsonFault('in a comment', this.#text.length, true)
    }
    if (next === '') throw new JsonFault(CUT_OFF_IN[this.#missingClosers.at(-1) ?? ''], at, true)
    const word = this.match(WORD) ?? next
    const wordOrString = STRINGS.has(next) ? 'a string' : quote(word)
    const found = isEllipsis ? 'an ellipsis, which omits data' : wordOrString
    // In `"say "x" now"`, the second quote ends the string, so `x` is found instead of a comma.
    const mayBeInString = expected.startsWith('a comma') && /^[\p{L}.]/u.test(word)
    const hint = mayBeInString ? '; strings are in "…", a quote inside a string is written \\"' : ''
    throw new JsonFault(`expected ${expected}, found ${found}${hint}`, at)
  }
}
