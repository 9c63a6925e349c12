/** Finds words as a model copies them: whitespace, emphasis, markers and the kind of quotation marks do not count. */
import { SIGN, type Span } from './lines.ts'

// Whitespace, emphasis, quotation markers, invisible characters; and comments between words.
const UNCOUNTED = String.raw`[\s*_~>\p{Cf}\uFE0F]`
const BETWEEN = `(?:${UNCOUNTED}|<!--[^<>]*-->)*`

// Quotation marks of any kind are the same, and so are dashes and shortenings.
const ALIKE = [/["“”„‟‘’‚‛«»‹›「」『』〝〞＂＇`´']/u, /[-‐-―−]/u, /(?:…|\.{3})/u]

const MARKERS = new RegExp(
  String.raw`^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|[a-z][.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?(?:${SIGN})?`,
  'gmu',
)

const SHORTENED = /(?:…|\.{3})+/

const patternOf = (unit: string): string =>
  ALIKE.find((alike) => alike.test(unit))?.source ?? unit.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')

// A copy that is surely of these words: as long, in their order, but for capitals and signs.
const MIN_LETTERS = 8

/** Makes the patterns of a source's parts by their letters and digits alone; where one ends a sentence, so does the text. */
const looselyRead = (parts: Array<string>): Array<RegExp> => {
  const letters = parts.map((part) => part.match(/[\p{L}\p{N}]/gu) ?? []).filter(({ length }) => length > 0)
  if (letters.flat().length < MIN_LETTERS) return []
  const end = /[.!?]$/.test(parts.at(-1)!.trimEnd()) ? '(?=[^\\p{L}\\p{N}\\s]|\\s*$)' : ''
  const last = letters.length - 1
  return letters.map((units, at) =>
    new RegExp(units.join('[^\\p{L}\\p{N}]*') + (at === last ? end : ''), 'gimu')
  )
}

/**
 * Lists the ways to read a source: as it stands, without markers, with its ellipses standing for any words, and by its
 * letters.
 */
export const readingsOf = (source: string): Array<Array<RegExp>> => {
  // The file has no marks of hidden characters, with which a model was shown it.
  const words = source.replace(/⟦U\+[0-9A-F]+⟧/g, '')
  const unmarked = words.replace(MARKERS, '')
  const shortened = unmarked.split(SHORTENED)
  const readings = [[words], [unmarked], shortened.length > 1 ? shortened : []].map((parts) =>
    parts.map((part) => part.replace(new RegExp(UNCOUNTED, 'gu'), '').match(/\.{3}|[^]/gu) ?? [])
      .filter((units) => units.length > 0)
      .map((units) => new RegExp(units.map(patternOf).join(BETWEEN), 'gu'))
  )
  return [...readings, looselyRead(shortened)].filter((reading) => reading.length > 0)
}

// Scripts without spaces between words: there a word may begin and end anywhere.
const WORD = /[\p{L}\p{N}]/u
const NO_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

const cutsWord = (text: string, at: number): boolean => {
  const [before = '', after = ''] = [text[at - 1], text[at]]
  return [before, after].every((unit) => WORD.test(unit) && !NO_SPACES.test(unit))
}

/** Finds the parts of a reading, one after another, within one of some spans. */
export function* findWithin<Within extends Span>(
  text: string,
  [head, ...rest]: Array<RegExp>,
  spans: Array<Within>,
): Generator<Span & { within: Within }> {
  // Where each part was found last: a place that is still ahead is not searched for again.
  const ahead: Array<RegExpExecArray | null> = []
  let [index, start] = [0, 0]
  const next = (pattern: RegExp, from: number) => {
    pattern.lastIndex = from
    return pattern.exec(text)
  }
  for (let found = next(head!, 0); found !== null; found = next(head!, start)) {
    const from = found.index
    start = from + (text.codePointAt(from)! > 0xffff ? 2 : 1)
    let to = from + found[0].length
    for (const [number, part] of rest.entries()) {
      if ((ahead[number]?.index ?? -1) < to) ahead[number] = next(part, to)
      const place = ahead[number]
      if (place == null) return
      to = place.index + place[0].length
    }
    while (index < spans.length && spans[index]!.to < to) index++
    const within = spans[index]
    if (within !== undefined && within.from <= from && !cutsWord(text, from) && !cutsWord(text, to)) {
      yield { from, to, within }
    }
  }
}
