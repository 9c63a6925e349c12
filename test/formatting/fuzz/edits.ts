/** Edits as models make them: from the text that they believe in, written as no formatter would. */
import { onlyPlaceOf } from '../../../src/steps/realign/bare-text.ts'
import type { Span } from '../../../src/text/changed-range.ts'
import type { Random } from './random.ts'

/** What a call changes, as its arguments say it. */
export type FuzzEdit =
  | { tool: 'write'; content: string }
  | { tool: 'edit'; oldString: string; newString: string; replaceAll?: boolean }
  | { tool: 'apply_patch'; old: Array<string>; now: Array<string>; head: Array<string>; tail: Array<string> }

type Draft = Span & { text: string }

/** How lines are spelt otherwise, in ways that a formatter takes back; one in so many draws does. */
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

const untidy = (random: Random, text: string): string =>
  UNTIDY.reduce(
    (made, [amount, pattern, now]) => random.oneIn(amount) ? made.replace(pattern, now) : made,
    text,
  )

/** Where the lines of a text begin. */
export const lineStartsOf = (text: string): Array<number> => [
  0,
  ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1).filter((at) => at < text.length),
]

/** Some lines in a row, with or without the last line end. */
const linesOf = (random: Random, text: string): Span => {
  const starts = lineStartsOf(text)
  const first = random.below(starts.length)
  const after = Math.min(starts.length, first + 1 + random.below(5))
  const end = starts[after] ?? text.length
  const feed = random.oneIn(2) && text[end - 1] === '\n' ? (text[end - 2] === '\r' ? 2 : 1) : 0
  return { from: starts[first]!, to: end - feed }
}

