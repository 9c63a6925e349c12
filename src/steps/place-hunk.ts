/** Finds the lines of a file that a hunk replaces, as the host's tool `apply_patch` does (OpenCode 1.18). */
import { countLineBreaks, type Span } from '../text/changed-range.ts'
import type { Replacement } from './edits.ts'

/** `anchor` is the text after `@@`. `old` and `now` are the replaced and the written lines, with context lines. */
export type Sides = { anchor: string; old: Array<string>; now: Array<string> }

/** If lines do not match exactly, the host tries these normalizations in turn. */
const NORMALIZATIONS: Array<(line: string) => string> = [
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) =>
    line.trim().replace(/[‘’‚‛]/g, "'").replace(/[“”„‟]/g, '"').replace(/[‐‑‒–—―]/g, '-')
      .replaceAll('…', '...').replaceAll('\u00A0', ' '),
]

// A loose search in a longer text would block the host's only thread.
const MAX_LOOSE_LENGTH = 1_000_000

const seekNormalized = (text: string, lines: Array<string>, from: number): Span | null => {
  if (text.length > MAX_LOOSE_LENGTH) return null
  const textLines = text.slice(from).split('\n')
  for (const normalize of NORMALIZATIONS) {
    const joined = (some: Array<string>) => `\n${some.map(normalize).join('\n')}\n`
    const normalized = joined(textLines)
    const offset = normalized.indexOf(joined(lines))
    if (offset < 0) continue
    const linesAbove = countLineBreaks(normalized, offset)
    const start = textLines.slice(0, linesAbove).reduce((sum, line) => sum + line.length + 1, from)
    const found = textLines.slice(linesAbove, linesAbove + lines.length).join('\n')
    return { from: start, to: start + found.length }
  }
  return null
}

const seek = (text: string, lines: Array<string>, from: number): Span | null => {
  const wanted = lines.join('\n')
  // A line break is added before both texts, so the offset of the match is the offset of `wanted` in `text`.
  const start = `\n${text}\n`.indexOf(`\n${wanted}\n`, from)
  return start >= 0 ? { from: start, to: start + wanted.length } : seekNormalized(text, lines, from)
}

/** The replacement that a hunk makes, and the offset where the search for the next hunk starts. */
export type PlacedHunk = Replacement & { next: number }

/** `text` lacks the file's last line ending. */
const addAtEnd = (text: string, lines: Array<string>, next: number): PlacedHunk => {
  const isLastBlank = text === '' || text.endsWith('\n')
  const at = isLastBlank ? text.length : text.length + 1
  return { from: at, to: at, text: lines.map((line) => `${line}\n`).join(''), writable: 'any text', next }
}

const replaceLines = (place: Span, lines: Array<string>): PlacedHunk => {
  const next = place.to + 1
  return lines.length === 0
    ? { from: place.from, to: next, text: '', writable: 'any text', next }
    : { ...place, text: lines.join('\n'), writable: 'whole lines', next }
}

/** Returns null if the anchor or the old lines below it are missing. `text` lacks the file's last line ending. */
export const placeHunk = ({ anchor, old, now }: Sides, text: string, from: number): PlacedHunk | null => {
  const anchorPlace = anchor === '' ? null : seek(text, [anchor], from)
  if (anchor !== '' && !anchorPlace) return null
  const start = anchorPlace ? anchorPlace.to + 1 : from
  // As in the host, a hunk without old lines adds its lines at the end of the file, wherever the anchor is.
  if (old.length === 0) return addAtEnd(text, now, start)
  const place = seek(text, old, start)
  if (place) return replaceLines(place, now)
  // As in the host, a blank last line of the hunk may be missing in the file.
  if (old.length === 1 || old.at(-1) !== '') return null
  const shorterNow = now.at(-1) === '' ? now.slice(0, -1) : now
  return placeHunk({ anchor, old: old.slice(0, -1), now: shorterNow }, text, from)
}
