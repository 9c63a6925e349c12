/** Reduces a Markdown text to its sentences, so that a rule is found in a text that words it the same. */
import { isText } from '../markdown/tree.ts'
import { isHeading, readMarkdown } from './markdown-parts.ts'

// Control characters, which no prose contains, separate sentences, and in a sentence the words before a colon.
const [END, COLON] = ['\u0001', '\u0002']

const CLOSING = `["'*_)\\]”’»]*`
const SENTENCE_END = new RegExp(`[.!?…]${CLOSING}(?=\\s)|[。！？]|\\n[ \\t>]*(?=[*_]*Reason:)`, 'g')
const COLON_END = new RegExp(`:${CLOSING}(?=\\s)|：`, 'g')

// All but letters, digits, signs such as `<`, and the separators.
const IGNORED = new RegExp(`[^\\p{L}\\p{N}\\p{S}#%&/@\\\\${END}${COLON}]+`, 'gu')

// Heading marks or a check box, and the underline of a heading.
const NOT_PROSE = /^(?:#{1,6}|\[[ xX]\])[ \t]+|\n[ \t>]*[=-]+\s*$/g
const QUOTATION_MARKS = /\n[ \t]*>[ \t>]*/g

const SEPARATORS = new RegExp(`[${END}${COLON}]+`, 'g')
const EDGES = new RegExp(`^[${END}${COLON}]|[${END}${COLON}]$`, 'g')

/** Reduces prose to its letters in lower case, and the separators. */
const reduceProse = (prose: string): string =>
  prose.replace(SENTENCE_END, END).replace(COLON_END, COLON).toLowerCase().replace(IGNORED, '')

/** Reduces a paragraph. Code in backticks stays as it is. */
const reduce = (paragraph: string): string => {
  const prose = paragraph.replace(NOT_PROSE, '').replace(QUOTATION_MARKS, '\n')
  return `${prose}\n`.normalize('NFC').split('`')
    .map((part, index) => index % 2 === 1 ? part : reduceProse(part)).join('')
}

/** Reduces the headings, paragraphs and items of a text to one string; `''` if it has no words. */
const reducedSentences = (text: string): string => {
  const paragraphs: Array<string> = []
  readMarkdown(text).root.cursor().iterate(({ node, from, to }) => {
    if (isText(node) || isHeading(node)) paragraphs.push(reduce(text.slice(from, to)))
  })
  return paragraphs.join(END).replace(SEPARATORS, (run) => run.includes(END) ? END : COLON)
    .replace(EDGES, '')
}

/** Returns a test whether the sentences of a rule occur in a row neither in a text nor in a rule tested before. */
export const newSentences = (text: string): (rule: string) => boolean => {
  let known = END + reducedSentences(text) + END
  return (rule) => {
    const sentences = reducedSentences(rule) + END
    const isNew = !known.includes(END + sentences) && !known.includes(COLON + sentences)
    known += sentences
    return isNew
  }
}
