import { isDeepStrictEqual } from 'node:util'
import { fail, ok, type Result } from '../safe.ts'
import { quote } from './issues.ts'
import { MAX_JSON_LENGTH, sizeOf, TOO_LONG } from './limits.ts'
import { JsonFault, TolerantReader } from './tolerant-reader.ts'

/** Why a text is no JSON, in words, and the offset (UTF-16 units) where that shows. */
export type ParseFault = { reason: string; offset: number }

/** What a text stands for, and how many keys its objects have together. */
type Json = { value: unknown; keys: number }

const AROUND = 40

/** A fault in words, with the text around it. */
const toParseFault = (text: string, { offset, message, isCutOff }: JsonFault): ParseFault => {
  const around = text.slice(Math.max(0, offset - AROUND), isCutOff ? offset : offset + AROUND)
  const shown = quote(around.replace(/\s+/g, ' '), 2 * AROUND)
  const lines = text.slice(0, offset).split('\n')
  const place = `offset ${offset} (line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1})`
  const cutOff = `cut off at offset ${offset}, ${message}, behind ${shown}. Send it whole.`
  return { offset, reason: isCutOff ? cutOff : `${message}, at ${place}, near ${shown}.` }
}

/**
 * Reads strict JSON; `undefined` where the text is none, or where a key may be there twice, of which `JSON.parse` keeps
 * the last. A text that is as short as JSON of the value can be holds no more; and in any text a key's closing quote
 * stands before its colon, so that there are at least as many of these as keys.
 */
