import type { Range } from '../../text/changed-stretch.ts'
import type { Realign } from '../realign/realign.ts'
import type { ChangedFile } from './call.ts'
import { type Applied, withLineEnds } from './edits.ts'
import { lostLines } from './lost-lines.ts'

/** Puts a text in the place of each range; ranges and texts are in the order of the text. */
const replaceRanges = (text: string, ranges: Array<Range>, texts: Array<string>): string => {
  let at = 0
  let made = ''
  for (const [index, { start, end }] of ranges.entries()) {
    made += text.slice(at, start) + texts[index]!
    at = end
  }
  return made + text.slice(at)
}

/** Moves a range by what others grew or shrank that were replaced before it or in it; null where it cuts one of them. */
const shiftRange = (range: Range, replaced: Array<Range>, lengths: Array<number>): Range | null => {
  let { start, end } = range
  for (const [index, other] of replaced.entries()) {
    const growth = lengths[index]! - (other.end - other.start)
    if (other.end <= range.start) {
      start += growth
      end += growth
    } else if (other.start >= range.end) continue
    else if (other.start >= range.start && other.end <= range.end) end += growth
    else return null
  }
  return { start, end }
}

/** Where the text of a call stands: in the chain's text or, once a later call has replaced it, in what that one replaced. */
type TextPlace = { ranges: Array<Range>; replacedBy: Link | null }

/** A call in a chain. */
type Link = {
  callID: string
  file: ChangedFile
  /** Where its text stands; null once that cannot be told. */
  place: TextPlace | null
  /** What it replaced, as the model sent it, a text for each range; null where that is not known. */
  replaced: Array<string> | null
  /** Its text for each range as it was sent, and as it is shown now. */
  sent: Array<string>
  texts: Array<string>
}

// A chain of n calls on a text of m units takes n × m units of work: for so many the host waits some 50 ms. Beyond that
// the model is told to read the file again.
const MAX_UNITS = 20_000_000

/** A call as it was applied to the text of a chain. */
export type ChainedCall = {
  callID: string
  file: ChangedFile
  applied: Applied
}

/**
 * The calls of one message on one file, and the text that they made. When that text is formatted, each call is given a
 * text so that all of them, applied one after the other, make the formatted file. The last call says what stands in its
 * place. Then what it replaced is put back, and the call before it says what stands in its own place, and so on.
 *
 * A `write` of `a=1\nb=2` and an `edit` of `b=2` to `b=3`, formatted to `a = 1\nb = 3`: the edit says `b = 3`, and the
 * write `a = 1\nb=2`, in which the edit still finds its `oldString`.
 */
export class CallChain {
  /** What the file says. */
  text: string
  /** Whether the model was asked since the last call: the next call starts another chain. */
  isSeen = false
  /** Whether a later call started another chain on the file. */
  isOver = false
  /** Whether what the model believes of the file cannot be told from the calls: it is then told to read the file again. */
  isBroken = false
  #isFormatted = false
  readonly #links: Array<Link>
  readonly #first: { raw: string; ranges: Array<Range> }

  constructor({ callID, file, applied }: ChainedCall) {
    const { raw, ranges } = applied
    this.text = raw
    this.#first = { raw, ranges }
    const texts = ranges.map(({ start, end }) => raw.slice(start, end))
    this.#links = [{ callID, file, place: { ranges, replacedBy: null }, replaced: null, sent: texts, texts }]
  }

  /** Whether a formatter changed its text. */
  get isFormatted(): boolean {
    return this.#isFormatted
  }

  /** The texts that a call's arguments are to have; null where they have them. */
  textsOf(callID: string): Array<string> | null {
    const link = this.#links.find((one) => one.callID === callID)
    return link && link.texts.some((text, index) => text !== link.sent[index]) ? link.texts : null
  }

