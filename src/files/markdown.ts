/**
 * The forms of Markdown that are no rule: code blocks, tables, links and headings, and the names in backticks.
 *
 * It is a scanner for these few forms. The whole parsers are too slow on hostile text: measured on 400 kB, `marked` took
 * 20 s and ran out of stack on nested quotes; `mdast-util-from-markdown` reads 0.1 MB a second, and would be a fifth of
 * the bundle.
 */
import { linesOf } from './line-ending.ts'

// `line` is the number of the line that a form starts on, counted from 1.
type CodeBlock = { line: number; lines: Array<string> }
type Table = { line: number; rows: Array<string> }
type Link = { line: number; target: string }
type Heading = { line: number; text: string }

/** What stands in backticks in a line, and what stands before and behind it there. */
export type CodeSpan = { line: number; text: string; before: string; after: string }

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

const isDelimiterRow = (line: string): boolean => {
  if (!line.includes('|') || !line.includes('-')) return false
  const cells = cellsOf(line)
  return cells.length > 0 && cells.every((cell) => DELIMITER_CELL.test(cell))
}

/** Finds the code spans of a line: a run of backticks opens one, and the next run of the same length closes it. */
const codeSpansOf = (text: string, line: number): Array<CodeSpan> => {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ index, length: run.length }))
  const lastOfLength = new Map(runs.map(({ length }, at) => [length, at]))
  const spans: Array<CodeSpan> = []
  for (let at = 0; at < runs.length; at++) {
    const open = runs[at]!
    // To search the rest of the line for each run that nothing closes would take quadratic time.
    if ((lastOfLength.get(open.length) ?? at) <= at) continue
    let end = at + 1
    while (runs[end]!.length !== open.length) end++
    const close = runs[end]!
    const inner = text.slice(open.index + open.length, close.index).trim()
    if (inner !== '') {
      spans.push({
        line,
        text: inner,
        before: text.slice(Math.max(0, open.index - CONTEXT), open.index),
        after: text.slice(close.index + close.length, close.index + close.length + CONTEXT),
      })
    }
    at = end
  }
  return spans
}

/** How many characters of a line are kept before and behind a code span. */
const CONTEXT = 200

// CommonMark's links, from the bracket before the target on: `](target`, `[name]: target`; and a bare address.
const LINK = /\]\([^\s()]+|^ {0,3}\[[^\][]+\]:[ \t]+\S+|https?:\/\/[^\s<>()\]"'`]+/g

/** Finds the targets of `[text](target)`, `[name]: target` and `<https://…>`, and bare addresses. */
const linksOf = (text: string, line: number): Array<Link> => {
  const links: Array<Link> = []
  for (const { 0: found } of text.matchAll(LINK)) {
    const target = found.startsWith('](') ? found.slice(2) : found.replace(/^.*\]:[ \t]+/, '')
    const previous = links.at(-1)?.target
    // `[https://x](https://x)` is one link.
    if (previous !== target) links.push({ line, target })
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
  for (let index = 0; index < lines.length; index++) {
    const bare = lines[index]!.replace(CONTAINER, '')
    const line = firstLine + index
    const fence = FENCE.exec(bare)?.[0]
    if (fence !== undefined) {
      const end = closingFence(lines, index + 1, fence)
      forms.codeBlocks.push({ line, lines: lines.slice(index + 1, end) })
      index = end
      continue
    }
    if (HEADING.test(bare)) {
      forms.headings.push({ line, text: bare.replace(HEADING, '').replace(/#+$/, '').trim() })
    } else if (isDelimiterRow(lines[index + 1] ?? '') && bare.includes('|')) {
      const end = endOfTable(lines, index + 2)
      forms.tables.push({ line, rows: [bare, ...lines.slice(index + 2, end)].map((row) => row.trim()) })
      for (let row = index; row < end; row++) readInline(forms, lines[row]!, firstLine + row)
      index = end - 1
      continue
    } else if (isUnderlined(lines, index)) {
      forms.headings.push({ line, text: bare.trim() })
    }
    readInline(forms, lines[index]!, line)
  }
  return forms
}

const isUnderlined = (lines: Array<string>, index: number): boolean => {
  const text = lines[index]!
  const standsAlone = (lines[index - 1] ?? '').trim() === '' && text.trim() !== ''
  return standsAlone && UNDERLINE.test(lines[index + 1] ?? '') && !UNDERLINE.test(text)
    && text.replace(CONTAINER, '') === text
}

/** Gives the index of the line that closes a fence; a fence that nothing closes ends with the text. */
const closingFence = (lines: Array<string>, from: number, fence: string): number => {
  for (let index = from; index < lines.length; index++) {
    const bare = lines[index]!.replace(CONTAINER, '').trimEnd()
    const isFence = bare.length >= fence.length && bare === fence[0]!.repeat(bare.length)
    if (isFence) return index
  }
  return lines.length
}

const endOfTable = (lines: Array<string>, from: number): number => {
  let end = from
  while (end < lines.length && lines[end]!.includes('|')) end++
  return end
}

const readInline = (forms: MarkdownForms, text: string, line: number): void => {
  const spans = codeSpansOf(text, line)
  forms.codeSpans.push(...spans)
  if (text.includes('](') || text.includes('://') || text.includes(']:')) {
    forms.links.push(...linksOf(text, line))
  }
}
