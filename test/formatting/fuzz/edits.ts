/** Draws random calls: writes, edits and patches, based on what the model believes that a file contains. */
import { extname } from 'node:path'
import { onlyIndexOf } from '../../../src/steps/realign/bare-text.ts'
import type { Span } from '../../../src/text/changed-range.ts'
import { patch } from '../session.ts'
import type { PlayedCall } from './belief.ts'
import { type Draft, drawDraft, lineStartsOf, untidy } from './drafts.ts'
import type { Random } from './random.ts'

/** A file before the change. */
type EditedFile = {
  filePath: string
  /** The file's name in patches. */
  name: string
  /** What the model believes the file contains. */
  text: string
  /** A text that a call wrote just before, near which the change is; null if the change may be anywhere. */
  recent: string | null
}

/** Draws a call that changes a file; returns null if the drawn change is impossible. */
export const drawEdit = (
  random: Random,
  file: EditedFile,
  tool: 'edit' | 'apply_patch',
): PlayedCall | null => {
  const { filePath, name, text } = file
  if (tool === 'edit' && random.oneIn(15)) {
    return { tool: 'write', args: { filePath, content: untidy(random, text) } }
  }
  if (tool === 'edit' && random.oneIn(25)) return drawRenaming(random, file)
  const draft = drawUniqueDraft(random, file)
  if (!draft) return null
  const oldString = text.slice(draft.from, draft.to)
  if (oldString === draft.replacement) return null
  return tool === 'edit'
    ? { tool, args: { filePath, oldString, newString: draft.replacement } }
    : patch(...sectionOf(random, text, draft, name))
}

/** Draws an edit that appends `Renamed` to a word wherever it occurs. The word may be the end of a longer one. */
const drawRenaming = (random: Random, { filePath, text }: EditedFile): PlayedCall | null => {
  const oldString = /[\w$]{4,}/.exec(text.slice(random.below(text.length)))?.[0]
  if (oldString === undefined) return null
  const newString = `${oldString}Renamed`
  return { tool: 'edit', args: { filePath, oldString, newString, replaceAll: true } }
}

/** Draws a change whose old text is not blank and occurs once in the file, as the tools require. */
const drawUniqueDraft = (random: Random, { filePath, text, recent }: EditedFile): Draft | null => {
  const { from, to } = drawPart(random, text, recent)
  const inPart = drawDraft(random, text.slice(from, to), extname(filePath))
  return inPart && extendUntilUnique(text, {
    from: from + inPart.from,
    to: Math.min(text.length, from + inPart.to),
    replacement: inPart.replacement,
  })
}

/** Draws the part to change: `recent`, with up to two lines above and below; all of `text` if that lacks `recent`. */
const drawPart = (random: Random, text: string, recent: string | null): Span => {
  const at = recent ? text.indexOf(recent) : -1
  if (at < 0) return { from: 0, to: text.length }
  const starts = lineStartsOf(text)
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset)
  const from = starts[Math.max(0, lineAt(at) - random.below(3))]!
  const to = starts[lineAt(at + recent!.length) + 1 + random.below(3)]
  return { from, to: to ?? text.length }
}

const MAX_EXTENSIONS = 7

/** Extends a draft by lines around it until its old text is not blank and occurs once; null if it never does. */
const extendUntilUnique = (text: string, draft: Draft): Draft | null => {
  let span: Span = draft
  for (let extensions = 0; extensions <= MAX_EXTENSIONS; extensions += 1) {
    const old = text.slice(span.from, span.to)
    if (old.trim() !== '' && onlyIndexOf(text, old) >= 0) {
      const [above, below] = [text.slice(span.from, draft.from), text.slice(draft.to, span.to)]
      return { ...span, replacement: above + draft.replacement + below }
    }
    // Every second extension also includes the line feed, so that the next one begins on the line below.
    span = extend(text, span, extensions % 2 === 1)
  }
  return null
}

/** Extends a span up to the start of its line or, if it starts a line, of the line above; and down to a line end. */
const extend = (text: string, { from, to }: Span, withLineFeed: boolean): Span => {
  const lineEnd = text.indexOf('\n', to)
  return {
    from: from === 0 ? 0 : text.lastIndexOf('\n', from - 2) + 1,
    to: lineEnd < 0 ? text.length : lineEnd + (withLineFeed ? 1 : 0),
  }
}

/** Creates the section of a patch that makes a change, with up to two context lines above and below. */
const sectionOf = (random: Random, text: string, draft: Draft, name: string): Array<string> => {
  // A patch replaces whole lines: from the start of the draft's first line to the end of its last one.
  const start = text.lastIndexOf('\n', draft.from - 1) + 1
  const lineEnd = text.indexOf('\n', Math.max(draft.to - 1, draft.from))
  const end = lineEnd < 0 ? text.length : lineEnd
  const startOfFirstLine = text.slice(start, draft.from)
  const restOfLastLine = text.slice(draft.to, end)
  const added = startOfFirstLine + draft.replacement.replace(/\n$/, '') + restOfLastLine
  const linesAbove = text.slice(0, start).split('\n').slice(0, -1)
  const linesBelow = text.slice(end + 1).split('\n')
  const context = random.below(3)
  const signed = (sign: string, lines: Array<string>) => lines.map((line) => sign + line)
  return [
    `*** Update File: ${name}`,
    '@@',
    ...signed(' ', linesAbove.slice(linesAbove.length - context)),
    ...signed('-', text.slice(start, end).split('\n')),
    ...(added === '' ? [] : signed('+', added.split('\n'))),
    ...signed(' ', linesBelow.slice(0, context)),
  ]
}
