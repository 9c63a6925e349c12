/** Draws edits as a model makes them: from the text that it believes to be in the file, untidily written. */
import { onlyIndexOf } from '../../../src/steps/realign/bare-text.ts'
import type { Span } from '../../../src/text/changed-range.ts'
import { patch } from '../session.ts'
import type { Random } from './random.ts'

type Draft = Span & { text: string }

/** Replacements that make lines untidy and that a formatter reverts, each applied once in so many draws. */
const UNTIDY: Array<[oneIn: number, pattern: RegExp, now: string]> = [
  [2, /'([^'"`\n\\]*)'/g, '"$1"'],
  [6, /"([^'"`\n\\]*)"/g, "'$1'"],
  [2, /;$/gm, ''],
  [3, / = /g, '='],
  [3, /, /g, ','],
  [4, /\{ (.*) \}/g, '{$1}'],
  [4, /^[ \t]+/gm, '$&$&'],
  [5, /^[ \t]+/gm, ''],
  [6, /([([{,])\n\s*/g, '$1 '],
  [6, /\n/g, '\n\n'],
  [8, /^(\s*)\/\/ /gm, '$1//'],
  [12, /$/gm, '  '],
]

const untidy = (random: Random, text: string): string => {
  const drawn = UNTIDY.filter(([oneIn]) => random.oneIn(oneIn))
  return drawn.reduce((result, [, pattern, replacement]) => result.replace(pattern, replacement), text)
}

/** Returns the offset of each line of a text. */
const lineStartsOf = (text: string): Array<number> => [
  0,
  ...Array.from(text.matchAll(/\n(?!$)/g), ({ index }) => index + 1),
]

/** Draws some adjacent lines, with or without the last line ending. */
const linesOf = (random: Random, text: string): Span => {
  const starts = lineStartsOf(text)
  const first = random.below(starts.length)
  const from = starts[first]!
  const lines = text.slice(from, starts[first + 1 + random.below(5)])
  return { from, to: from + (random.oneIn(2) ? lines.replace(/\r?\n$/, '') : lines).length }
}

/** Draws a paragraph: lines between blank ones. */
const paragraphOf = (random: Random, text: string): Span => {
  const all = text.split(/\r?\n\s*\n/).filter((block) => block.trim() !== '' && block.length < 900)
  const paragraph = all.length > 0 ? random.pick(all) : text.slice(0, 100)
  const from = text.indexOf(paragraph)
  return { from, to: from + paragraph.length }
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
const EXTRA: Record<string, Array<string>> = {
  '.css': ['.added{color:red;margin:0 }', '/* a remark */', 'a:hover{ color:"x" }'],
  '.json': ['"added": {"a":1,"b":[1,2,3]},', '"other":true,'],
  '.md': [
    '* an item',
    'A sentence that says something of no weight, at some length, so that it is wrapped by those who wrap.',
    '## A heading',
    '| a | b |\n|-|-|\n| one | two |',
  ],
}

const inserted = (random: Random, text: string, extension: string): string => {
  if (!random.oneIn(3) || extension === '.json') return random.pick(EXTRA[extension] ?? CODE)
  const { from, to } = paragraphOf(random, text)
  return untidy(random, text.slice(from, to))
}

type SpanOf = (random: Random, text: string) => Span | null
type TextOf = (random: Random, old: string, text: string, extension: string) => string | null

const matchOf = (random: Random, text: string, pattern: RegExp): Span | null => {
  const matches = [...text.matchAll(pattern)]
  if (matches.length === 0) return null
  const { 0: match, index } = random.pick(matches)
  return { from: index, to: index + match.length }
}

/** Draws a word with the brackets and quotes after it, and with some characters before it on its line. */
const wordOf: SpanOf = (random, text) => {
  const word = matchOf(random, text, /[\w$]{3,}['"\])}]*/g)
  if (!word) return null
  const lineStart = text.lastIndexOf('\n', word.from) + 1
  return { ...word, from: Math.max(lineStart, word.from - random.below(30)) }
}

const importOf: SpanOf = (random, text) => matchOf(random, text, /^import .*$/gm)

/** The changes that a model makes: functions that draw the span to replace, and the new text. */
const DRAFTS: Array<[place: SpanOf, now: TextOf]> = [
  // lines or a paragraph written differently
  [linesOf, untidy],
  [paragraphOf, untidy],
  // something inserted next to lines
  [linesOf, (random, old, text, extension) => {
    const gap = random.oneIn(3) ? '\n\n' : '\n'
    const added = inserted(random, text, extension)
    if (random.oneIn(3)) return added + gap + old
    return old.endsWith('\n') ? old + added + gap : old + gap + added
  }],
  // something in the place of lines
  [linesOf, (random, _, text, extension) => inserted(random, text, extension)],
  // removed lines, or a paragraph with or without the blank line after it
  [linesOf, () => ''],
  [(random, text) => {
    const { from, to } = paragraphOf(random, text)
    return { from, to: to + random.below(3) }
  }, () => ''],
  // a word that becomes longer or shorter, so that lines wrap differently
  [wordOf, (random, old) => {
    const longer = random.pick(['WithALongerName', '_2', 'Or'])
    return old.replace(/([\w$]{2})([\w$]+)(?=\W*$)/, random.oneIn(3) ? '$1' : `$1$2${longer}`)
  }],
  // a new or repeated import next to another one
  [importOf, (random, old) => {
    const added = random.pick([old, ...IMPORTS])
    return random.oneIn(2) ? `${old}\n${added}` : `${added}\n${old}`
  }],
  // moved lines
  [linesOf, (_, old) => old.replace(/^(.*)\n([^]*)$/, '$2\n$1')],
  // a comment after a word, at the end of what is replaced
  [wordOf, (random, old, _, extension) => {
    if (['.md', '.json'].includes(extension)) return null
    return old + (random.oneIn(2) || extension === '.css' ? ' /* a remark */' : ' // a remark\n')
  }],
  // inserted blank lines
  [linesOf, (random, old) => old.replace(/\n/g, random.pick(['\n\n', '\n\n\n']))],
]

const draftIn = (random: Random, text: string, extension: string): Draft | null => {
  const [spanOf, textOf] = random.pick(DRAFTS)
  const span = spanOf(random, text)
  const replacement = span && textOf(random, text.slice(span.from, span.to), text, extension)
  return replacement === null ? null : { ...span!, text: replacement }
}

/** Extends a draft by the lines around it until its old text occurs once; returns null if that takes too many. */
const untilOnce = (text: string, draft: Draft): Draft | null => {
  let { from, to } = draft
  for (let tries = 0; tries < 8; tries += 1) {
    const old = text.slice(from, to)
    if (old.trim() !== '' && onlyIndexOf(text, old) >= 0) {
      return { from, to, text: text.slice(from, draft.from) + draft.text + text.slice(draft.to, to) }
    }
    from = from === 0 ? 0 : text.lastIndexOf('\n', from - 2) + 1
    const lineEnd = text.indexOf('\n', to)
    to = Math.max(to, lineEnd < 0 ? text.length : lineEnd + (tries % 2))
  }
  return null
}

/** Returns the section of a patch for one file. */
const sectionOf = (random: Random, text: string, draft: Draft, name: string): Array<string> => {
  const start = text.lastIndexOf('\n', draft.from - 1) + 1
  const lineEnd = text.indexOf('\n', Math.max(draft.to - 1, draft.from))
  const end = lineEnd < 0 ? text.length : lineEnd
  const replacement = text.slice(start, draft.from) + draft.text.replace(/\n$/, '')
    + text.slice(draft.to, Math.max(draft.to, end))
  const before = text.slice(0, start).split('\n').slice(0, -1)
  const context = random.below(3)
  const signed = (sign: string, lines: Array<string>) => lines.map((line) => sign + line)
  return [
    `*** Update File: ${name}`,
    '@@',
    ...signed(' ', before.slice(before.length - context)),
    ...signed('-', text.slice(start, end).split('\n')),
    ...(replacement === '' ? [] : signed('+', replacement.split('\n'))),
    ...signed(' ', text.slice(end + 1).split('\n').slice(0, context)),
  ]
}

/** Draws the text that was just written and some lines next to it; the whole text if there is none. */
const aroundRecent = (random: Random, text: string, recent: string | null): Span => {
  const at = recent ? text.indexOf(recent) : -1
  if (at < 0) return { from: 0, to: text.length }
  const starts = lineStartsOf(text)
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset)
  const from = starts[Math.max(0, lineAt(at) - random.below(3))]!
  const to = starts[lineAt(at + recent!.length) + 1 + random.below(3)]
  return { from, to: to ?? text.length }
}

/** A file as the model edits it: its path and its name in patches, what the model believes, and what it wrote last. */
type EditedFile = {
  filePath: string
  name: string
  text: string
  extension: string
  recent: string | null
}

/** Draws a call that edits a file; returns null if the drawn edit is impossible. */
export const drawEdit = (
  random: Random,
  { filePath, name, text, extension, recent }: EditedFile,
  tool: 'edit' | 'apply_patch',
): { tool: string; args: Record<string, unknown> } | null => {
  if (tool === 'edit' && random.oneIn(15)) {
    return { tool: 'write', args: { filePath, content: untidy(random, text) } }
  }
  if (tool === 'edit' && random.oneIn(25)) {
    const oldString = /[\w$]{4,}/.exec(text.slice(random.below(text.length)))?.[0]
    return oldString === undefined
      ? null
      : { tool, args: { filePath, oldString, newString: `${oldString}Renamed`, replaceAll: true } }
  }
  const { from, to } = aroundRecent(random, text, recent)
  const drafted = draftIn(random, text.slice(from, to), extension)
  if (!drafted) return null
  const end = Math.min(text.length, from + drafted.to)
  const draft = untilOnce(text, { from: from + drafted.from, to: end, text: drafted.text })
  if (!draft) return null
  const oldString = text.slice(draft.from, draft.to)
  if (oldString === draft.text || oldString.trim() === '') return null
  return tool === 'edit'
    ? { tool, args: { filePath, oldString, newString: draft.text } }
    : patch(...sectionOf(random, text, draft, name))
}
