/** Draws random writes, edits and patches of a file, from the text that the played model expects in it. */
import { extname } from 'node:path'
import { onlyIndexOf } from '../../../src/steps/realign/bare-text.ts'
import type { Span } from '../../../src/text/changed-range.ts'
import { patch } from '../session.ts'
import type { PlayedCall } from './belief.ts'
import { type Draft, drawDraft, lineStartsOf, untidy } from './drafts.ts'
import type { Random } from './random.ts'

type EditedFile = {
  filePath: string
  /** The path relative to the project. */
  name: string
  text: string
  /** A text that an earlier call wrote. */
  recent: string | null
}

type Tool = 'edit' | 'apply_patch'

/** Draws a call of `tool` or a write, or returns null if the drawn change is impossible. */
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

const drawRenaming = (random: Random, { filePath, text }: EditedFile): PlayedCall | null => {
  const oldString = /[\w$]{4,}/.exec(text.slice(random.below(text.length)))?.[0]
  if (oldString === undefined) return null
  const newString = `${oldString}Renamed`
  return { tool: 'edit', args: { filePath, oldString, newString, replaceAll: true } }
}

/** Both tools require an old text that is not blank and occurs once in the file. */
const drawUniqueDraft = (random: Random, { filePath, text, recent }: EditedFile): Draft | null => {
  const { from, to } = drawPart(random, text, recent)
  const inPart = drawDraft(random, text.slice(from, to), extname(filePath))
  return inPart && extendUntilUnique(text, {
    from: from + inPart.from,
    // The removal of a paragraph may extend up to two characters beyond the text.
    to: Math.min(text.length, from + inPart.to),
    replacement: inPart.replacement,
  })
}

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

const extendUntilUnique = (text: string, draft: Draft): Draft | null => {
  let span: Span = draft
  for (let extensions = 0; extensions <= MAX_EXTENSIONS; extensions += 1) {
    const oldText = text.slice(span.from, span.to)
    if (oldText.trim() !== '' && onlyIndexOf(text, oldText) >= 0) {
      const [textAbove, textBelow] = [text.slice(span.from, draft.from), text.slice(draft.to, span.to)]
      return { ...span, replacement: textAbove + draft.replacement + textBelow }
    }
    // The end moves to the end of its line, and then past the line feed: `a|b\nc` → `ab|\nc` → `ab\n|c`.
    const end = lineEndOf(text, span.to) + (extensions % 2)
    span = { from: lineStartBefore(text, span.from), to: Math.min(text.length, end) }
  }
  return null
}

const lineStartBefore = (text: string, offset: number): number =>
  offset === 0 ? 0 : text.lastIndexOf('\n', offset - 2) + 1

const lineEndOf = (text: string, offset: number): number => {
  const at = text.indexOf('\n', offset)
  return at < 0 ? text.length : at
}

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

const extendToWholeLines = (text: string, { from, to, replacement }: Draft): Draft => {
  const start = text.lastIndexOf('\n', from - 1) + 1
  // If the draft ends with a line feed, the search must find that line feed.
  const end = lineEndOf(text, Math.max(to - 1, from))
  const [startOfLine, restOfLine] = [text.slice(start, from), text.slice(to, end)]
  return { from: start, to: end, replacement: startOfLine + replacement.replace(/\n$/, '') + restOfLine }
}
