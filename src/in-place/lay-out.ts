/** Parts and rules in a row → their words as one text. */
import type { LineEnding } from '../text/line-ending.ts'
import type { Block } from './blocks.ts'
import { lineStart, prefixOf, type Span } from './lines.ts'
import { marksAround, marksAroundAll, marksLeft, marksOf, type Pair, pairsIn } from './marks.ts'
import type { Part, Row } from './rows.ts'
import { beginsLine, ended, piecesOf, type RuleWords, spaceAfter } from './rule-words.ts'

/** A part, and a rule that comes in its place. */
export type Piece = { part: Part; rule?: number | undefined }

/** Gives the words of a rule. */
export type WordsOf = (rule: number) => RuleWords

const ENDS_SENTENCE = /\p{Sentence_Terminal}(?:[^\p{L}\p{N}<[]|<[^<>]*>|\[\^?\w+\])*$/u

const LINE_BREAK = /\r\n|\n|\r/

// Longer lines nobody wraps by hand: what breaks them has another reason.
const MAX_WIDTH = 120

/** Gives the longest line of a block that is wrapped; one of which each line is a sentence is not. */
const widthOf = (text: string, { block, parts }: Row): number => {
  const isBroken = ({ from, to }: Span) => LINE_BREAK.test(text.slice(from, to))
  const gaps = parts.slice(1).map((part, index) => ({ from: parts[index]!.to, to: part.from }))
  const isWrapped = isBroken(block) && (parts.some(isBroken) || !gaps.every(isBroken))
  const lines = text.slice(lineStart(text, block.from), block.to).split(LINE_BREAK)
  const width = Math.max(...lines.map(({ length }) => length))
  return isWrapped && width <= MAX_WIDTH ? width : Infinity
}

/** Gives what the lines of a block but the first begin with. */
const prefixIn = (text: string, { node, from, to, sign, closing, item }: Block): string =>
  /(?:\r\n|\n|\r)([ \t>]*)/.exec(text.slice(from, to))?.[1]
    ?? prefixOf(text, item ? node.from : closing === '' ? from : from - sign.length)

/** A row of a text that is laid out. */
export class Layout {
  /** What the lines of the block but the first begin with. */
  readonly prefix: string
  readonly text: string
  readonly lineBreak: LineEnding
  readonly row: Row
  readonly #pairs: Array<Pair>
  readonly #width: number
  readonly #words: WordsOf
  readonly #isLabelled: boolean

  /** @param isLabelled whether reasons stand on lines of their own, with a label */
  constructor(
    text: string,
    row: Row,
    { words, isLabelled, lineBreak }: { words: WordsOf; isLabelled: boolean; lineBreak: LineEnding },
  ) {
    this.text = text
    this.lineBreak = lineBreak
    this.row = row
    this.#words = words
    this.#isLabelled = isLabelled
    this.prefix = prefixIn(text, row.block)
    this.#pairs = pairsIn(text, row.block)
    this.#width = widthOf(text, row)
  }

  /** Gives the words of a rule with the emphasis and the tags of what it restates, where all of that has them. */
  #ruleAt({ from, to, rules }: Part, rule: number): string {
    const { text, row: { places } } = this
    const { sentence } = this.#words(rule)
    const { own, shared } = marksAroundAll(text, this.#pairs, { from, to })
    const isAlone = places.some((place) => place.rule === rule && place.from >= from && place.to <= to)
    const isMarked = /\*\*|__|(?<!\w)[*_]\w/.test(sentence)
    const marks = own.filter(({ open, kind }) =>
      (isAlone || rules[0] === rule)
      && (kind === 'tag' ? !sentence.includes(text.slice(open.from, open.to)) : !isMarked)
    )
    const { open, close } = marksOf(text, marks)
    return open + (shared !== '' && isMarked ? sentence.replaceAll(shared, '') : sentence) + close
  }

  /**
   * Lays pieces out: what stays as it stood, new words wrapped where the block is, reasons after their rules.
   *
   * @param prefix what all lines but the first begin with
   * @param column where the first line begins
   * @param isCut whether pieces of the row stand before these, and after them
   */
  words(
    pieces: Array<Piece>,
    prefix: string,
    column: number,
    isCut = { before: false, after: false },
  ): string {
    const { text, lineBreak } = this
    const ends = marksAround(text, this.#pairs, { from: pieces[0]!.part.from, to: pieces.at(-1)!.part.to })
    let out = ''
    const isFull = (words: string): boolean => {
      if (this.#width === Infinity) return false
      const start = Math.max(out.lastIndexOf('\n'), out.lastIndexOf('\r')) + 1
      const line = out.slice(start)
      return /[^\s>]/.test(line) && (start === 0 ? column : 0) + line.length + words.length > this.#width
    }
    const add = (space: string, words: string): void => {
      const isNext = beginsLine(words.split(' ')[0]!)
        && isFull(space + words.split(LINE_BREAK)[0])
      out += (isNext ? lineBreak + prefix : space) + words
    }
    const addWords = (space: string, words: string): void =>
      piecesOf(words).forEach((one, index) => add(index === 0 ? space : one.space, one.word))
    // A reason with a label has its line for itself.
    let isLine = false
    let [gap, open] = ['', isCut.before ? ends.open : '']
    pieces.forEach(({ part, rule }, at) => {
      const before = pieces[at - 1]?.part
      const isSame = before === part
      if (!LINE_BREAK.test(gap)) gap = before === undefined || isSame ? '' : text.slice(before.to, part.from)
      const left = part.isGone && !isSame ? marksLeft(text, this.#pairs, part) : { open: '', close: '' }
      open += left.open
      if (part.isGone && rule === undefined) {
        out += left.close
        return
      }
      const isBroken = out !== '' && (isLine || LINE_BREAK.test(gap))
      if (isBroken) out += gap.replace(/(?:\r\n|\n|\r)?[ \t>]*$/, '') + lineBreak + prefix
      const space = isBroken || out === ''
        ? ''
        : gap || (rule === undefined && !before?.isGone ? '' : spaceAfter(out))
      if (rule === undefined) {
        const raw = text.slice(part.from, part.to)
        add(space, open + (prefix === this.prefix ? raw : raw.replace(/(\r\n|\n|\r)[ \t>]*/g, `$1${prefix}`)))
      } else {
        const { reason } = this.#words(rule)
        const isFollowed = pieces.slice(at + 1).some((piece) =>
          piece.rule !== undefined || !piece.part.isGone
        )
        const isSentence = reason !== '' && !this.#isLabelled
        const isEnded = isSentence
          || isFollowed && ENDS_SENTENCE.test(text.slice(part.from, part.to))
        const words = this.#ruleAt(part, rule)
        addWords(space, open + (isEnded ? ended(words) : words) + left.close)
        if (isSentence) addWords(spaceAfter(out), isFollowed ? ended(reason) : reason)
        else if (reason !== '') out += `${lineBreak}${prefix}Reason: ${reason}`
      }
      isLine = rule !== undefined && this.#isLabelled && this.#words(rule).reason !== ''
      gap = open = ''
    })
    return out + (isCut.after ? ends.close : '')
  }
}
