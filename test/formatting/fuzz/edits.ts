/** Draws writes, edits and patches that fit what the fuzzer's model believes a file contains. */
import { extname } from 'node:path'
import { onlyIndexOf } from '../../../src/steps/realign/bare-text.ts'
import type { Span } from '../../../src/text/changed-range.ts'
import { patch } from '../session.ts'
import type { PlayedCall } from './belief.ts'
import { type Draft, drawDraft, lineStartsOf, untidy } from './drafts.ts'
import type { Random } from './random.ts'

type EditedFile = {
  filePath: string
  /** The path from the project's folder, which patches have. */
  name: string
  text: string
  /** What an earlier call wrote: the change is in or next to it, or anywhere if it is null or not in `text`. */
  recent: string | null
}

type Tool = 'edit' | 'apply_patch'

/** Draws a call of `tool` on a file, or a write in place of some edits; null if the drawn change is impossible. */
export const drawEdit = (random: Random, file: EditedFile, tool: Tool): PlayedCall | null => {
  const { filePath, name, text } = file
  if (tool === 'edit' && random.oneIn(15)) {
    return { tool: 'write', args: { filePath, content: untidy(random, text) } }
  }
  if (tool === 'edit' && random.oneIn(25)) return drawRenaming(random, file)
  const draft = drawUniqueDraft(random, file)
  if (!draft) return null
  const oldString = text.slice(draft.from, draft.to)
  const newString = draft.replacement
  if (oldString === newString) return null
  return tool === 'edit'
    ? { tool, args: { filePath, oldString, newString } }
    : patch(...patchSection(random, text, draft, name))
}

/** Draws an edit of all places of a word: `word` → `wordRenamed`. */
const drawRenaming = (random: Random, { filePath, text }: EditedFile): PlayedCall | null => {
  const oldString = /[\w$]{4,}/.exec(text.slice(random.below(text.length)))?.[0]
  if (oldString === undefined) return null
  const newString = `${oldString}Renamed`
  return { tool: 'edit', args: { filePath, oldString, newString, replaceAll: true } }
}

/** Draws a change whose old text is not blank and occurs once in the file, as both tools require. */
const drawUniqueDraft = (random: Random, { filePath, text, recent }: EditedFile): Draft | null => {
  const { from, to } = drawPart(random, text, recent)
  const inPart = drawDraft(random, text.slice(from, to), extname(filePath))
  return inPart && extendUntilUnique(text, {
    from: from + inPart.from,
    // A removed paragraph may end up to two characters after the part, and so after the text.
    to: Math.min(text.length, from + inPart.to),
    replacement: inPart.replacement,
  })
}

/** Draws the part of the text in which the change is: a few lines around the recent text, or the whole text. */
const drawPart = (random: Random, text: string, recent: string | null): Span => {
  const at = recent ? text.indexOf(recent) : -1
  if (at < 0) return { from: 0, to: text.length }
  const lineStarts = lineStartsOf(text)
  const lineAt = (offset: number) => lineStarts.findLastIndex((start) => start <= offset)
  const firstLine = Math.max(0, lineAt(at) - random.below(3))
  const lineBelow = lineAt(at + recent!.length) + 1 + random.below(3)
  return { from: lineStarts[firstLine]!, to: lineStarts[lineBelow] ?? text.length }
}

const MAX_EXTENSIONS = 7

/** Adds lines to a draft until its old text is not blank and occurs once; null if that takes too many lines. */
const extendUntilUnique = (text: string, draft: Draft): Draft | null => {
  let span: Span = draft
  for (let extensions = 0; extensions <= MAX_EXTENSIONS; extensions += 1) {
    const oldText = text.slice(span.from, span.to)
    if (oldText.trim() !== '' && onlyIndexOf(text, oldText) >= 0) {
      const [textAbove, textBelow] = [text.slice(span.from, draft.from), text.slice(draft.to, span.to)]
      return { ...span, replacement: textAbove + draft.replacement + textBelow }
    }
    // Below, goes to the end of the line, the next time past its line feed: `a|b\nc` → `ab|\nc` → `ab\n|c`.
    const end = lineEndOf(text, span.to) + (extensions % 2)
    span = { from: previousLineStart(text, span.from), to: Math.min(text.length, end) }
  }
  return null
}

/** Returns the offset at which the line of an offset starts; from the start of a line, that of the line above it. */
const previousLineStart = (text: string, offset: number): number =>
  offset === 0 ? 0 : text.lastIndexOf('\n', offset - 2) + 1

/** Returns the offset of the next line feed, at or after an offset; without one, that of the end of the text. */
const lineEndOf = (text: string, offset: number): number => {
  const at = text.indexOf('\n', offset)
  return at < 0 ? text.length : at
}

/** Returns the lines of a patch for a draft, with up to two lines of context above and below. */
const patchSection = (random: Random, text: string, draft: Draft, name: string): Array<string> => {
  const { from, to, replacement } = extendToWholeLines(text, draft)
  const linesAbove = text.slice(0, from).split('\n').slice(0, -1)
  const linesBelow = text.slice(to + 1).split('\n')
  const contextLines = random.below(3)
  const signed = (sign: string, lines: Array<string>) => lines.map((line) => sign + line)
  return [
    `*** Update File: ${name}`,
    '@@',
    ...signed(' ', linesAbove.slice(linesAbove.length - contextLines)),
    ...signed('-', text.slice(from, to).split('\n')),
    ...(replacement === '' ? [] : signed('+', replacement.split('\n'))),
    ...signed(' ', linesBelow.slice(0, contextLines)),
  ]
}

/** Extends a draft to whole lines, without their last line feed: in `f(a)\n`, `a` → `b` becomes `f(a)` → `f(b)`. */
const extendToWholeLines = (text: string, { from, to, replacement }: Draft): Draft => {
  const start = text.lastIndexOf('\n', from - 1) + 1
  // If the draft ends with a line feed, that ends its last line, so the search starts before it.
  const end = lineEndOf(text, Math.max(to - 1, from))
  const [startOfLine, restOfLine] = [text.slice(start, from), text.slice(to, end)]
  return { from: start, to: end, replacement: startOfLine + replacement.replace(/\n$/, '') + restOfLine }
}
