/** Tells whether a text already contains the sentences of a rule, even in another form, such as a list. */
import { isTextNode, nodesOf } from '../markdown/tree.ts'
import { isHeading, readMarkdown } from './markdown-parts.ts'

// Control characters, which no prose contains, stand for the end of a sentence and for a colon within one.
const [END, COLON] = ['\u0001', '\u0002']

const CLOSING = `["'*_)\\]”’»]*`
const SENTENCE_END = new RegExp(`[.!?…]${CLOSING}(?=\\s)|[。！？]|\\n[ \\t>]*(?=[*_]*Reason:)`, 'g')
const COLON_END = new RegExp(`:${CLOSING}(?=\\s)|：`, 'g')

const IGNORED = new RegExp(`[^\\p{L}\\p{N}\\p{S}#%&/@\\\\${END}${COLON}]+`, 'gu')
const NOT_PROSE = /^(?:#{1,6}|\[[ xX]\])[ \t]+|\n[ \t>]*[=-]+\s*$/g
const SEPARATORS = new RegExp(`[${END}${COLON}]+`, 'g')
const QUOTE_PREFIX = /\n[ \t]*>[ \t>]*/g

const normalizeProse = (prose: string): string =>
  prose.replace(NOT_PROSE, '').replace(QUOTE_PREFIX, '\n').concat('\n').normalize('NFC').split('`')
    .map((part, index) =>
      // Every second part was in backticks.
      index % 2 === 1
        ? part
        : part.replace(SENTENCE_END, END).replace(COLON_END, COLON).toLowerCase().replace(IGNORED, '')
    ).join('')

const sentencesIn = (text: string): string => {
  const nodes = nodesOf(readMarkdown(text).root, (node) => isTextNode(node) || isHeading(node))
  const sentences = nodes.map(({ from, to }) => normalizeProse(text.slice(from, to)) + END).join('')
    .replace(SEPARATORS, (run) => run.includes(END) ? END : COLON)
  return sentences.startsWith(END) ? sentences.slice(1) : sentences
}

/** Returns a function that tells whether a rule is new: neither the text nor an earlier rule has its sentences. */
export const createNewRuleTest = (text: string): (rule: string) => boolean => {
  let existing = END + sentencesIn(text)
  return (rule) => {
    const sentences = sentencesIn(rule)
    const isNew = sentences === ''
      || !existing.includes(END + sentences) && !existing.includes(COLON + sentences)
    existing += sentences
    return isNew
  }
}
