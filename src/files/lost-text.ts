/** What a file said that its new text does not say any more, by the forms that are no rule. */
import { splitFrontmatter } from './frontmatter.ts'
import { type MarkdownForms, readMarkdown } from './markdown.ts'

/** A piece of text that is gone, and the line of the old file that it stood in. */
export type LostPiece = { line: number; text: string }

export type LostText = {
  codeBlocks: Array<LostPiece>
  tables: Array<LostPiece>
  links: Array<LostPiece>
  headings: Array<LostPiece>
  /** Commands, paths and names in backticks, each once. */
  names: Array<LostPiece>
}

/** The forms of a file's text behind its frontmatter, by the lines of the file. */
export const formsOf = (content: string): MarkdownForms => {
  const { frontmatter, body } = splitFrontmatter(content)
  return readMarkdown(body, frontmatter.split(/\r\n?|\n/).length)
}

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

// The marks of emphasis and code may change without a word being lost; in code and names they are part of the words.
const plain = (text: string): string => onOneLine(text.replace(/[*_`]/g, '')).toLowerCase()

const onceEach = (pieces: Array<LostPiece>): Array<LostPiece> => {
  const seen = new Set<string>()
  return pieces.filter(({ text }) => !seen.has(text) && seen.add(text))
}

/** So many characters are searched through: in a text of the usual size, each of some thousand pieces. */
const MAX_SEARCHED = 60_000_000

/**
 * A test for what a text says. Whole lines and names of it are known at once; for what else is looked up, beyond
 * `MAX_SEARCHED`, it says yes, for only what is surely gone is told.
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
 * Compares a file before and after it was rewritten. Of a code block or a table, `text` is the first of its lines
 * that is gone; one of which every line still stands somewhere is not lost.
 */
export const lostText = (before: string, after: string): LostText => {
  const { codeBlocks, tables, links, headings, codeSpans } = formsOf(before)
  const pieces = [...after.split(/\r\n?|\n/), ...formsOf(after).codeSpans.map(({ text }) => text)]
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