const readStrict = (text: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object') return { value, keys: 0 }
    const { keys, length, excess } = sizeOf(value)
    const isWhole = text.length === length || keys === (text.match(/"\s*:/g)?.length ?? 0)
    return isWhole && excess === undefined ? { value, keys } : undefined
  } catch {
    return undefined
  }
}

/** JSON that is encoded once more, but for the quotes around it: `{\"rules\":[]}`. */
const readWithoutQuotes = (text: string): Json | undefined =>
  /^[[{](?:\\[nrt]|[[{\s]){0,99}\\"/.test(text) ? readStrict(`"${text}"`) : undefined

/** A text that is JSON from its first character on, strings and comments included. */
const IS_DIRECT = /^[\s\0]*(?:[[{"'“”‘’]|\/[/*])/

/** A fence with its language and attributes, or a bracket behind which an item or a key begins. */
const NEXT_PLACE =
  /(```|~~~)[`~]*[\w+-]*(?:[ \t]+\w+=\S*)*\s*|[{[](?=\s*(?:["'“‘{[]|\/[/*]))|\{(?=\s*[\w$-]+\s*:)/g

/** What directly behind JSON can only be more of it. */
const GOES_ON = /[}\]:"'“‘]|,\s*(?:[{["'“‘]|$)/y

const MORE_JSON = 'there is more than one JSON text; send one'

/** A place in a text where JSON stands, or what looks like it: its value or what is wrong there, and where it ends. */
type Place = { start: number; isFenced: boolean; end: number; value?: unknown; fault?: JsonFault }

/**
 * Reads the value at `start`; the same value once more directly behind it is the same.
 *
 * @throws JsonFault where there is none, unless the place may be a sketch of the shape
 */
const readPlace = (text: string, start: number, isFenced: boolean, maySketch: boolean): Place => {
  const reader = new TolerantReader(text, start)
  try {
    const value = reader.value()
    while (/[{[]/.test(reader.next())) {
      const { at } = reader
      if (!isDeepStrictEqual(reader.value(), value)) throw new JsonFault(MORE_JSON, at)
    }
    GOES_ON.lastIndex = reader.at
    // A quote around JSON in prose closes behind it: `rules='["x"]'`.
    const isInQuotes = start > 0 && text[reader.at] === text[start - 1]
    if (GOES_ON.test(text) && !isInQuotes) {
      throw new JsonFault('there is more text behind the JSON; send it alone', reader.at)
    }
    return { start, isFenced, end: reader.at, value }
  } catch (fault) {
    if (maySketch && fault instanceof JsonFault) return { start, isFenced, end: fault.offset, fault }
    throw fault
  }
}

/** The places of a text where JSON stands: what is prose around them, and code in other fences, is let pass. */
const placesOf = (text: string): Array<Place> => {
  const places = IS_DIRECT.test(text) ? [readPlace(text, 0, false, false)] : []
  const hasFence = places.length === 0 && /```|~~~/.test(text)
  const next = new RegExp(NEXT_PLACE)
  next.lastIndex = places[0]?.end ?? 0
  for (let found = next.exec(text); found !== null; found = next.exec(text)) {
    const [, fence] = found
    const start = fence === undefined ? found.index : next.lastIndex
    if (fence === undefined || /[[{"'“/]/.test(text[start] ?? '')) {
      const place = readPlace(text, start, fence !== undefined, hasFence && fence === undefined)
      places.push(place)
      next.lastIndex = Math.max(next.lastIndex, place.end)
    }
    const closing = fence === undefined ? -1 : text.indexOf(fence, next.lastIndex)
    if (fence !== undefined && closing >= 0) next.lastIndex = closing + fence.length
  }
  return places
}

const isBalanced = (text: string): boolean => text.split(/[[{]/).length === text.split(/[\]}]/).length

/**
 * Reads the one JSON value of a text: what stands in a fence, or else what comes first. Each other one has to say the same. A sketch of the shape in prose beside a fence (`{"rules": […]}`) says nothing.
 *
 * @throws JsonFault where there is none, or more than one
 */
const readAmongProse = (text: string): Json => {
  const places = placesOf(text)
  const meant = places.find(({ isFenced }) => isFenced) ?? places[0]
  if (meant === undefined) throw new JsonFault('expected JSON, which starts with { or [', 0)
  if (meant.fault !== undefined) throw meant.fault
  const isSaidAgain = ({ start, value, fault }: Place, index: number): boolean =>
    fault === undefined
      ? isDeepStrictEqual(value, meant.value)
      : meant.isFenced && isBalanced(text.slice(start, places[index + 1]?.start))
  const other = places.find((place, index) => !isSaidAgain(place, index))
  if (other !== undefined) throw new JsonFault(MORE_JSON, Math.max(other.start, meant.start))
  const { keys, excess } = sizeOf(meant.value)
  if (excess !== undefined) throw new JsonFault(excess, meant.start)
  return { value: meant.value, keys }
}

/** Whether a text begins as JSON for an object or a list does, be it encoded again or in a fence. */
export const looksLikeJson = (text: string): boolean => /^[\s"'“‘\\nrt]*[{[]|^\s*(?:```|~~~)/.test(text)

/**
 * Reads JSON as models write it (spec.md, Tolerance): in a fenced block or among prose, encoded twice, with comments,
 * trailing commas, other quotes or raw line breaks. The strictest reading that fits is taken.
 *
 * Nothing is completed, dropped or chosen: a text that is cut off, or that can mean two things, is a fault.
 */
export const readJson = (json: string): Result<Json, ParseFault> => {
  if (json.length > MAX_JSON_LENGTH) return fail({ reason: TOO_LONG, offset: MAX_JSON_LENGTH })
  // The byte-order mark is white space to trim().
  let text = json.trim()
  try {
    // Each decoding takes at least the quotes away.
    for (;;) {
      if (text === '') throw new JsonFault('the text is empty', 0)
      const read = readStrict(text) ?? readWithoutQuotes(text) ?? readAmongProse(text)
      if (typeof read.value !== 'string' || !/[[{]/.test(read.value)) return ok(read)
      text = read.value.trim()
    }
  } catch (fault) {
    if (fault instanceof JsonFault) return fail(toParseFault(text, fault))
    throw fault
  }
}
