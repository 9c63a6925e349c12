/**
 * Draws random edits such as a model makes: of the text that it believes the file contains, and written so that a
 * formatter changes them.
 */
import { onlyIndexOf } from '../../../src/steps/realign/bare-text.ts'
import type { Span } from '../../../src/text/changed-range.ts'
import { patch } from '../session.ts'
import type { Random } from './random.ts'

/** An edit of a text: the span to replace, and what replaces it. */
type Draft = Span & { replacement: string }

/** Replacements that make lines untidy. Each is applied in one of `oneIn` cases. */
const UNTIDY: Array<[oneIn: number, pattern: RegExp, replacement: string]> = [
  [2, /'([^'"`\n\\]*)'/g, '"$1"'],
  [6, /"([^'"`\n\\]*)"/g, "'$1'"],
  [2, /;$/gm, ''],
  [3, / = /g, '='],
  [3, /, /g, ','],
  [4, /\{ (.*) \}/g, '{$1}'],
  [4, /^[ \t]+/gm, '$&$&'],
  [5, /^[ \t]+/gm, ''],
  // Joins lines after an opening bracket or a comma.
  [6, /([([{,])\n\s*/g, '$1 '],
  [6, /\n/g, '\n\n'],
  [8, /^(\s*)\/\/ /gm, '$1//'],
  [12, /$/gm, '  '],
]

const untidy = (random: Random, text: string): string => {
  const drawn = UNTIDY.filter(([oneIn]) => random.oneIn(oneIn))
  return drawn.reduce((result, [, pattern, replacement]) => result.replace(pattern, replacement), text)
}

/** Returns the offset of the start of each line of a text. A line feed at its end starts no line. */
const lineStartsOf = (text: string): Array<number> => [
  0,
  ...Array.from(text.matchAll(/\n(?!$)/g), ({ index }) => index + 1),
]

/** Draws one to five adjacent lines, with or without the last line ending. */
const drawLines = (random: Random, text: string): Span => {
  const starts = lineStartsOf(text)
  const first = random.below(starts.length)
  const from = starts[first]!
  const lines = text.slice(from, starts[first + 1 + random.below(5)])
  return { from, to: from + (random.oneIn(2) ? lines.replace(/\r?\n$/, '') : lines).length }
}

/** Draws a paragraph: lines between blank ones. If every paragraph is long, returns the start of the text. */
const drawParagraph = (random: Random, text: string): Span => {
  const blocks = text.split(/\r?\n\s*\n/).filter((block) => block.trim() !== '' && block.length < 900)
  const paragraph = blocks.length > 0 ? random.pick(blocks) : text.slice(0, 100)
  const from = text.indexOf(paragraph)
  return { from, to: from + paragraph.length }
}

/** New pieces to insert, by extension; files with other extensions get the pieces of `CODE`. */
const PIECES: Record<string, Array<string>> = {
  '.css': ['.added{color:red;margin:0 }', '/* a remark */', 'a:hover{ color:"x" }'],
  '.json': ['"added": {"a":1,"b":[1,2,3]},', '"other":true,'],
  '.md': [
    '* an item',
    'A sentence that says something of no weight, at some length, so that it is wrapped by those who wrap.',
    '## A heading',
    '| a | b |\n|-|-|\n| one | two |',
  ],
}
const CODE = [
  "const added = {one:1,two:'2'}",
  'if(added) { call(added,"b") }',
  'added.push( "a long word", "another long word", "and a third one", { key: `value` } )',
  'function added(a,b){return a+b}',
  '// a remark that a person left there',
  'export const later=(x)=>{return x||null}',
  '/* a block */ let v = (a);',
]
const IMPORTS = [
  'import {zebra} from "zebra"',
  'import * as alpha from "./alpha"',
  'import type {  Middle  } from "../middle"',
]

/** Draws something to insert: a new piece, or a paragraph of the text, written differently. */
const drawInsertion = (random: Random, text: string, extension: string): string => {
  if (!random.oneIn(3) || extension === '.json') return random.pick(PIECES[extension] ?? CODE)
  const { from, to } = drawParagraph(random, text)
  return untidy(random, text.slice(from, to))
}

const drawMatch = (random: Random, text: string, pattern: RegExp): Span | null => {
  const matches = [...text.matchAll(pattern)]
  if (matches.length === 0) return null
  const { 0: match, index } = random.pick(matches)
  return { from: index, to: index + match.length }
}

/** Draws a word with the brackets and quotes after it, and with some characters before it on its line. */
const drawWord = (random: Random, text: string): Span | null => {
  const word = drawMatch(random, text, /[\w$]{3,}['"\])}]*/g)
  if (!word) return null
  const lineStart = text.lastIndexOf('\n', word.from) + 1
  return { ...word, from: Math.max(lineStart, word.from - random.below(30)) }
}

const drawImport = (random: Random, text: string): Span | null => drawMatch(random, text, /^import .*$/gm)

/** Draws the span that is replaced; returns null if the text has no place for this kind of change. */
type DrawSpan = (random: Random, text: string) => Span | null
/** Draws what replaces `old`, a span of `text`; returns null if this kind of change does not fit the extension. */
type DrawReplacement = (random: Random, old: string, text: string, extension: string) => string | null

/** The kinds of changes that a model makes. */
const CHANGES: Array<[drawSpan: DrawSpan, drawReplacement: DrawReplacement]> = [
  // lines or a paragraph written differently
  [drawLines, untidy],
  [drawParagraph, untidy],
  // something inserted next to lines
  [drawLines, (random, old, text, extension) => {
    const gap = random.oneIn(3) ? '\n\n' : '\n'
    const added = drawInsertion(random, text, extension)
    if (random.oneIn(3)) return added + gap + old
    return old.endsWith('\n') ? old + added + gap : old + gap + added
  }],
  // something in the place of lines
  [drawLines, (random, _, text, extension) => drawInsertion(random, text, extension)],
  // removed lines, or a paragraph with or without the blank line after it
  [drawLines, () => ''],
  [(random, text) => {
    const { from, to } = drawParagraph(random, text)
    return { from, to: to + random.below(3) }
  }, () => ''],
  // a word that becomes longer or shorter, so that lines wrap differently
  [drawWord, (random, old) => {
    const longer = random.pick(['WithALongerName', '_2', 'Or'])
    return old.replace(/([\w$]{2})([\w$]+)(?=\W*$)/, random.oneIn(3) ? '$1' : `$1$2${longer}`)
  }],
  // a new or repeated import next to another one
  [drawImport, (random, old) => {
    const added = random.pick([old, ...IMPORTS])
    return random.oneIn(2) ? `${old}\n${added}` : `${added}\n${old}`
  }],
  // a first line that is moved below the others
  [drawLines, (_, old) => old.replace(/^(.*)\n([^]*)$/, '$2\n$1')],
  // a comment after a word, at the end of what is replaced
  [drawWord, (random, old, _, extension) => {
    if (['.md', '.json'].includes(extension)) return null
    return old + (random.oneIn(2) || extension === '.css' ? ' /* a remark */' : ' // a remark\n')
  }],
  // inserted blank lines
  [drawLines, (random, old) => old.replace(/\n/g, random.pick(['\n\n', '\n\n\n']))],
]

const drawDraft = (random: Random, text: string, extension: string): Draft | null => {
  const [drawSpan, drawReplacement] = random.pick(CHANGES)
  const span = drawSpan(random, text)
  if (span === null) return null
  const replacement = drawReplacement(random, text.slice(span.from, span.to), text, extension)
  return replacement === null ? null : { ...span, replacement }
}

/** Extends a draft by the lines around it until its old text occurs once; returns null if that takes too many. */
const extendUntilUnique = (text: string, draft: Draft): Draft | null => {
  let { from, to } = draft
  for (let tries = 0; tries < 8; tries += 1) {
    const old = text.slice(from, to)
    if (old.trim() !== '' && onlyIndexOf(text, old) >= 0) {
      const replacement = text.slice(from, draft.from) + draft.replacement + text.slice(draft.to, to)
      return { from, to, replacement }
    }
    from = from === 0 ? 0 : text.lastIndexOf('\n', from - 2) + 1
    const lineEnd = text.indexOf('\n', to)
    // Every second extension includes the line feed at its end.
    to = Math.max(to, lineEnd < 0 ? text.length : lineEnd + (tries % 2))
  }
  return null
}

/** Creates the section of a patch that makes an edit, with up to two context lines above and below. */
const sectionOf = (random: Random, text: string, draft: Draft, name: string): Array<string> => {
  // A patch replaces whole lines: from the start of the draft's first line to the end of its last one.
  const start = text.lastIndexOf('\n', draft.from - 1) + 1
  const lineEnd = text.indexOf('\n', Math.max(draft.to - 1, draft.from))
  const end = lineEnd < 0 ? text.length : lineEnd
  const restOfLastLine = text.slice(draft.to, Math.max(draft.to, end))
  const added = text.slice(start, draft.from) + draft.replacement.replace(/\n$/, '') + restOfLastLine
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

/** Returns the lines of a recent text, and a drawn number of lines around it; the whole text if it is not in there. */
const drawAroundRecent = (random: Random, text: string, recent: string | null): Span => {
  const at = recent ? text.indexOf(recent) : -1
  if (at < 0) return { from: 0, to: text.length }
  const starts = lineStartsOf(text)
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset)
  const from = starts[Math.max(0, lineAt(at) - random.below(3))]!
  const to = starts[lineAt(at + recent!.length) + 1 + random.below(3)]
  return { from, to: to ?? text.length }
}

/** A file as the model edits it. */
type EditedFile = {
  filePath: string
  /** The file's name in patches. */
  name: string
  extension: string
  /** What the model believes the file contains. */
  text: string
  /** A text that a call wrote just before: the edit is near it. Null: the edit is anywhere. */
  recent: string | null
}

type DrawnCall = { tool: string; args: Record<string, unknown> }

const drawRewrite = (random: Random, { filePath, text }: EditedFile): DrawnCall => ({
  tool: 'write',
  args: { filePath, content: untidy(random, text) },
})

/** Draws an edit that adds a suffix to a word, or to the end of one, wherever it occurs. */
const drawRenaming = (random: Random, { filePath, text }: EditedFile): DrawnCall | null => {
  const oldString = /[\w$]{4,}/.exec(text.slice(random.below(text.length)))?.[0]
  if (oldString === undefined) return null
  const newString = `${oldString}Renamed`
  return { tool: 'edit', args: { filePath, oldString, newString, replaceAll: true } }
}

/** Draws a call that changes a file; returns null if the drawn change is impossible. */
export const drawEdit = (
  random: Random,
  file: EditedFile,
  tool: 'edit' | 'apply_patch',
): DrawnCall | null => {
  if (tool === 'edit' && random.oneIn(15)) return drawRewrite(random, file)
  if (tool === 'edit' && random.oneIn(25)) return drawRenaming(random, file)
  const { filePath, name, text, extension, recent } = file
  const { from, to } = drawAroundRecent(random, text, recent)
  const drafted = drawDraft(random, text.slice(from, to), extension)
  if (!drafted) return null
  const draft = extendUntilUnique(text, {
    from: from + drafted.from,
    to: Math.min(text.length, from + drafted.to),
    replacement: drafted.replacement,
  })
  if (!draft) return null
  const oldString = text.slice(draft.from, draft.to)
  if (oldString === draft.replacement || oldString.trim() === '') return null
  return tool === 'edit'
    ? { tool, args: { filePath, oldString, newString: draft.replacement } }
    : patch(...sectionOf(random, text, draft, name))
}
