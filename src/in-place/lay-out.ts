/** Parts and rules in a row → their words as one text. */
import type { LineEnding } from '../text/line-ending.ts'
import { isAround, type Pair, pairsIn } from './emphasis.ts'
import { prefixOf, type Span } from './lines.ts'
import type { Part, Row } from './restated-parts.ts'
import { beginsLine, ended, piecesOf, type RuleWords, spaceAfter } from './rule-and-reason.ts'
import { IS_BULLET } from './signs.ts'
import { LINE_BREAK, prefixIn, widthOf } from './wrapped-lines.ts'

/** A part with its index in the row, and a rule that comes in its place. */
export type Piece = { part: Part; index: number; rule?: number | undefined }

/** Gives the words of a rule. */
export type WordsOf = (rule: number) => RuleWords

export const ENDS_SENTENCE = /\p{Sentence_Terminal}(?:[^\p{L}\p{N}<[]|<[^<>]*>|\[\^?\w+\])*$/u

/** A row of a text that is laid out. */
export class Layout {
  /** What the lines of the block but the first begin with. */
  readonly prefix: string
  readonly text: string
  readonly lineBreak: LineEnding
  readonly row: Row
  readonly wordsOf: WordsOf
  /** Whether reasons stand on lines of their own, with a label. */
  readonly isLabelled: boolean
  readonly width: number
  /** The tags whose end was written. */
  readonly closed = new Set<Pair>()
  readonly #pairs: Array<Pair>

  constructor(
    text: string,
    row: Row,
    { words, isLabelled, lineBreak }: { words: WordsOf; isLabelled: boolean; lineBreak: LineEnding },
  ) {
    this.text = text
    this.lineBreak = lineBreak
    this.row = row
    this.wordsOf = words
    this.isLabelled = isLabelled
    this.prefix = prefixIn(text, row.block)
    this.width = widthOf(text, row)
    this.#pairs = pairsIn(text, row.block)
  }

  /** Whether a tag is around some of the parts. */
  get isTagged(): boolean {
    const { block, parts } = this.row
    return this.#pairs.some((pair) => pair.isTag && parts.some((part) => isAround(block, pair, part)))
  }

  /** Gives what the lines begin with that stand for themselves. */
  get prefixOfLines(): string {
    const { item, node, from } = this.row.block
    return prefixOf(this.text, item ? node.from : from)
  }

  /** Gives what the lines below a part begin with: below a sign they are indented. */
  prefixBelow({ sign }: Part, prefix: string): string {
    return sign === '' ? prefix : this.prefixOfLines + ' '.repeat(sign.length + 1)
  }

  textOf({ from, to }: Span): string {
    return this.text.slice(from, to)
  }

  /**
   * Lists the marks that are open before a part, or are around all that a rule restates. A tag stays with the first rule.
   */
  marksOf({ part, index, rule }: Piece): Array<Pair> {
    if (rule === undefined) return this.openAt(part.from).filter((pair) => !this.closed.has(pair))
    const { block, parts } = this.row
    const end = parts.findIndex((one, at) => at > index && (!one.isGone || one.rules.length > 0))
    const restated = parts.slice(index + 1, end < 0 ? parts.length : end)
    // Marks of several sentences are those of a rule where they are around all that it restates.
    const isCut = (pair: Pair) =>
      restated.some((one) => one.from < pair.close.from)
      && !restated.every((one) => isAround(block, pair, one))
    const isMarked = /\*\*|__|(?<!\w)[*_]\w/.test(this.wordsOf(rule).sentence)
    return this.#pairs.filter((pair) =>
      isAround(block, pair, part) && !this.closed.has(pair) && (pair.isTag || !isMarked && !isCut(pair))
    )
  }

  /** Lists the marks that are open at an offset. */
  openAt(at: number): Array<Pair> {
    return this.#pairs.filter((pair) => pair.open.from < at && pair.close.from >= at)
  }

  /** Gives words without some tags of the text. */
  withoutTags(words: string, tags: Array<Span>): string {
    return tags.reduce((left, tag) => left.replace(this.textOf(tag), ''), words)
  }

  /** Gives the spaces between the parts of two pieces; those with a line break where parts that go are between them. */
  gapBefore(piece: Piece, before: Piece | undefined): string {
    const { parts } = this.row
    let gap = ''
    for (let at = before?.index ?? piece.index; at < piece.index; at++) {
      if (!LINE_BREAK.test(gap)) gap = this.textOf({ from: parts[at]!.to, to: parts[at + 1]!.from })
    }
    return gap
  }

  /**
   * Lays pieces out: what stays as it stood, new words wrapped where the block is, reasons after their rules. Marks that
   * these share with others are closed at their end.
   *
   * @param prefix what all lines but the first begin with
   * @param column where the first line begins
   */
  words(pieces: Array<Piece>, prefix: string, column: number): string {
    const words = new Words(this, prefix, column)
    pieces.forEach((piece, at) => words.add(piece, pieces[at - 1], pieces[at + 1]))
    return words.end()
  }
}

/** The words of pieces, one after the other. */
class Words {
  readonly #layout: Layout
  readonly #prefix: string
  readonly #column: number
  #out = ''
  #open: Array<Pair> = []
  /** Whether a reason with a label comes last, which has its line for itself. */
  #isLine = false
  /** Whether there is a rule in the line of the last sign. */
  #hasRule = false

  constructor(layout: Layout, prefix: string, column: number) {
    this.#layout = layout
    this.#prefix = prefix
    this.#column = column
  }