  /** Lists the lines that the model sent and that its corrected calls no longer have. */
  lostLines(): Array<string> {
    return this.#links.flatMap(({ sent, texts }) =>
      sent.flatMap((text, index) => text === texts[index] ? [] : lostLines(text, texts[index]!))
    )
  }

  /** Adds a call that changed the chain's text. */
  add({ callID, file, applied }: ChainedCall): void {
    const { raw, ranges, replaced } = applied
    const lengths = ranges.map(({ start, end }) => end - start)
    const old = file.replaces === null ? null : withLineEnds(file.replaces, this.text)
    const isOld = replaced?.every(({ start, end }) => this.text.slice(start, end) === old)
    const texts = ranges.map(({ start, end }) => raw.slice(start, end))
    const added: Link = {
      callID,
      file,
      place: { ranges, replacedBy: null },
      replaced: old !== null && replaced ? replaced.map(() => old) : null,
      sent: texts,
      texts,
    }
    for (const link of this.#links) {
      if (!link.place || link.place.replacedBy) continue
      const shifted = replaced && link.place.ranges.map((range) => shiftRange(range, replaced, lengths))
      if (shifted?.every((range) => range !== null)) link.place = { ranges: shifted, replacedBy: null }
      else link.place = replaced && isOld ? swallowed(link.place.ranges, replaced, added) : null
    }
    this.#links.push(added)
    this.text = raw
    this.isSeen = false
  }

  /** Whether the calls are too many for a text of this size. */
  get #isTooLong(): boolean {
    return this.#links.length > 1 && this.text.length * this.#links.length > MAX_UNITS
  }

  /** Takes over the formatted text, and gives each call its new text. */
  format(after: string, find: Realign): void {
    const before = this.text
    this.#isFormatted = true
    if (this.#isTooLong) {
      this.isBroken = true
      for (const link of this.#links) link.place = null
    }
    for (const link of this.#links) {
      if (!link.place || link.place.replacedBy) continue
      const ranges = link.place.ranges.map((range) =>
        range.start === 0 && range.end === before.length ? { start: 0, end: after.length } : find(range)
      )
      link.place = ranges.every((range) => range !== null) ? { ranges, replacedBy: null } : null
    }
    this.text = after
    this.#reword()
  }

  /** Gives the calls their texts from the last one back, as far as the place of each is known. */
  #reword(): void {
    let { text } = this
    const places = new Map(
      this.#links.map((link) => [link, link.place?.replacedBy ? null : link.place?.ranges ?? null]),
    )
    for (const [index, link] of [...this.#links.entries()].reverse()) {
      const ranges = places.get(link)
      if (!ranges) return
      const texts = link.file.toExpressible(text, ranges)
      if (texts) link.texts = texts
      const { replaced } = link
      // A call that goes on saying what was sent does not lead to this text: those before it stay as they are, too.
      if (!texts || !replaced) return
      const starts = replacedStarts(ranges, replaced)
      for (const earlier of this.#links.slice(0, index)) {
        const { place } = earlier
        if (!place) continue
        if (place.replacedBy === link) {
          places.set(
            earlier,
            place.ranges.map(({ start, end }) => ({ start: start + starts[0]!, end: end + starts[0]! })),
          )
          continue
        }
        const now = places.get(earlier)?.map((range) =>
          shiftRange(range, ranges, replaced.map(({ length }) => length))
        )
        places.set(earlier, now?.every((range) => range !== null) ? now : null)
      }
      text = replaceRanges(text, ranges, replaced)
    }
  }

  /** Applies the calls as they are shown, to know what the model must believe; null where one of them does not apply. */
  believed(): string | null {
    if (this.isBroken) return null
    const [first, ...others] = this.#links
    let text: string | null = replaceRanges(this.#first.raw, this.#first.ranges, first!.texts)
    for (const { file, texts } of others) {
      text = text === null ? null : file.reapply(text, texts)
    }
    return text
  }
}

/** The places of ranges within the text that a later call replaced, counted from its start; null where they are not all in one. */
const swallowed = (ranges: Array<Range>, replaced: Array<Range>, replacedBy: Link): TextPlace | null => {
  const [around, ...others] = replaced
  if (!around || others.length > 0) return null
  const isInside = ranges.every(({ start, end }) => start >= around.start && end <= around.end)
  if (!isInside) return null
  return {
    ranges: ranges.map(({ start, end }) => ({ start: start - around.start, end: end - around.start })),
    replacedBy,
  }
}

/** Where each replaced text starts once all are put back. */
const replacedStarts = (ranges: Array<Range>, replaced: Array<string>): Array<number> => {
  let growth = 0
  return ranges.map(({ start, end }, index) => {
    const at = start + growth
    growth += replaced[index]!.length - (end - start)
    return at
  })
}
