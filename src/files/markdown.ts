/**
 * The forms of Markdown that are no rule: code blocks, tables, links and headings, and the names in backticks.
 *
 * A scanner of these few forms and no whole parser: measured on hostile text of 400 kB, `marked` took 20 s and ran
 * out of stack on nested quotes, `mdast-util-from-markdown` would be a fifth of the bundle and reads 0.1 MB a second.
 */
import { BlockContext, CONTEXT, restOfParagraph } from './block-context.ts'

/** A form and the number, from 1, of the line that it starts on. */
export type CodeBlock = { line: number; lines: Array<string> }
export type Table = { line: number; rows: Array<string> }
export type Link = { line: number; target: string }
export type Heading = { line: number; text: string }
/**
 * What stands in backticks within a line, what stands around it in its paragraph, and what leads up to it from above:
 * a heading, the words that introduce a list, the head of a table.
 */
export type CodeSpan = { line: number; text: string; before: string; after: string; lead: string }

export type MarkdownForms = {
  codeBlocks: Array<CodeBlock>
  tables: Array<Table>
  links: Array<Link>
  headings: Array<Heading>
  codeSpans: Array<CodeSpan>
}

// A fence may stand in a list or a quotation, whose marks come before it.
const CONTAINER = /^(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*/
// CommonMark: three backticks, with none in the words behind them, or three tildes.
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/
// CommonMark: one to six `#` and a blank.
const HEADING = /^#{1,6}[ \t]+/
// A line of its own with a rule of `=` or `-` under it is a heading, too.
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/
// GitHub's tables: the row under the heads, with a colon at the side to which a column is aligned.
const DELIMITER_CELL = /^:?-+:?$/

/** The cells of a line of a table, without the pipes at its ends. */
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

/** The spans of a line: a run of backticks opens one that the next run of the same length closes. */
const codeSpansOf = (text: string, line: number): Array<Omit<CodeSpan, 'lead'>> => {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ index, length: run.length }))
  const lastOfLength = new Map(runs.map(({ length }, at) => [length, at]))
  const spans: Array<Omit<CodeSpan, 'lead'>> = []
  for (let at = 0; at < runs.length; at++) {
    const open = runs[at]!
    // Known beforehand, so that runs which nothing closes cost no search each.
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

/** The targets of `[text](target)`, `[name]: target` and `<https://…>`, and addresses as they stand. */
const linksOf = (text: string, line: number): Array<Link> => {
  const links: Array<Link> = []
  for (
    const { 0: found } of text.matchAll(
      /\]\([^\s()]+|^ {0,3}\[[^\][]+\]:[ \t]+\S+|https?:\/\/[^\s<>()\]"'`]+/g,
    )
  ) {
    const target = found.startsWith('](') ? found.slice(2) : found.replace(/^.*\]:[ \t]+/, '')
    const previous = links.at(-1)?.target
    // `[https://x](https://x)` is one link.
    if (previous !== target) links.push({ line, target })
  }
  return links
}

/**
 * Reads the forms of a Markdown text, in time linear in its length. `firstLine` is the number of its first line in
 * its file, where it does not begin the file.
 */
export const readMarkdown = (text: string, firstLine = 1): MarkdownForms => {
  const forms: MarkdownForms = { codeBlocks: [], tables: [], links: [], headings: [], codeSpans: [] }
  const lines = text.split(/\r\n?|\n/)
  const context = new BlockContext()
  for (let index = 0; index < lines.length; index++) {
    const bare = lines[index]!.replace(CONTAINER, '')
    const line = firstLine + index
    const fence = FENCE.exec(bare)?.[0]
    if (fence !== undefined) {
      const end = closingFence(lines, index + 1, fence)
      forms.codeBlocks.push({ line, lines: lines.slice(index + 1, end) })
      context.end()
      index = end
      continue
    }
    const heading = headingAt(lines, index)
    if (heading) {
      forms.headings.push({ line, text: heading.text })
      readInline(forms, line, { before: '', text: lines[index]!, after: '', lead: '' })
      context.heading(heading.text, heading.level)
    } else if (isDelimiterRow(lines[index + 1] ?? '') && bare.includes('|')) {
      const end = endOfTable(lines, index + 2)
      forms.tables.push({ line, rows: [bare, ...lines.slice(index + 2, end)].map((row) => row.trim()) })
      const lead = `${context.lead}\n${bare.slice(0, CONTEXT)}`
      for (let row = index; row < end; row++) {
        readInline(forms, firstLine + row, { before: '', text: lines[row]!, after: '', lead })
      }
      context.end()
      index = end - 1
    } else if (bare.trim() === '') {
      context.end()
    } else {
      const { lead, paragraph } = context.next(lines[index]!)
      const after = bare.includes('`') ? restOfParagraph(lines, index) : ''
      readInline(forms, line, { before: paragraph, text: lines[index]!, after, lead })
    }
  }
  return forms
}

/** The heading on a line: behind signs, or with a rule under it. */
const headingAt = (lines: Array<string>, index: number): { level: number; text: string } | undefined => {
  const bare = lines[index]!.replace(CONTAINER, '')
  const mark = HEADING.exec(bare)?.[0]
  if (mark !== undefined) {
    return { level: mark.trim().length, text: bare.slice(mark.length).replace(/#+$/, '').trim() }
  }
  return isUnderlined(lines, index)
    ? { level: lines[index + 1]!.includes('=') ? 1 : 2, text: bare.trim() }
    : undefined
}

const isUnderlined = (lines: Array<string>, index: number): boolean => {
  const text = lines[index]!
  const standsAlone = (lines[index - 1] ?? '').trim() === '' && text.trim() !== ''
  return standsAlone && UNDERLINE.test(lines[index + 1] ?? '') && !UNDERLINE.test(text)
    && text.replace(CONTAINER, '') === text
}

/** The index of the line that closes a fence; a fence that nothing closes ends with the text. */
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

/** What is read of a line, and what stands around it: what of its paragraph, and what leads up to it. */
type Inline = { before: string; text: string; after: string; lead: string }

const readInline = (forms: MarkdownForms, line: number, { before, text, after, lead }: Inline): void => {
  for (const span of codeSpansOf(text, line)) {
    forms.codeSpans.push({
      ...span,
      before: `${before}${span.before}`.slice(-CONTEXT),
      after: `${span.after}${after}`.slice(0, CONTEXT),
      lead,
    })
  }
  if (text.includes('](') || text.includes('://') || text.includes(']:')) {
    forms.links.push(...linksOf(text, line))
  }
}