  /** Adds a piece. */
  add(piece: Piece, before: Piece | undefined, next: Piece | undefined): void {
    const layout = this.#layout
    // What ends before the words after a sign or a label ends before that.
    const isLead = piece.part.kind !== 'sentence' && next !== undefined
    const marks = layout.marksOf(piece).filter((pair) => !isLead || layout.marksOf(next).includes(pair))
    this.#closeAllBut(marks)
    const opening = marks.slice(this.#open.length).map(({ open }) => layout.textOf(open)).join('')
    const space = this.#spaceBefore(piece, before)
    if (piece.rule === undefined) this.#addPart(piece.part, marks, { space, opening })
    else this.#addRule({ ...piece, rule: piece.rule }, next, marks, { space, opening })
  }

  /** Ends the words; gives all of them. */
  end(): string {
    this.#closeAllBut([])
    return this.#out
  }

  #closeAllBut(kept: Array<Pair>): void {
    const same = this.#open.findIndex((pair, index) => pair !== kept[index])
    for (const pair of same < 0 ? [] : this.#open.splice(same).reverse()) {
      this.#out += this.#layout.textOf(pair.close)
      if (pair.isTag) this.#layout.closed.add(pair)
    }
  }

  /** Gives the space before a piece; a line break is added. */
  #spaceBefore(piece: Piece, before: Piece | undefined): string {
    const { prefix, lineBreak } = this.#layout
    const gap = this.#layout.gapBefore(piece, before)
    if (piece.part.kind === 'sign') this.#hasRule = false
    const isFurther = piece.rule !== undefined && this.#hasRule
    this.#hasRule ||= piece.rule !== undefined
    if (this.#out === '') return ''
    const { sign } = piece.part
    if (isFurther && IS_BULLET.test(sign)) {
      this.#out += `${lineBreak + this.#layout.prefixOfLines + sign} `
      return ''
    }
    if (this.#isLine || LINE_BREAK.test(gap)) {
      const isKept = this.#prefix === prefix && LINE_BREAK.test(gap)
      const before = gap.replace(/(?:\r\n|\n|\r)?[ \t>]*$/, '')
      this.#out += isKept ? gap : before + lineBreak + this.#layout.prefixBelow(piece.part, this.#prefix)
      return ''
    }
    const isNew = before?.rule !== undefined || piece.rule !== undefined && before?.part.kind !== 'sign'
    return gap || (isNew ? spaceAfter(this.#out) : '')
  }

  /** Adds a part that stays, without the ends of tags that are closed. */
  #addPart(part: Part, marks: Array<Pair>, { space, opening }: { space: string; opening: string }): void {
    const layout = this.#layout
    const closed = [...layout.closed].map(({ close }) => close)
      .filter(({ from, to }) => from >= part.from && to <= part.to)
    const raw = layout.withoutTags(layout.textOf(part), closed)
    const isMoved = this.#prefix !== layout.prefix
    this.#addWhole(
      space,
      opening + (isMoved ? raw.replace(/(\r\n|\n|\r)[ \t>]*/g, `$1${this.#prefix}`) : raw),
    )
    this.#open = layout.openAt(part.to).filter((pair) => marks.includes(pair) || pair.open.from >= part.from)
    this.#isLine = false
  }

  /** Adds a rule, and its reason: as a sentence, or on the next line. */
  #addRule(
    piece: Piece & { rule: number },
    next: Piece | undefined,
    marks: Array<Pair>,
    { space, opening }: { space: string; opening: string },
  ): void {
    const layout = this.#layout
    const { part, rule } = piece
    const { sentence, reason } = layout.wordsOf(rule)
    const tags = marks.filter(({ isTag }) => isTag).flatMap(({ open, close }) => [open, close])
    const words = layout.withoutTags(sentence, tags)
    const isFollowed = next !== undefined && !(next.rule !== undefined && IS_BULLET.test(next.part.sign))
      && !(layout.row.hasOwnLines && LINE_BREAK.test(layout.gapBefore(next, piece)))
    const isSentence = reason !== '' && !layout.isLabelled
    const isEnded = isSentence || isFollowed && ENDS_SENTENCE.test(layout.textOf(part))
    this.#addWrapped(space, opening + (isEnded ? ended(words) : words))
    this.#open = marks
    const isLonger = ({ close }: Pair) => close.from >= part.to
    this.#closeAllBut(marks.filter((pair) => pair.isTag || isLonger(pair)))
    if (isSentence) this.#addWrapped(spaceAfter(this.#out), isFollowed ? ended(reason) : reason)
    this.#isLine = reason !== '' && layout.isLabelled
    if (this.#isLine) {
      this.#out += layout.lineBreak + layout.prefixBelow(part, this.#prefix)
      this.#addWrapped('', `Reason: ${reason}`)
    }
    this.#closeAllBut(this.#open.filter(isLonger))
  }

  /** Adds words that are not broken themselves; where the line is full, on the next one. */
  #addWhole(space: string, words: string): void {
    const isNext = beginsLine(words.split(' ')[0]!) && this.#isFull(space + words.split(LINE_BREAK)[0])
    this.#out += (isNext ? this.#layout.lineBreak + this.#prefix : space) + words
  }

  #addWrapped(space: string, words: string): void {
    piecesOf(words).forEach((one, index) => this.#addWhole(index === 0 ? space : one.space, one.word))
  }

  #isFull(words: string): boolean {
    const { width } = this.#layout
    if (width === Infinity) return false
    const start = Math.max(this.#out.lastIndexOf('\n'), this.#out.lastIndexOf('\r')) + 1
    const line = this.#out.slice(start)
    return /[^\s>]/.test(line) && (start === 0 ? this.#column : 0) + line.length + words.length > width
  }
}
