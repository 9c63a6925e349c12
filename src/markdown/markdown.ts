/**
 * The forms of Markdown that are no rule: code blocks, tables, links and headings, and the names in backticks.
 *
 * It is a scanner for these few forms. The whole parsers are too slow on hostile text: measured on 400 kB, `marked` took
 * 20 s and ran out of stack on nested quotes; `mdast-util-from-markdown` reads 0.1 MB a second, and would be a fifth of
 * the bundle.
 */
import { linesOf } from '../text/line-ending.ts'

// `line` is the number of the line that a form starts on, counted from 1.
type CodeBlock = { line: number; lines: Array<string> }
type Table = { line: number; rows: Array<string> }
type Link = { line: number; target: string }
type Heading = { line: number; text: string }

/** What stands in backticks within a paragraph. */
export type CodeSpan = { line: number; text: string }

/** The forms in a text, each kind in the order of the lines. */
export type MarkdownForms = {
  codeBlocks: Array<CodeBlock>
  tables: Array<Table>
  links: Array<Link>
  headings: Array<Heading>
  codeSpans: Array<CodeSpan>
}

// The marks of a list or a quotation, which may come before a fence.
const CONTAINER = /^(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*/
// A quotation's marks, or blanks.
const QUOTATION = /^[ \t>]+/
// CommonMark: a bullet or a number, with a blank behind it; quotation marks may stand before it.
const LIST_ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/
// CommonMark: four blanks or a tab, where it is no part of a list.
const INDENTED = /^(?: {4}|\t)/
// CommonMark: three backticks, with none in the words behind them, or three tildes.
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/
// CommonMark: one to six `#` and a blank.
const HEADING = /^#{1,6}[ \t]+/
// CommonMark: a line of `=` or `-` makes a heading of the line above it.
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/
// GitHub's tables: a cell of the row under the heads, with a colon at the side to which the column is aligned.
const DELIMITER_CELL = /^:?-+:?$/

/** Cuts a line of a table into its cells, without the pipes at its ends. */
const cellsOf = (line: string): Array<string> => {
  const cells = line.trim().split('|').map((cell) => cell.trim())
  if (cells[0] === '') cells.shift()
  if (cells.at(-1) === '') cells.pop()
  return cells
}

const isDelimiterRow = (line = ''): boolean => {
  if (!line.includes('|') || !line.includes('-')) return false
  const cells = cellsOf(line.replace(QUOTATION, ''))
  return cells.length > 0 && cells.every((cell) => DELIMITER_CELL.test(cell))
}

/**
 * Finds the code spans of a paragraph: a run of backticks opens one, and the next run of the same length closes it.
 *
 * @param line the number of its first line
 */
const codeSpansOf = (text: string, line: number): Array<CodeSpan> => {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ index, length: run.length }))
  const lastOfLength = new Map(runs.map(({ length }, at) => [length, at]))
  const spans: Array<CodeSpan> = []
  let lineEnd = text.indexOf('\n')
  for (let at = 0; at < runs.length; at++) {
    const open = runs[at]!
    // To search the rest of the line for each run that nothing closes would take quadratic time.
    if ((lastOfLength.get(open.length) ?? at) <= at) continue
    for (; lineEnd >= 0 && lineEnd < open.index; lineEnd = text.indexOf('\n', lineEnd + 1)) line++
    let end = at + 1
    while (runs[end]!.length !== open.length) end++
    const close = runs[end]!
    const inner = text.slice(open.index + open.length, close.index).replaceAll('\n', ' ').trim()
    if (inner !== '') spans.push({ line, text: inner })
    at = end
  }
  return spans
}

