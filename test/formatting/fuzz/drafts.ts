/** Draws random changes that a model might make to a text, in a style that a formatter corrects. */
import type { Span } from '../../../src/text/changed-range.ts'
import type { Random } from './random.ts'

export type Draft = Span & { replacement: string }

/** A line feed at the end of the text starts no line. */
export const lineStartsOf = (
  text: string,
): Array<number> => [0, ...Array.from(text.matchAll(/\n(?!$)/g), ({ index }) => index + 1)]

const drawLines = (random: Random, text: string): Span => {
  const starts = lineStartsOf(text)
  const first = random.below(starts.length)
  const from = starts[first]!
  const lines = text.slice(from, starts[first + 1 + random.below(5)])
  return { from, to: from + (random.oneIn(2) ? lines.replace(/\r?\n$/, '') : lines).length }
}

const drawParagraph = (random: Random, text: string): Span => {
  const paragraphs = text.split(/\r?\n\s*\n/).filter((lines) => lines.trim() !== '' && lines.length < 900)
  const paragraph = paragraphs.length > 0 ? random.pick(paragraphs) : text.slice(0, 100)
  const from = text.indexOf(paragraph)
  return { from, to: from + paragraph.length }
}

const drawMatch = (random: Random, text: string, pattern: RegExp): Span | null => {
  const matches = Array.from(
    text.matchAll(pattern),
    ({ 0: { length }, index }) => ({ from: index, to: index + length }),
  )
  return matches.length > 0 ? random.pick(matches) : null
}

/** Draws a word, and up to 29 characters before it in its line. */
const drawWord = (random: Random, text: string): Span | null => {
  const word = drawMatch(random, text, /[\w$]{3,}['"\])}]*/g)
  if (!word) return null
  const lineStart = text.lastIndexOf('\n', word.from) + 1
  return { ...word, from: Math.max(lineStart, word.from - random.below(30)) }
}

// A formatter undoes these replacements.
const UNTIDY: Record<string, [oneIn: number, pattern: RegExp, replacement: string]> = {
  [`'a' → "a"`]: [2, /'([^'"`\n\\]*)'/g, '"$1"'],
  [`"a" → 'a'`]: [6, /"([^'"`\n\\]*)"/g, "'$1'"],
  'a; → a': [2, /;$/gm, ''],
  'a = b → a=b': [3, / = /g, '='],
  'a, b → a,b': [3, /, /g, ','],
  '{ a } → {a}': [4, /\{ (.*) \}/g, '{$1}'],
  'twice the indentation': [4, /^[ \t]+/gm, '$&$&'],
  'no indentation': [5, /^[ \t]+/gm, ''],
  'no line break after an opening bracket or a comma': [6, /([([{,])\n\s*/g, '$1 '],
  'a blank line after each line': [6, /\n/g, '\n\n'],
  '// a → //a': [8, /^(\s*)\/\/ /gm, '$1//'],
  'spaces at the end of each line': [12, /$/gm, '  '],
}

export const untidy = (random: Random, text: string): string => {
  const drawn = Object.values(UNTIDY).filter(([oneIn]) => random.oneIn(oneIn))
  return drawn.reduce((result, [, pattern, replacement]) => result.replace(pattern, replacement), text)
}

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

const drawInsertion = (random: Random, text: string, extension: string): string => {
  if (!random.oneIn(3) || extension === '.json') return random.pick(PIECES[extension] ?? CODE)
  const { from, to } = drawParagraph(random, text)
  return untidy(random, text.slice(from, to))
}

/** A kind of change. Both functions return null if it does not fit the text or the file's extension. */
type Kind = [
  span: (random: Random, text: string) => Span | null,
  replacement: (random: Random, old: string, text: string, extension: string) => string | null,
]

const drawParagraphAndBreaks = (random: Random, text: string): Span => {
  const { from, to } = drawParagraph(random, text)
  const breaksBelow = random.below(3)
  return { from, to: to + breaksBelow }
}

const drawImport = (random: Random, text: string) => drawMatch(random, text, /^import .*$/gm)

const KINDS: Record<string, Kind> = {
  'lines become untidy': [drawLines, untidy],
  'a paragraph becomes untidy': [drawParagraph, untidy],
  'something is inserted before or after lines': [drawLines, (random, old, text, extension) => {
    const gap = random.oneIn(3) ? '\n\n' : '\n'
    const added = drawInsertion(random, text, extension)
    if (random.oneIn(3)) return added + gap + old
    return old.endsWith('\n') ? old + added + gap : old + gap + added
  }],
  'something takes the place of lines': [
    drawLines,
    (random, _, text, extension) => drawInsertion(random, text, extension),
  ],
  'lines are removed': [drawLines, () => ''],
  'a paragraph is removed': [drawParagraphAndBreaks, () => ''],
  'a word becomes longer or shorter, so that lines wrap differently': [drawWord, (random, old) => {
    const suffix = random.pick(['WithALongerName', '_2', 'Or'])
    // `name` becomes `na` or `nameOr`.
    return old.replace(/([\w$]{2})([\w$]+)(?=\W*$)/, random.oneIn(3) ? '$1' : `$1$2${suffix}`)
  }],
  'a copy or a new import is inserted above or below an import': [drawImport, (random, old) => {
    const added = random.pick([old, ...IMPORTS])
    return random.oneIn(2) ? `${old}\n${added}` : `${added}\n${old}`
  }],
  'a line moves below the next lines': [drawLines, (_, old) => old.replace(/^(.*)\n([^]*)$/, '$2\n$1')],
  'a comment is inserted after a word': [drawWord, (random, old, _, extension) => {
    if (['.md', '.json'].includes(extension)) return null
    return old + (random.oneIn(2) || extension === '.css' ? ' /* a remark */' : ' // a remark\n')
  }],
  'blank lines are inserted': [
    drawLines,
    (random, old) => old.replace(/\n/g, random.pick(['\n\n', '\n\n\n'])),
  ],
}

/** Returns null if the drawn kind of change does not fit. */
export const drawDraft = (random: Random, text: string, extension: string): Draft | null => {
  const [drawSpan, replacementOf] = random.pick(Object.values(KINDS))
  const span = drawSpan(random, text)
  const replacement = span && replacementOf(random, text.slice(span.from, span.to), text, extension)
  return span === null || replacement === null ? null : { ...span, replacement }
}
