import { jsonrepair } from 'jsonrepair'
import { type JsonFault, type JsonToken, nextToken, scanJson } from './json-scan.ts'
import { fail, ok, type Result } from './safe.ts'
import { MAX_JSON_LENGTH, sizeOf } from './value-size.ts'

/** Why a text is no JSON, in words, and the offset (UTF-16 units) where that shows. */
export type ParseFault = { reason: string; offset: number }

/** How many places of one text are looked into for the JSON that is meant. */
const MAX_PLACES = 20

/** How often JSON may have been encoded again as a string. */
const MAX_ENCODINGS = 8

const AROUND = 40

const quote = (text: string): string => JSON.stringify(text.replace(/\s+/g, ' '))

/** A fault in words, with the text around it. */
const toWords = (text: string, { offset, what, cutOff }: JsonFault): ParseFault => {
  if (cutOff) {
    const last = quote(text.slice(Math.max(0, offset - AROUND), offset))
    return { offset, reason: `cut off at offset ${offset}, ${what}, behind ${last}. Send it whole.` }
  }
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - before.lastIndexOf('\n')
  const around = quote(text.slice(Math.max(0, offset - AROUND), offset + AROUND))
  return { offset, reason: `${what}, at offset ${offset} (line ${line}, column ${column}), near ${around}.` }
}

const MORE_TEXT = 'there is more text behind the JSON; send it alone'

const refuse = (offset: number, what: string) => fail<JsonFault>({ offset, what, cutOff: false })

const SPELLINGS: Record<string, string> = { True: 'true', False: 'false', None: 'null', undefined: 'null' }

const isSign = (token: JsonToken | undefined, signs: string): boolean =>
  token?.kind === 'punctuation' && signs.includes(token.text)

const isSame = (token: JsonToken, repaired: JsonToken): boolean =>
  token.text === repaired.text
    ? token.kind === repaired.kind || (token.kind === 'word' && repaired.kind === 'string')
    : token.kind === 'word' && repaired.kind === 'word' && SPELLINGS[token.text] === repaired.text

/**
 * Where a repaired text says something else than the original. The same tokens in the same order, but for the comma
 * before a closing bracket, is all that a repair may give; `undefined` where it did.
 */
const firstDifference = (original: string, repaired: string): number | undefined => {
  for (let at = 0, repairedAt = 0;;) {
    const token = nextToken(original, at)
    const other = nextToken(repaired, repairedAt)
    if (token === undefined || other === undefined) return token === other ? undefined : token?.start ?? at
    at = token.end
    if (isSign(token, ',') && isSign(other, ']}') && isSign(nextToken(original, at), ']}')) continue
    if (!isSame(token, other)) return token.start
    repairedAt = other.end
  }
}

/**
 * Repairs a text that the scan let pass. The library sees a number in place of each string and no comments: it guesses
 * where a string ends by what stands around its quotes, and at times wrong; the scan has found that out already.
 */
const repair = (text: string): string => {
  const tokens: Array<string> = []
  const strings: Array<string> = []
  for (let token = nextToken(text, 0); token !== undefined; token = nextToken(text, token.end)) {
    tokens.push(token.kind === 'string' ? `"§${strings.push(token.text) - 1}"` : token.text)
  }
  return jsonrepair(tokens.join(' ')).replace(/"§(\d+)"/g, (_, index) => JSON.stringify(strings[index]))
}

/**
 * Reads strict JSON for an object or a list; `undefined` for anything else, also where a key may be there twice.
 *
 * A key's closing quote stands before its colon, so that a text has at least as many of these as it has keys. Where it
 * has no more of them than the value has keys, none was dropped.
 */