// CommonMark's links, from the bracket before the target on: `](target`, `[name]: target`; and a bare address. One pair
// of parentheses may stand in it: `https://x.dev/a_(b)`.
const LINK =
  /\]\((?:<[^<>]*|(?:[^\s()<]|\([^\s()]*\))+)|^ {0,3}\[[^\][]+\]:[ \t]+(?:<[^<>]*|\S+)|https?:\/\/(?:[^\s<>()\]"'`]|\([^\s()]*\))+/g

/** Finds the targets of `[text](target)`, `[name]: target` and `<https://…>`, and bare addresses. */
const linksOf = (text: string, line: number): Array<Link> => {
  const links: Array<Link> = []
  for (const { 0: found } of text.matchAll(LINK)) {
    const target = found.replace(/^(?:\]\(| {0,3}\[[^\][]+\]:[ \t]+)<?/, '')
    const previous = links.at(-1)?.target
    // `[https://x](https://x)` is one link.
    if (previous !== target && target !== '') links.push({ line, target })
  }
  return links
}

/**
 * Reads the forms of a Markdown text, in time linear in its length.
 *
 * @param firstLine the number of its first line, where the text does not begin its file
 */
export const readMarkdown = (text: string, firstLine = 1): MarkdownForms => {
  const forms: MarkdownForms = { codeBlocks: [], tables: [], links: [], headings: [], codeSpans: [] }
  const lines = linesOf(text)
  let isInList = false
  for (let index = 0, end: number; index < lines.length; index = end) {
    const line = firstLine + index
    const kind = blockAt(lines, index, isInList)
    end = endOfBlock(lines, index, kind)
    const block = lines.slice(index, end)
    if (kind === 'paragraph') isInList = LIST_ITEM.test(block[0]!) || (isInList && /^\s/.test(block[0]!))
    if (kind === 'fenced code' || kind === 'indented code') {
      const isFenced = kind === 'fenced code'
      forms.codeBlocks.push({ line, lines: isFenced ? withoutFences(block) : block })
    } else if (kind === 'table') {
      const rows = block.map((row) => row.replace(QUOTATION, '').trim())
      forms.tables.push({ line, rows: [rows[0]!, ...rows.slice(2)] })
      block.forEach((row, at) => readInline(forms, [row], line + at))
    } else if (kind === 'heading') {
      forms.headings.push({ line, text: headingAt(lines, index)! })
      readInline(forms, block, line)
      isInList = false
    } else if (kind === 'paragraph') readInline(forms, block, line)
  }
  return forms
}

type Block = 'blank' | 'fenced code' | 'indented code' | 'table' | 'heading' | 'paragraph'

const withoutContainer = (line: string): string => line.replace(CONTAINER, '')

const fenceAt = (line: string): string | undefined => FENCE.exec(withoutContainer(line))?.[0]

/** Tells what begins on a line; `isInList` where an indented line goes on with an item of a list. */
const blockAt = (lines: Array<string>, index: number, isInList: boolean): Block => {
  const line = lines[index]!
  if (line.replace(QUOTATION, '') === '') return 'blank'
  if (INDENTED.test(line) && !isInList) return 'indented code'
  if (fenceAt(line) !== undefined) return 'fenced code'
  if (headingAt(lines, index) !== undefined) return 'heading'
  return line.includes('|') && isDelimiterRow(lines[index + 1]) ? 'table' : 'paragraph'
}

/** Gives the index behind the last line of a block. */
const endOfBlock = (lines: Array<string>, index: number, kind: Block): number => {
  if (kind === 'fenced code') return closingFence(lines, index + 1, fenceAt(lines[index]!)!)
  let end = index + 1
  if (kind === 'table') { while (end < lines.length && lines[end]!.includes('|')) end++ }
  if (kind === 'indented code') { while (end < lines.length && INDENTED.test(lines[end]!)) end++ }
  if (kind === 'paragraph') {
    // Indented lines are no code where they go on with a paragraph.
    while (end < lines.length && !LIST_ITEM.test(lines[end]!) && blockAt(lines, end, true) === 'paragraph') {
      end++
    }
  }
  return end
}

const withoutFences = (block: Array<string>): Array<string> => {
  const isClosed = block.length > 1 && closesFence(block.at(-1)!, fenceAt(block[0]!)!)
  return block.slice(1, isClosed ? -1 : undefined)
}

/** Reads the heading on a line: behind `#`, or with a line of `=` or `-` under it. */
const headingAt = (lines: Array<string>, index: number): string | undefined => {
  const bare = withoutContainer(lines[index]!)
  const mark = HEADING.exec(bare)?.[0]
  if (mark !== undefined) return bare.slice(mark.length).replace(/#+$/, '').trim()
  return isUnderlined(lines, index) ? bare.trim() : undefined
}

const isUnderlined = (lines: Array<string>, index: number): boolean => {
  const text = lines[index]!
  const standsAlone = (lines[index - 1] ?? '').trim() === '' && text.trim() !== ''
  return standsAlone && UNDERLINE.test(lines[index + 1] ?? '') && !UNDERLINE.test(text)
    && text.replace(CONTAINER, '') === text
}

const closesFence = (line: string, fence: string): boolean => {
  const bare = withoutContainer(line).trimEnd()
  return bare.length >= fence.length && bare === fence[0]!.repeat(bare.length)
}

/** Gives the index behind the line that closes a fence; a fence that nothing closes ends with the text. */
const closingFence = (lines: Array<string>, from: number, fence: string): number => {
  for (let index = from; index < lines.length; index++) {
    if (closesFence(lines[index]!, fence)) return index + 1
  }
  return lines.length
}

const readInline = (forms: MarkdownForms, block: Array<string>, line: number): void => {
  const text = block.map((one) => one.replace(QUOTATION, '')).join('\n')
  for (const span of codeSpansOf(text, line)) forms.codeSpans.push(span)
  block.forEach((one, at) => {
    if (one.includes('](') || one.includes('://') || one.includes(']:')) {
      forms.links.push(...linksOf(one, line + at))
    }
  })
}
