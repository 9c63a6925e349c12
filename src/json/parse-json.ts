/** The folder `json/`: parses a model's text into a value, and coerces the value to a schema. */
import { isDeepStrictEqual } from 'node:util'
import { fail, ok, type Result } from '../safe.ts'
import { quote } from './issues.ts'
import { MAX_JSON_LENGTH, type Size, sizeOf, TOO_LONG } from './limits.ts'
import { JsonFault, TolerantParser } from './tolerant-parser.ts'

/** A parsed value and its size. */
type Json = { value: unknown; size: Size }

/** Describes a fault with its position and the text around it. */
const describeFault = (text: string, { offset, message, isCutOff }: JsonFault): string => {
  const around = text.slice(Math.max(0, offset - 40), isCutOff ? offset : offset + 40)
  const excerpt = quote(around.replace(/\s+/g, ' '), 80)
  if (isCutOff) return `cut off at offset ${offset}, ${message}, after ${excerpt}. Send it whole.`
  const lines = text.slice(0, offset).split('\n')
  const place = `offset ${offset} (line ${lines.length}, column ${lines.at(-1)!.length + 1})`
  return `${message}, at ${place}, near ${excerpt}.`
}

/**
 * Parses strict JSON, fast. Returns `undefined` if the text is invalid, too large, or may have a duplicate key. Of two
 * equal keys, `JSON.parse` keeps only the last, so the text then has more quotes before colons than the value has keys.
 */
const parseStrict = (text: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    const size = sizeOf(value)
    const hasAllKeys = size.keys === (text.match(/"\s*:/g)?.length ?? 0)
    return hasAllKeys && size.excess === undefined ? { value, size } : undefined
  } catch {
    return undefined
  }
}

/** JSON that was encoded a second time, but without quotes around it: `{\"rules\":[]}`. */
const ENCODED_TWICE = /^[[{][^"'“‘]{0,99}\\"/
/** Where JSON may start: at the start of the text, after a fence (```` ```json title="x" ````), or at `["`, `{a:`. */
const START =
  /^(?=[[{"'“”‘’]|\/[/*])|(?:```|~~~)[`~]*[\w+-]*(?:[ \t]+\w+=\S*)*|(?=[{[]\s*(?:["'“‘{[]|\/[/*])|\{\s*[\w$-]+\s*:)/g
/** What can only be more JSON if it directly follows JSON: `]`, `"`, `, {`. */
const MORE_AFTER = /[}\]:"'“‘]|,\s*(?:[{["'“‘]|$)/y

const NO_JSON = 'expected JSON, which starts with { or ['
const MORE_TEXT = 'there is more text after the JSON; send one value: a list in [ ] or an object in { }'
const MORE_JSON = 'there is more than one JSON value; send one that contains all'
/** The beginning of a rule in prose: a list that follows on its line, as in `- Use ["fs"].`, belongs to the rule. */
const RULE_BEGINNING = /^\s*(?:(?:[-*•+]|\d+[.)])\s|rule:).*\p{L}/iu

/** Parses the value at the parser's offset, and those directly after it, into `values`. Throws if values differ. */
const readValues = (values: Array<unknown>, parser: TolerantParser, text: string): void => {
  // Before a later value, a rule need not be looked for: the value must equal the first one anyway.
  const lineBefore = values.length > 0 ? '' : text.slice(text.lastIndexOf('\n', parser.at) + 1, parser.at)
  if (parser.next() === '[' && RULE_BEGINNING.test(lineBefore)) throw new JsonFault(NO_JSON, 0)
  do {
    const { at } = parser
    values.push(parser.value())
    if (!isDeepStrictEqual(values.at(-1), values[0])) throw new JsonFault(MORE_JSON, at)
  } while (/[{[]/.test(parser.next()))
  const { at } = parser
  if (parser.match(MORE_AFTER) !== undefined) throw new JsonFault(MORE_TEXT, at)
}

/** Parses the only JSON value in a text. The value may be repeated. Skips prose and fences. */
const parseAmongProse = (text: string): Json => {
  const values: Array<unknown> = []
  const parser = new TolerantParser(text)
  let isInFence = false
  for (let start = parser.match(START); start !== undefined; start = parser.match(START)) {
    // Without a fence, the match is empty: it ends where JSON may start.
    const isFence = start !== ''
    if (isFence) isInFence = !isInFence
    const mayBeJson = !isFence || isInFence && /["'“‘[{/]/.test(parser.next())
    if (mayBeJson) readValues(values, parser, text)
  }
  const [value] = values
  if (value === undefined) throw new JsonFault(NO_JSON, 0)
  return { value, size: sizeOf(value) }
}

/** Whether a text starts like the JSON of an object or a list, possibly encoded twice or in a fence. */
export const looksLikeJson = (text: string): boolean => /^[\s"'“‘\\nrt]*[{[]|^\s*(?:```|~~~)/.test(text)

/**
 * Parses JSON as models write it: fenced, surrounded by prose, encoded twice, with comments, trailing commas, other
 * quotes or raw line breaks. Fails if the text is truncated or ambiguous: nothing is guessed.
 */
export const parseJson = (json: string): Result<Json> => {
  if (json.length > MAX_JSON_LENGTH) return fail(TOO_LONG)
  // trim() removes a byte-order mark too.
  let text = json.trim()
  try {
    // Each round shortens the text by its quotes, or by the backslashes before them.
    for (;;) {
      if (text === '') throw new JsonFault('the text is empty', 0)
      if (ENCODED_TWICE.test(text)) text = `"${text}"`
      const parsed = parseStrict(text) ?? parseAmongProse(text)
      if (typeof parsed.value !== 'string' || !/[[{]/.test(parsed.value)) return ok(parsed)
      text = parsed.value.trim()
    }
  } catch (fault) {
    if (fault instanceof JsonFault) return fail(describeFault(text, fault))
    throw fault
  }
}
