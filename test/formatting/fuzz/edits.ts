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
  name: string
  text: string
  /** A text that an earlier call wrote: the change is in or next to it. If null or not in `text`: anywhere. */
  recent: string | null
}

type Tool = 'edit' | 'apply_patch'

/** Draws a call that changes a file: `tool` or, instead of some edits, `write`. Null: the change is impossible. */
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

/** Draws a change whose old text is not blank and occurs once in the file, as both tools require. */
const drawUniqueDraft = (random: Random, { filePath, text, recent }: EditedFile): Draft | null => {
  const { from, to } = drawPart(random, text, recent)
  const inPart = drawDraft(random, text.slice(from, to), extname(filePath))
  return inPart && extendUntilUnique(text, {
    from: from + inPart.from,
    // A removed paragraph may end up to two characters after the part.
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

/** Adds lines above and below to a draft until its old text occurs once; null if it is never unique. */
const extendUntilUnique = (text: string, draft: Draft): Draft | null => {
  let span: Span = draft
  for (let extensions = 0; extensions <= MAX_EXTENSIONS; extensions += 1) {
    const oldText = text.slice(span.from, span.to)
    if (oldText.trim() !== '' && onlyIndexOf(text, oldText) >= 0) {
      const [textAbove, textBelow] = [text.slice(span.from, draft.from), text.slice(draft.to, span.to)]
      return { ...span, replacement: textAbove + draft.replacement + textBelow }
    }
    const lineEnd = text.indexOf('\n', span.to)
    // The span's end moves by turns to the end of a line and past its line feed.
    const withLineFeed = extensions % 2 === 1
    span = {
      from: previousLineStart(text, span.from),
      to: lineEnd < 0 ? text.length : lineEnd + (withLineFeed ? 1 : 0),
    }
  }
  return null
}

const previousLineStart = (text: string, offset: number): number =>
  offset === 0 ? 0 : text.lastIndexOf('\n', offset - 2) + 1

/** Returns the lines of a patch for a draft, with up to two lines of context above and below. */
const patchSection = (random: Random, text: string, draft: Draft, name: string): Array<string> => {
  // A patch replaces whole lines, so the draft is extended to the start of its first line and the end of its last one.
  const start = text.lastIndexOf('\n', draft.from - 1) + 1
  // The search starts before `to`, because a line feed at the end of the draft ends its last line.
  const lineEnd = text.indexOf('\n', Math.max(draft.to - 1, draft.from))
  const end = lineEnd < 0 ? text.length : lineEnd
  const startOfFirstLine = text.slice(start, draft.from)
  const restOfLastLine = text.slice(draft.to, end)
  const added = startOfFirstLine + draft.replacement.replace(/\n$/, '') + restOfLastLine
  const linesAbove = text.slice(0, start).split('\n').slice(0, -1)
  const linesBelow = text.slice(end + 1).split('\n')
  const contextLines = random.below(3)
  const signed = (sign: string, lines: Array<string>) => lines.map((line) => sign + line)
  return [
    `*** Update File: ${name}`,
    '@@',
    ...signed(' ', linesAbove.slice(linesAbove.length - contextLines)),
    ...signed('-', text.slice(start, end).split('\n')),
    ...(added === '' ? [] : signed('+', added.split('\n'))),
    ...signed(' ', linesBelow.slice(0, contextLines)),
  ]
}