const readStrict = (text: string): unknown => {
  if (!/^[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const { keys, excess } = sizeOf(value)
    return excess === undefined && keys === (text.match(/"\s*:/g)?.length ?? 0) ? value : undefined
  } catch {
    return undefined
  }
}

/** Reads a text that is one JSON value; the library repairs its spelling, and nothing that it says. */
const readValue = (text: string): Result<unknown, JsonFault> => {
  const strict = readStrict(text)
  if (strict !== undefined) return ok(strict)
  const scanned = scanJson(text)
  if (scanned.fault) return fail(scanned.fault)
  const rest = nextToken(text, scanned.end)
  if (rest !== undefined && !/^(?:`{3,}|~{3,})$/.test(text.slice(rest.start).trimEnd())) {
    return refuse(rest.start, MORE_TEXT)
  }
  const value = text.slice(0, scanned.end)
  try {
    return ok(JSON.parse(value))
  } catch {
    // it is not strict JSON: its spelling is repaired
  }
  try {
    const repaired = repair(value)
    const offset = firstDifference(value, repaired)
    return offset === undefined ? ok(JSON.parse(repaired)) : refuse(offset, 'this can be read in two ways')
  } catch (thrown) {
    return refuse(Number(Object(thrown).position ?? 0), 'this is no JSON')
  }
}

/** JSON that is encoded once more, but for the quotes around it: `{\"rules\":[]}`. */
const readWithoutQuotes = (text: string): unknown => {
  if (!/^[[{](?:\\[nrt]|[[{\s])*\\"/.test(text)) return undefined
  try {
    return JSON.parse(`"${text}"`)
  } catch {
    return undefined
  }
}

/** A place in a text where JSON stands, or what looks like it. */
type Place = { start: number; end: number; value: Result<unknown, JsonFault> }

const readPlace = (text: string, start: number): Place => {
  const { fault, end } = scanJson(text, start)
  if (fault) return { start, end: fault.offset, value: fail(fault) }
  const value = readValue(text.slice(start, end))
  if (value.error !== null) value.error.offset += start
  return { start, end, value }
}

/** The JSON of a fenced block; its closing fence is the first one outside of its strings, and may be missing. */
const readBlock = (text: string, start: number, fence: string): Place => {
  const { end, value } = readPlace(text, start)
  const closing = text.indexOf(fence, end)
  const blockEnd = closing < 0 ? text.length : closing
  const rest = text.slice(end, blockEnd).replace(/[`~]+$/, '').trim()
  if (value.error === null && rest !== '') {
    return { start, end: blockEnd, value: refuse(end, MORE_TEXT) }
  }
  return value.error !== null && closing === end
    ? { start, end: blockEnd, value: fail({ offset: end, what: 'at the closing fence', cutOff: true }) }
    : { start, end: blockEnd, value }
}

/** The fenced blocks that hold JSON, and the offsets of the text that stands outside of fences. */
const readFences = (text: string): { blocks: Array<Place>; prose: Array<[number, number]> } => {
  const blocks: Array<Place> = []
  const prose: Array<[number, number]> = []
  const opening = /(```|~~~)[`~]*[\w+-]*(?:[ \t]+\w+=\S*)*\s*/g
  let from = 0
  for (
    let fence = opening.exec(text);
    fence !== null && blocks.length < MAX_PLACES;
    fence = opening.exec(text)
  ) {
    prose.push([from, fence.index])
    const [, mark = ''] = fence
    const start = opening.lastIndex
    let end = start
    if (/[[{"'“/]/.test(text[start] ?? '')) {
      const block = readBlock(text, start, mark)
      blocks.push(block)
      end = block.end
    }
    const closing = text.indexOf(mark, end)
    from = closing < 0 ? text.length : closing + 3
    opening.lastIndex = from
  }
  prose.push([from, text.length])
  return { blocks, prose }
}

/** The JSON that stands in prose; what only looks like it and ends before the prose does is a figure of speech. */
const readProse = (text: string, [start, end]: [number, number]): Array<Place> => {
  const places: Array<Place> = []
  const looks = /[{[]\s*["'“{[]/g
  looks.lastIndex = start
  for (let found = looks.exec(text); found !== null && found.index < end; found = looks.exec(text)) {
    const place = readPlace(text, found.index)
    const isClosed = /[\]}]/.test(text.slice(place.end, end))
    if (place.value.error === null || !isClosed) places.push(place)
    if (places.length >= MAX_PLACES) break
    looks.lastIndex = Math.max(place.end, looks.lastIndex)
  }
  return places
}

/** Reads the one JSON text among prose: it stands in a fenced block, and no other says something else. */
const readAmongProse = (text: string): Result<unknown, JsonFault> => {
  const { blocks, prose } = readFences(text)
  const [meant] = blocks
  if (meant === undefined) {
    return refuse(0, 'expected JSON, which starts with { or [; put nothing before it')
  }
  const others = [...blocks.slice(1), ...prose.flatMap((part) => readProse(text, part))]
  const content = JSON.stringify(meant.value)
  const other = others.find(({ value }) => JSON.stringify(value) !== content)
  return other === undefined
    ? meant.value
    : refuse(Math.max(other.start, meant.start), 'there is more than one JSON text; send one')
}

/** Whether a text is meant as JSON for an object or a list, be it encoded again or in a fence. */
export const looksLikeJson = (text: string): boolean =>
  /^[\s"'“‘\\nrt]*[{[]/.test(text) || /```|~~~/.test(text)

const readOnce = (text: string): Result<unknown, JsonFault> => {
  if (text === '') return refuse(0, 'the text is empty')
  if (/^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(text)) return ok(JSON.parse(text))
  if (!/^[{["'“”‘’/]/.test(text)) return readAmongProse(text)
  const encoded = readWithoutQuotes(text)
  return encoded === undefined ? readValue(text) : ok(encoded)
}

/**
 * Reads JSON as models write it (spec.md, Tolerance): in a fenced block, encoded twice, with comments, trailing
 * commas, other quotes or raw line breaks. The strictest reading that fits is taken.
 *
 * Nothing is completed, dropped or chosen: a text that is cut off, or that can mean two things, is a fault.
 */
export const readJson = (json: string): Result<unknown, ParseFault> => {
  if (json.length > MAX_JSON_LENGTH) {
    const reason =
      `${json.length} characters are too many, at most ${MAX_JSON_LENGTH} are read; send less at once.`
    return fail({ reason, offset: MAX_JSON_LENGTH })
  }
  // The byte-order mark is white space to trim().
  let text = json.trim()
  for (let encodings = 0;; encodings++) {
    const read = readOnce(text)
    if (read.error !== null) return fail(toWords(text, read.error))
    const isEncoded = typeof read.data === 'string' && looksLikeJson(read.data)
    if (!isEncoded || encodings === MAX_ENCODINGS) return ok(read.data)
    text = String(read.data).trim()
  }
}
