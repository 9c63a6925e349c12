/** The folder `json/`: parses JSON as models write it, and coerces values to schemas. This file parses. */
import { isDeepStrictEqual } from 'node:util'
import { fail, ok, type Result } from '../safe.ts'
import { quote } from './issues.ts'
import { MAX_JSON_LENGTH, sizeOf, TOO_LONG } from './limits.ts'
import { JsonFault, TolerantParser } from './tolerant-parser.ts'

/** Whether a text starts with a code fence, `{` or `[`, perhaps after quotes and escapes such as `\n`. */
export const looksLikeJson = (text: string): boolean => /^[\s"'“‘\\nrt]*[{[]|^\s*(?:```|~~~)/.test(text)

/** Matches JSON that was encoded twice and lost its outer quotes: `{\"rules\":[]}`. */
const ENCODED_TWICE = /^[[{][^"'“‘]{0,99}\\"/

/**
 * Parses JSON even if it is fenced, in prose or encoded twice, but fails if it is truncated or ambiguous. The value may
 * be too large, so the caller checks its size.
 */
export const parseJson = (json: string): Result<unknown> => {
  if (json.length > MAX_JSON_LENGTH) return fail(TOO_LONG)
  // `trim` also removes a byte-order mark.
  let text = json.trim()
  try {
    // Each round decodes the text once, so the loop ends.
    for (;;) {
      if (text === '') throw new JsonFault('the text is empty', 0)
      if (ENCODED_TWICE.test(text)) text = `"${text}"`
      const strict = parseStrict(text)
      const value = strict === undefined ? parseAmongProse(text) : strict
      const isEncoded = typeof value === 'string' && /[[{]/.test(value)
      if (!isEncoded) return ok(value)
      text = value.trim()
    }
  } catch (fault) {
    if (fault instanceof JsonFault) return fail(describeFault(text, fault))
    throw fault
  }
}

const parseStrict = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    const { keys, excess } = sizeOf(value)
    // If a key occurs twice, `JSON.parse` keeps the last, and the text has more `":` than the value has keys.
    const mayHaveDuplicateKey = keys !== (text.match(/"\s*:/g)?.length ?? 0)
    return mayHaveDuplicateKey || excess !== undefined ? undefined : value
  } catch {
    return undefined
  }
}

const FENCE = /(?:```|~~~)[`~]*[\w+-]*(?:[ \t]+\w+=\S*)*/
// The next two patterns match the empty string before JSON. In prose, not every bracket begins JSON.
const JSON_AT_START = /^(?=[[{"'“”‘’]|\/[/*])/
const JSON_IN_PROSE = /(?=[{[]\s*(?:["'“‘{[]|\/[/*])|\{\s*[\w$-]+\s*:)/
const FENCE_OR_JSON = new RegExp(`${JSON_AT_START.source}|${FENCE.source}|${JSON_IN_PROSE.source}`, 'g')

const NO_JSON = 'expected JSON, which starts with { or ['

/** `Use {"a":1} and {"a":1}.` → `{ a: 1 }` */
const parseAmongProse = (text: string): unknown => {
  const parser = new TolerantParser(text)
  const values: Array<unknown> = []
  let isInFence = false
  for (;;) {
    const match = parser.match(FENCE_OR_JSON)
    if (match === undefined) break
    const isFence = match !== ''
    if (isFence) isInFence = !isInFence
    const beginsJson = !isFence || isInFence && /["'“‘[{/]/.test(parser.next())
    if (beginsJson) readValues(text, parser, values)
  }
  if (values.length === 0) throw new JsonFault(NO_JSON, 0)
  return values[0]
}

/** Matches `]` after `[]`, `:` after `"a"`, and `, {` after `{}`. */
const CONTINUATION = /[}\]:"'“‘]|,\s*(?:[{["'“‘]|$)/y
const MORE_TEXT = 'there is more text after the JSON; send one value: a list in [ ] or an object in { }'
const MORE_JSON = 'there is more than one JSON value; send a single value that contains all of them'

/** Reads the value at the parser's offset, and values directly after it (`{}{}`), into `values`. */
const readValues = (text: string, parser: TolerantParser, values: Array<unknown>): void => {
  // The list in `- Use ["fs"].` belongs to a rule, and is not the wanted JSON.
  if (values.length === 0 && isListInRule(text, parser)) throw new JsonFault(NO_JSON, 0)
  do {
    const start = parser.at
    const value = parser.value()
    values.push(value)
    if (!isDeepStrictEqual(value, values[0])) throw new JsonFault(MORE_JSON, start)
  } while (/[{[]/.test(parser.next()))
  const end = parser.at
  if (parser.match(CONTINUATION) !== undefined) throw new JsonFault(MORE_TEXT, end)
}

const RULE_BEGINNING = /^\s*(?:(?:[-*•+]|\d+[.)])\s|rule:).*\p{L}/iu

const isListInRule = (text: string, parser: TolerantParser): boolean => {
  const lineBefore = text.slice(text.lastIndexOf('\n', parser.at) + 1, parser.at)
  return parser.next() === '[' && RULE_BEGINNING.test(lineBefore)
}

const describeFault = (text: string, { offset, message, isCutOff }: JsonFault): string => {
  const around = text.slice(Math.max(0, offset - 40), isCutOff ? offset : offset + 40)
  const excerpt = quote(around.replace(/\s+/g, ' '), 80)
  if (isCutOff) return `cut off at offset ${offset}, ${message}, after ${excerpt}. Send it whole.`
  const lines = text.slice(0, offset).split('\n')
  const place = `offset ${offset} (line ${lines.length}, column ${lines.at(-1)!.length + 1})`
  return `${message}, at ${place}, near ${excerpt}.`
}
