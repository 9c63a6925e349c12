/** As many characters as are kept of what stands around a name. */
export const CONTEXT = 200

const MAX_INTRODUCTIONS = 3

const LIST_ITEM = /^([ \t>]*)(?:[-*+]|\d{1,9}[.)])[ \t]/
const QUOTATION = /^[ \t>]+/

const ending = (text: string): string => text.slice(-CONTEXT)

/**
 * What leads up to a line of Markdown, line by line: the beginning of its paragraph, and apart from that what speaks of
 * it from above, the heading and the lines with a colon that introduce its list.
 */
export class BlockContext {
  #heading = ''
  #introductions: Array<{ indent: number; text: string }> = []
  #paragraph = ''
  #indent = 0

  /** The first heading is the title of the whole file, which says nothing of a line. */
  heading(text: string, level: number): void {
    this.#heading = level === 1 ? '' : text.slice(0, CONTEXT)
    this.#introductions = []
    this.#paragraph = ''
  }

  /** The block ends: an empty line, a code block, a table. */
  end(): void {
    this.#paragraph = ''
  }

  /** Takes a line in, and gives what leads up to it. */
  next(line: string): { lead: string; paragraph: string } {
    const item = LIST_ITEM.exec(line)
    const isParagraph = !item && this.#paragraph === '' && !/^\s/.test(line)
    if (item || isParagraph) {
      this.#indent = item?.[1]!.length ?? -1
      this.#introductions = this.#introductions.filter(({ indent }) => indent < this.#indent)
      this.#paragraph = ''
    }
    const before = { lead: this.lead, paragraph: this.#paragraph }
    this.#paragraph = ending(`${this.#paragraph}${line.replace(QUOTATION, '').trimEnd()} `)
    if (line.trimEnd().endsWith(':')) {
      this.#introductions = [
        ...this.#introductions.slice(-MAX_INTRODUCTIONS + 1),
        { indent: this.#indent, text: this.#paragraph },
      ]
    }
    return before
  }

  /** The heading and the introductions above, a line each. */
  get lead(): string {
    return [this.#heading, ...this.#introductions.map(({ text }) => text)].join('\n').trim()
  }
}

/** What follows a line in its paragraph. */
export const restOfParagraph = (lines: Array<string>, index: number): string => {
  let rest = ''
  for (let at = index + 1; at < lines.length && rest.length < CONTEXT; at++) {
    const line = lines[at]!
    const text = line.replace(QUOTATION, '').trim()
    if (text === '' || LIST_ITEM.test(line) || /^(?:#{1,6} |```|~~~|\|)/.test(text)) break
    rest += ` ${text}`
  }
  return rest
}
