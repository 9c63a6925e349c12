import { quote } from './quote.ts'
import { MAX_JSON_DEPTH } from './value-size.ts'

/** A token of JSON as models write it; `text` is the character, the word, or the decoded content of a string. */
export type JsonToken = {
  kind: 'punctuation' | 'string' | 'word' | 'unclosed'
  text: string
  start: number
  end: number
  /** The offset of an escape that JSON does not know, such as the `\d` of a regular expression. */
  badEscape?: number
}

/** Where a text stops being JSON: an offset in UTF-16 units, and what is wrong there. */
export type JsonFault = { offset: number; what: string; cutOff: boolean }

/** How many tokens JSON may have: more than a rule file of two million characters needs. */
const MAX_TOKENS = 500_000

/** What ends or escapes in a string, by the character that opened it. */
const STOPS: Record<string, RegExp> = {
  '"': /["\\]/g,
  "'": /['\\]/g,
  '“': /[“”\\]/g,
  '”': /[“”\\]/g,
  '‘': /[‘’\\]/g,
  '’': /[‘’\\]/g,
}

const ESCAPES: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

const KNOWN_ESCAPE = /\\(?:u[\da-fA-F]{4}|[bfnrt"'\\/])/y

const decode = (raw: string): string =>
  raw.includes('\\')
    ? raw.replace(/\\(?:u([\da-fA-F]{4})|([^u]))/g, (_, code: string | undefined, character: string) =>
      code === undefined ? ESCAPES[character] ?? character : String.fromCharCode(parseInt(code, 16)))
    : raw

const SPACE = /\s*/y
const WORD = /[^\s{}[\],:"'“”‘’/]+/y

const matchAt = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/** The offset of the next token: behind white space and comments. */
const skipBlank = (text: string, from: number): number => {
  for (let at = from;;) {
    at = matchAt(SPACE, text, at)
    if (text.startsWith('//', at)) {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2)
      if (end < 0) return at
      at = end + 2
    } else return at
  }
}

const stringAt = (text: string, start: number, stops: RegExp): JsonToken => {
  let badEscape: number | undefined
  stops.lastIndex = start + 1
  for (let stop = stops.exec(text); stop !== null; stop = stops.exec(text)) {
    const at = stop.index
    if (stop[0] === '\\') {
      if (matchAt(KNOWN_ESCAPE, text, at) === at) badEscape ??= at
      stops.lastIndex = at + 2
    } else {
      const token = { kind: 'string', text: decode(text.slice(start + 1, at)), start, end: at + 1 } as const
      return badEscape === undefined ? token : { ...token, badEscape }
    }
  }
  return { kind: 'unclosed', text: 'string', start, end: text.length }
}

/** The token at or after an offset; `undefined` at the end of the text. */
export const nextToken = (text: string, from: number): JsonToken | undefined => {
  const start = skipBlank(text, from)
  const character = text[start]
  if (character === undefined) return undefined
  const stops = STOPS[character]
  if (stops !== undefined) return stringAt(text, start, stops)
  if (text.startsWith('/*', start)) return { kind: 'unclosed', text: 'comment', start, end: text.length }
  const end = matchAt(WORD, text, start)
  return end > start
    ? { kind: 'word', text: text.slice(start, end), start, end }
    : { kind: 'punctuation', text: character, start, end: start + 1 }
}

type Frame = {
  closer: '}' | ']'
  /** The raw text of each key's value so far. */
  values: Map<string, string>
  key: string
  valueStart: number
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const LITERALS = new Set(['true', 'false', 'null', 'True', 'False', 'None', 'undefined'])

const isScalar = ({ kind, text }: JsonToken): boolean =>
  kind === 'string' || (kind === 'word' && (LITERALS.has(text) || NUMBER.test(text)))

const isKey = ({ kind, text }: JsonToken): boolean =>
  kind === 'string' || (kind === 'word' && /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(text))

const SHOWN = 30

const shown = ({ kind, text }: JsonToken): string => {
  if (kind === 'string') return 'a string'
  if (/^(?:\.\.\.|…)/.test(text)) return 'an ellipsis, which leaves data out'
  return quote(text, SHOWN)
}

/**
 * Walks the one JSON value that starts at or after `from`, read as models write it: comments, a comma before a
 * closing bracket, single or curly quotes, bare keys, line breaks in strings and Python's literals are let pass.
 *
 * It completes nothing: what is missing, doubled or out of place is a fault. Linear in the text, without recursion.
 *
 * @returns the offset behind the value, or the fault
 */
export const scanJson = (text: string, from = 0): { end: number; fault: JsonFault | null } => {
  const fault = (offset: number, what: string, cutOff = false) => ({
    end: offset,
    fault: { offset, what, cutOff },
  })
  const frames: Array<Frame> = []
  let expected: 'value' | 'key' | 'colon' | 'more' = 'value'
  // A bracket may close where a value or a key may come, but not behind a colon.
  let mayClose = false

  for (let at = from, tokens = 0;; tokens++) {
    if (tokens === MAX_TOKENS) return fault(at, `more than ${MAX_TOKENS} values and signs; send less at once`)
    const token = nextToken(text, at)
    const frame = frames.at(-1)
    if (token === undefined) {
      const where = frame === undefined
        ? 'before its value'
        : frame.closer === '}'
        ? 'in an object'
        : 'in a list'
      return fault(text.length, where, true)
    }
    if (token.kind === 'unclosed') return fault(text.length, `in a ${token.text}`, true)
    if (token.badEscape !== undefined) {
      return fault(token.badEscape, 'a backslash inside a string is written \\\\')
    }
    at = token.end
    const sign = token.kind === 'punctuation' ? token.text : ''

    if (sign !== '' && sign === frame?.closer && (expected === 'more' || mayClose)) {
      frames.pop()
    } else if (expected === 'value' && (sign === '{' || sign === '[')) {
      if (frames.length >= MAX_JSON_DEPTH) {
        return fault(token.start, `nested more than ${MAX_JSON_DEPTH} levels deep; flatten it`)
      }
      expected = sign === '{' ? 'key' : 'value'
      mayClose = true
      frames.push({ closer: sign === '{' ? '}' : ']', values: new Map(), key: '', valueStart: at })
      continue
    } else if (frame === undefined || expected === 'value') {
      if (!isScalar(token)) return fault(token.start, `expected a value, found ${shown(token)}`)
    } else if (expected === 'key') {
      if (!isKey(token)) return fault(token.start, `expected a key in quotes, found ${shown(token)}`)
      frame.key = token.text
      expected = 'colon'
      mayClose = false
      continue
    } else if (expected === 'colon') {
      if (sign !== ':') return fault(token.start, `expected a colon after the key, found ${shown(token)}`)
      frame.valueStart = at
      expected = 'value'
      continue
    } else {
      if (sign !== ',') {
        const hint = token.kind === 'word' && /^[\p{L}.]/u.test(token.text)
          ? '; a quote inside a string is written \\"'
          : ''
        return fault(token.start, `expected a comma or ${frame.closer}, found ${shown(token)}${hint}`)
      }
      expected = frame.closer === '}' ? 'key' : 'value'
      mayClose = true
      continue
    }

    // A value has ended.
    const holder = frames.at(-1)
    if (holder === undefined) return { end: at, fault: null }
    if (holder.closer === '}') {
      const value = text.slice(holder.valueStart, at).trim()
      const before = holder.values.get(holder.key)
      if (before !== undefined && before !== value) {
        const key = JSON.stringify(holder.key.slice(0, SHOWN))
        return fault(holder.valueStart, `the key ${key} is there twice with different values`)
      }
      holder.values.set(holder.key, value)
    }
    expected = 'more'
    mayClose = false
  }
}
