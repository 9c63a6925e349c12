/** How many characters are kept of what stands around a name. */
export const CONTEXT = 200

const MAX_INTRODUCTIONS = 3

// CommonMark: a bullet or a number, with a blank behind it; quotation marks may stand before it.
const LIST_ITEM = /^([ \t>]*)(?:[-*+]|\d{1,9}[.)])[ \t]/

/** What leads up to a line in a comment that began in an earlier block. */
export const COMMENT = '<!--'

// CommonMark: a comment that begins a block.
const COMMENT_START = /^ {0,3}<!--/

/** Whether a line starts an item of a list. */
export const isListItem = (line: string): boolean => LIST_ITEM.test(line)

/**
 * The words above a line of Markdown that speak of it: the heading, the words with a colon before a list, the beginning
 * of a comment.
 */
export class BlockContext {
  #heading = ''
  #introductions: Array<{ indent: number; text: string }> = []
  #isInComment = false

  /** Notes a heading. One of level 1 is the title of the whole file, and says nothing of a line. */
  heading(text: string, level: number): void {
    this.#heading = level === 1 ? '' : text.slice(0, CONTEXT)
    this.#introductions = []
  }

  /** Notes a paragraph or an item of a list; gives the words above that speak of it, a line each. */
  next(paragraph: string): string {
    const indent = LIST_ITEM.exec(paragraph)?.[1]!.length ?? (/^\s/.test(paragraph) ? Infinity : -1)
    this.#introductions = this.#introductions.filter((one) => one.indent < indent)
    const { lead } = this
    const text = paragraph.trimEnd()
    if (/[:：]$/.test(text)) {
      const introduction = { indent, text: text.slice(-CONTEXT).replaceAll('\n', ' ') }
      this.#introductions = [...this.#introductions.slice(1 - MAX_INTRODUCTIONS), introduction]
    }
    return lead
  }

  /** Notes whether a comment that is not closed begins in a block, or ends there. */
  comment(block: Array<string>): void {
    for (const line of block) {
      this.#isInComment = (this.#isInComment || COMMENT_START.test(line)) && !line.includes('-->')
    }
  }

  /** The words that speak of the next line. */
  get lead(): string {
    const words = [this.#heading, ...this.#introductions.map(({ text }) => text)]
    return [...words, ...(this.#isInComment ? [COMMENT] : [])].join('\n').trim()
  }
}
