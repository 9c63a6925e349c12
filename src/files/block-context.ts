/** As many characters as are kept of what stands around a name. */
export const CONTEXT = 200

const MAX_INTRODUCTIONS = 3

const LIST_ITEM = /^([ \t>]*)(?:[-*+]|\d{1,9}[.)])[ \t]/

export const isListItem = (line: string): boolean => LIST_ITEM.test(line)

/** What speaks of the lines of a Markdown text from above: the heading, and the words with a colon before a list. */
export class BlockContext {
  #heading = ''
  #introductions: Array<{ indent: number; text: string }> = []

  /** The first heading is the title of the whole file, which says nothing of a line. */
  heading(text: string, level: number): void {
    this.#heading = level === 1 ? '' : text.slice(0, CONTEXT)
    this.#introductions = []
  }

  /** Takes a paragraph or an item of a list in; gives what speaks of it, a line each. */
  next(paragraph: string): string {
    const indent = LIST_ITEM.exec(paragraph)?.[1]!.length ?? (/^\s/.test(paragraph) ? Infinity : -1)
    this.#introductions = this.#introductions.filter((one) => one.indent < indent)
    const { lead } = this
    const text = paragraph.trimEnd()
    if (text.endsWith(':')) {
      const introduction = { indent, text: text.slice(-CONTEXT).replaceAll('\n', ' ') }
      this.#introductions = [...this.#introductions.slice(1 - MAX_INTRODUCTIONS), introduction]
    }
    return lead
  }

  get lead(): string {
    return [this.#heading, ...this.#introductions.map(({ text }) => text)].join('\n').trim()
  }
}
