/** Reduces a Markdown text to its sentences, so that a rule is found in a text that words it the same. */
import { isText } from '../markdown/tree.ts'
import { isHeading, readMarkdown } from './markdown-parts.ts'

// Control characters, which no prose contains, end a sentence, and in a sentence the words before a colon.
const [END, COLON] = ['\u0001', '\u0002']

const CLOSING = `["'*_)\\]”’»]*`
const SENTENCE_END = new RegExp(`[.!?…]${CLOSING}(?=\\s)|[。！？]|\\n[ \\t>]*(?=[*_]*Reason:)`, 'g')
const COLON_END = new RegExp(`:${CLOSING}(?=\\s)|：`, 'g')

// All but letters, digits and signs such as `<`.
const IGNORED = new RegExp(`[^\\p{L}\\p{N}\\p{S}#%&/@\\\\${END}${COLON}]+`, 'gu')

// Heading marks, a check box, the underline of a heading.
const NOT_PROSE = /^(?:#{1,6}|\[[ xX]\])[ \t]+|\n[ \t>]*[=-]+\s*$/g
const SEPARATORS = new RegExp(`[${END}${COLON}]+`, 'g')
const QUOTATION_MARKS = /\n[ \t]*>[ \t>]*/g

/** Reduces prose to its letters in lower case. Code in backticks stays as it is. */
const reduce = (prose: string): string =>
  prose.replace(NOT_PROSE, '').replace(QUOTATION_MARKS, '\n').concat('\n').normalize('NFC').split('`')
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(SENTENCE_END, END).replace(COLON_END, COLON).toLowerCase().replace(IGNORED, '')
    ).join('')

/** Reduces the headings, paragraphs and list items of a text to one string. Each sentence ends with `END`. */
const sentencesIn = (text: string): string => {
  let sentences = ''
  readMarkdown(text).root.cursor().iterate(({ node, from, to }) => {
    if (isText(node) || isHeading(node)) sentences += reduce(text.slice(from, to)) + END
  })
  const separated = sentences.replace(SEPARATORS, (run) => run.includes(END) ? END : COLON)
  return separated.startsWith(END) ? separated.slice(1) : separated
}

/** Returns a test whether the sentences of a rule occur in a row neither in a text nor in a rule tested before. */
export const newSentences = (text: string): (rule: string) => boolean => {
  let known = END + sentencesIn(text)
  return (rule) => {
    const sentences = sentencesIn(rule)
    const isNew = sentences === '' || !known.includes(END + sentences) && !known.includes(COLON + sentences)
    known += sentences
    return isNew
  }
}
