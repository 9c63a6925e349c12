/** Finds words as a model copies them: whitespace, emphasis, markers and the kind of quotation marks do not count. */
import type { Span } from './lines.ts'
import { SIGN } from './signs.ts'

const COMMENT = /<!--[^<>]*-->/g
const TARGET_OR_TAG = /(?<=\])(?:\([^()\s]*\)|\[[^[\]\n]*\])|<\/?[a-z][^<>\n]*>/gi

/** Gives a text of the same length with one form each of quotation marks, dashes and shortenings. */
const withSignsAlike = (text: string): string =>
  text.replace(/["“”„‟‘’‚‛«»‹›「」『』〝〞＂＇`´]/g, "'").replace(/[‐-―−]/g, '-').replaceAll('...', '…  ')

/** Gives a text of the same length in small letters, without the accents that another file writes as marks of their own. */
const plainLetters = (text: string): string =>
  text.replace(/\p{Lu}/gu, (letter) => letter.toLowerCase().slice(0, letter.length))
    .replace(/[\u00C0-\u1FFF\u3040-\u30FF]/g, (letter) => letter.normalize('NFD')[0]!)

// Whitespace, emphasis, quotation markers, invisible characters.
const UNCOUNTED = /[\s*_~>\p{Cf}\uFE0F]+/gu
const NO_LETTERS = /[^\p{L}\p{N}]+/gu

/** What counts of a text, and the offset of each of its UTF-16 units in the whole. */
type Counted = { units: string; offsets: Uint32Array }

const countedIn = (text: string, uncounted: RegExp): Counted => {
  const offsets = new Uint32Array(text.length)
  const pieces: Array<string> = []
  let [at, length] = [0, 0]
  for (const { index, 0: gap } of [...text.matchAll(uncounted), { index: text.length, 0: '' }]) {
    pieces.push(text.slice(at, index))
    while (at < index) offsets[length++] = at++
    at += gap.length
  }
  return { units: pieces.join(''), offsets }
}

const blanked = (words: string): string => ' '.repeat(words.length)

/** The ways to read a text: without its comments, by its letters and digits without link targets and tags, and as it stands. */
const WAYS = {
  words: (text: string) => WAYS.all(text.replace(COMMENT, blanked)),
  letters: (text: string) => countedIn(plainLetters(text.replace(TARGET_OR_TAG, blanked)), NO_LETTERS),
  all: (text: string): Counted => countedIn(withSignsAlike(text), UNCOUNTED),
}

type Way = keyof typeof WAYS

/** The parts of a source, one after another, as one of the ways reads them. */
export type Reading = { way: Way; parts: Array<string>; endsSentence?: boolean }

const MARKERS = new RegExp(
  String
    .raw`^[ \t>]*(?:(?:[-*+]|(?:\d{1,9}|[A-Za-z]|[ivx]+|[IVX]+)[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?(?:${SIGN})?`,
  'gmu',
)

const SHORTENED = /(?:…|\.{3})+/

// A copy that is surely of these words: as long, in their order, but for capitals and signs.
const MIN_LETTERS = 8

/**
 * Lists the ways to read a source: as it stands, without markers, with its ellipses standing for any words, and by its
 * letters, where a source that ends a sentence does so in the text as well; and last as words of a comment.
 */
export const readingsOf = (source: string): Array<Reading> => {
  // The file has no marks of hidden characters, with which a model was shown it.
  const words = source.replace(/⟦U\+[0-9A-F]+⟧/g, '')
  const unmarked = words.replace(MARKERS, '')
  const shortened = unmarked.split(SHORTENED)
  const reading = (way: Way, parts: Array<string>): Reading => ({
    way,
    parts: parts.map((part) => WAYS[way](part).units).filter((part) => part !== ''),
  })
  const letters = reading('letters', shortened)
  const isEnough = Array.from(letters.parts.join('')).length >= MIN_LETTERS
  return [
    reading('words', [words]),
    reading('words', [unmarked]),
    ...(shortened.length > 1 ? [reading('words', shortened)] : []),
    ...(isEnough ? [{ ...letters, endsSentence: /[.!?]$/.test(shortened.at(-1)!.trimEnd()) }] : []),
    reading('all', [words]),
  ].filter(({ parts }) => parts.length > 0)
}

// Scripts without spaces between words: there a word may begin and end anywhere.
const IN_WORD =
  /(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}])[\p{L}\p{N}]/u
const ASCII_WORDS = Array.from({ length: 128 }, (_, code) => IN_WORD.test(String.fromCharCode(code)))

/** Whether a word goes on at an offset; in scripts without spaces it may end anywhere. */
const isInWord = (text: string, at: number): boolean =>
  ASCII_WORDS[text.charCodeAt(at)] ?? IN_WORD.test(text[at] ?? '')

const cutsWord = (text: string, at: number): boolean => isInWord(text, at - 1) && isInWord(text, at)

const SENTENCE_END = /[^\p{L}\p{N}\s]|\s*$/muy

const isSentenceEnd = (text: string, at: number): boolean => {
  SENTENCE_END.lastIndex = at
  return SENTENCE_END.test(text)
}

/** Gives what finds the parts of a reading in a text, one after another, within one of some spans. */
export const finderOfWords = (text: string) => {
  const read = new Map<Way, Counted>()
  return function*<Within extends Span>(
    { way, parts: [head = '', ...rest], endsSentence }: Reading,
    spans: Array<Within>,
  ): Generator<Span & { within: Within }> {
    const { units, offsets } = read.get(way) ?? WAYS[way](text)
    read.set(way, { units, offsets })
    // Where each part was found last: a place that is still ahead is not searched for again.
    const ahead: Array<number> = []
    let index = 0
    for (let start = units.indexOf(head); start >= 0; start = units.indexOf(head, start + 1)) {
      let end = start + head.length
      for (const [number, part] of rest.entries()) {
        if ((ahead[number] ?? -1) < end) ahead[number] = units.indexOf(part, end)
        if (ahead[number]! < 0) return
        end = ahead[number]! + part.length
      }
      const [from, to] = [offsets[start]!, offsets[end - 1]! + 1]
      while (index < spans.length && spans[index]!.to < to) index++
      const within = spans[index]
      if (within === undefined || from < within.from) continue
      if (cutsWord(text, from) || cutsWord(text, to)) continue
      if (!endsSentence || isSentenceEnd(text, to)) yield { from, to, within }
    }
  }
}