/** A paragraph: lines between blank ones. */
const paragraphOf = (random: Random, text: string): Span => {
  const all = text.split(/\r?\n\s*\n/).filter((one) => one.trim() !== '' && one.length < 900)
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

type DraftOf = (random: Random, text: string, extension: string) => Draft | null

/** Replaces a drawn place by what is made of its words. */
const replacing = (
  place: (random: Random, text: string) => Span,
  now: (random: Random, old: string, text: string, extension: string) => string,
): DraftOf =>
(random, text, extension) => {
  const { from, to } = place(random, text)
  return { from, to, text: now(random, text.slice(from, to), text, extension) }
}

const DRAFTS: Array<DraftOf> = [
  // lines written differently
  replacing(linesOf, untidy),
  // something inserted next to lines
  replacing(linesOf, (random, old, text, extension) => {
    const gap = random.oneIn(3) ? '\n\n' : '\n'
    const added = inserted(random, text, extension)
    if (random.oneIn(3)) return added + gap + old
    return old.endsWith('\n') ? old + added + gap : old + gap + added
  }),
  // something in the place of lines
  replacing(linesOf, (random, _, text, extension) => inserted(random, text, extension)),
  // lines that go
  replacing(linesOf, () => ''),
  // a removed paragraph, with or without the blank line after it
  (random, text) => {
    const { from, to } = paragraphOf(random, text)
    return { from, to: to + random.below(3), text: '' }
  },
  // a paragraph written differently
  replacing(paragraphOf, untidy),
  // a word that becomes longer or shorter, so that lines wrap differently
  (random, text) => {
    const words = [...text.matchAll(/[\w$]{3,}/g)]
    if (words.length === 0) return null
    const { 0: word, index } = random.pick(words)
    const start = Math.max(text.lastIndexOf('\n', index) + 1, index - random.below(20))
    const now = random.oneIn(3) ? word.slice(0, 2) : `${word}${random.pick(['WithALongerName', '_2', 'Or'])}`
    return { from: start, to: index + word.length, text: text.slice(start, index) + now }
  },
  // an import inserted among others, new or there already
  (random, text) => {
    const imports = [...text.matchAll(/^import .*$/gm)]
    if (imports.length === 0) return null
    const { 0: line, index } = random.pick(imports)
    const added = random.pick([
      'import {zebra} from "zebra"',
      'import * as alpha from "./alpha"',
      random.pick(imports)[0],
      'import type {  Middle  } from "../middle"',
    ])
    const now = random.oneIn(2) ? `${line}\n${added}` : `${added}\n${line}`
    return { from: index, to: index + line.length, text: now }
  },
  // lines moved
  replacing(linesOf, (_, old) => {
    const [first, ...lines] = old.split('\n')
    return [...lines, first].join('\n')
  }),
  // a remark inserted after a word, up to the end of what is replaced
  (random, text, extension) => {
    const words = Array.from(text.matchAll(/[\w$)\]}'"]+/g), ({ 0: word, index }) => index + word.length)
    if (words.length === 0 || ['.md', '.json'].includes(extension)) return null
    const end = random.pick(words)
    const start = Math.max(text.lastIndexOf('\n', end - 1) + 1, end - random.below(40))
    const remark = random.oneIn(2) || extension === '.css' ? ' /* a remark */' : ' // a remark\n'
    return { from: start, to: end, text: text.slice(start, end) + remark }
  },
  // blank lines inserted
  replacing(linesOf, (random, old) => old.replace(/\n/g, random.pick(['\n\n', '\n\n\n']))),
]

/** Takes lines around a draft into it until its old text occurs once; null where that takes too many. */
const untilOnce = (text: string, draft: Draft): Draft | null => {
  let made = draft
  for (let tries = 0; tries < 8; tries += 1) {
    const old = text.slice(made.from, made.to)
    if (old.trim() !== '' && onlyPlaceOf(text, old) >= 0) return made
    const start = made.from === 0 ? 0 : text.lastIndexOf('\n', made.from - 2) + 1
    const feed = text.indexOf('\n', made.to)
    const end = Math.max(made.to, feed < 0 ? text.length : feed + (tries % 2))
    made = { from: start, to: end, text: text.slice(start, made.from) + made.text + text.slice(made.to, end) }
  }
  return null
}

const patchOf = (random: Random, text: string, draft: Draft): FuzzEdit | null => {
  const start = text.lastIndexOf('\n', draft.from - 1) + 1
  const feed = text.indexOf('\n', Math.max(draft.to - 1, draft.from))
  const end = feed < 0 ? text.length : feed
  const old = text.slice(start, end)
  const now = text.slice(start, draft.from) + draft.text.replace(/\n$/, '')
    + text.slice(draft.to, Math.max(draft.to, end))
  const before = text.slice(0, start).split('\n').slice(0, -1)
  const below = text.slice(end + 1).split('\n')
  const context = random.below(3)
  return {
    tool: 'apply_patch',
    head: before.slice(before.length - context),
    old: old.split('\n'),
    now: now === '' ? [] : now.split('\n'),
    tail: below.slice(0, context),
  }
}

/**
 * Draws an edit of a text that the model believes in; null where the draw gives none.
 *
 * @param near a part of the text that the next edit touches, where there is one
 */
export const drawEdit = (
  random: Random,
  text: string,
  extension: string,
  tool: 'edit' | 'apply_patch',
  near: string | null,
): FuzzEdit | null => {
  if (tool === 'edit' && random.oneIn(15)) return { tool: 'write', content: untidy(random, text) }
  if (tool === 'edit' && random.oneIn(25)) {
    const word = /[\w$]{4,}/.exec(text.slice(random.below(text.length)))?.[0]
    return word ? { tool: 'edit', oldString: word, newString: `${word}Renamed`, replaceAll: true } : null
  }
  const at = near ? text.indexOf(near) : -1
  // What was just written, with the lines around it, is what is edited next.
  const starts = lineStartsOf(text)
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset)
  const from = at < 0 ? 0 : starts[Math.max(0, lineAt(at) - random.below(3))]!
  const to = at < 0 ? text.length : starts[lineAt(at + near!.length) + 1 + random.below(3)] ?? text.length
  const drafted = random.pick(DRAFTS)(random, text.slice(from, to), extension)
  if (!drafted) return null
  const end = Math.min(text.length, from + drafted.to)
  const draft = untilOnce(text, { from: from + drafted.from, to: end, text: drafted.text })
  if (!draft) return null
  const oldString = text.slice(draft.from, draft.to)
  if (oldString === draft.text || oldString.trim() === '') return null
  return tool === 'edit' ? { tool, oldString, newString: draft.text } : patchOf(random, text, draft)
}

/** The arguments of an edit's call. */
export const argsOf = (edit: FuzzEdit, filePath: string, name: string): Record<string, unknown> => {
  if (edit.tool === 'write') return { filePath, content: edit.content }
  if (edit.tool === 'edit') {
    const { oldString, newString, replaceAll } = edit
    return { filePath, oldString, newString, ...(replaceAll ? { replaceAll } : {}) }
  }
  const lines = [
    `*** Update File: ${name}`,
    '@@',
    ...edit.head.map((line) => ` ${line}`),
    ...edit.old.map((line) => `-${line}`),
    ...edit.now.map((line) => `+${line}`),
    ...edit.tail.map((line) => ` ${line}`),
  ]
  return { patchText: patchText(lines) }
}

/** The argument of a patch of these lines, and the lines of such an argument. */
export const patchText = (lines: Array<string>): string =>
  ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
export const sectionOf = ({ patchText: text }: Record<string, unknown>): Array<string> =>
  String(text).split('\n').slice(1, -1)
