/** What a file loses by a rewrite: code blocks, tables, links, headings and names that its new text has no more. */
import { linesOf } from '../text/line-ending.ts'
import { splitFrontmatter } from './frontmatter.ts'
import { type MarkdownForms, readMarkdown } from './markdown.ts'

/** A piece of text that is gone, and the line of the old file that it stood in, counted from 1. */
export type LostPiece = { line: number; text: string }

/** What of a file is gone, by its form in Markdown. */
export type LostText = {
  codeBlocks: Array<LostPiece>
  tables: Array<LostPiece>
  links: Array<LostPiece>
  headings: Array<LostPiece>
  /** Commands, paths and names in backticks, each once. */
  names: Array<LostPiece>
}

/** Reads the forms of Markdown behind a file's frontmatter; their line numbers are those of the file. */
export const formsOf = (content: string): MarkdownForms => {
  const { frontmatter, body } = splitFrontmatter(content)
  return readMarkdown(body, linesOf(frontmatter).length)
}

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

// In prose the marks of emphasis and code may change without a word being lost. In code and names they matter, and the
// text is compared by `onOneLine`.
const plain = (text: string): string => onOneLine(text.replace(/[*_`]/g, '')).toLowerCase()

const onceEach = (pieces: Array<LostPiece>): Array<LostPiece> => {
  const seen = new Set<string>()
  return pieces.filter(({ text }) => !seen.has(text) && seen.add(text))
}

/** How many characters are searched through in all: enough for some thousand pieces in a text of the usual size. */
const MAX_SEARCHED = 60_000_000

/**
 * Makes a test for whether a text still has a piece. The whole lines and names in `pieces` are found at once; for all
 * else `after` is searched. Beyond `MAX_SEARCHED` the test says yes, since only what is surely gone is told.
 */
const saidIn = (
  after: string,
  pieces: Array<string>,
  normalise: (text: string) => string,
): (text: string) => boolean => {
  const known = new Set(pieces.map(normalise))
  const all = normalise(after)
  let left = MAX_SEARCHED
  return (text) => {
    const piece = normalise(text)
    if (known.has(piece)) return true
    left -= all.length
    return left < 0 || all.includes(piece)
  }
}

/**
 * Finds what a file lost by a rewrite. A code block or a table is lost where one of its lines is gone; its `text` is
 * the first such line.
 */
export const lostText = (before: string, after: string): LostText => {
  const { codeBlocks, tables, links, headings, codeSpans } = formsOf(before)
  const pieces = [...linesOf(after), ...formsOf(after).codeSpans.map(({ text }) => text)]
  const isSaidExactly = saidIn(after, pieces, onOneLine)
  const isSaid = saidIn(after, pieces, plain)
  const lostLines = (
    line: number,
    lines: Array<string>,
    isThere: (text: string) => boolean,
  ): Array<LostPiece> => {
    const lost = lines.find((text) => plain(text) !== '' && !isThere(text))
    return lost === undefined ? [] : [{ line, text: lost.trim() }]
  }
  const lostOnce = (pieces: Array<LostPiece>): Array<LostPiece> =>
    onceEach(pieces).filter(({ text }) => !isSaidExactly(text))
  return {
    codeBlocks: codeBlocks.flatMap(({ line, lines }) => lostLines(line, lines, isSaidExactly)),
    tables: tables.flatMap(({ line, rows }) => lostLines(line, rows, isSaid)),
    links: lostOnce(links.map(({ line, target }) => ({ line, text: target }))),
    headings: headings.filter(({ text }) => !isSaid(text)),
    names: lostOnce(codeSpans.map(({ line, text }) => ({ line, text }))),
  }
}
