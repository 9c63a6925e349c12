/** Tells whether a text already has the sentences of a rule, as in `- Use tabs` for the rule `Use tabs.` */
import { isTextNode, nodesOf } from '../markdown/tree.ts'
import { isHeading, readMarkdown } from './markdown-parts.ts'

// Control characters, which no prose contains: the end of a sentence, a colon within one, and the gap in `80, 443`.
const [END, COLON, GAP] = ['\u0001', '\u0002', '\u0003']

const CLOSING = `["'*_)\\]”’»]*`
// Such as `.` or `.**` before a space, `。`, or the line break before `Reason:`
const SENTENCE_END = new RegExp(`[.!?…]${CLOSING}(?=\\s)|[。！？]|\\n[ \\t>]*(?=[*_]*Reason:)`, 'g')
const COLON_END = new RegExp(`:${CLOSING}(?=\\s)|：`, 'g')

// Punctuation that distinguishes words: in `2.0`, `re-sign`, `1:10` and `a_b`, in `-5` and `.ts`, in `*.ts`.
const IN_WORD = String.raw`(?<=[\p{L}\p{N}])[-.:,_](?=[\p{L}\p{N}])|(?<![^\s(])[-.](?=[\p{L}\p{N}])|\*(?=\.)`
// Spaces and other punctuation are not compared. Symbols such as `+` are, and those that names and paths have.
const IGNORED = `(?!${IN_WORD})[^\\p{L}\\p{N}\\p{S}#%&/@\\\\${END}${COLON}${GAP}]`
const IGNORED_CHARACTER = new RegExp(IGNORED, 'gu')
const BETWEEN_NUMBERS = new RegExp(`(?<=\\p{N})(?:${IGNORED})+(?=\\p{N})`, 'gu')
// `## ` or `[x] ` before the words, or a line of `===` below a heading
const HEADING_OR_BOX_MARKS = /^(?:#{1,6}|\[[ xX]\])[ \t]+|\n[ \t>]*[=-]+\s*$/g
const SEPARATORS = new RegExp(`[${END}${COLON}]+`, 'g')
const QUOTE_PREFIX = /\n[ \t]*>[ \t>]*/g

/** Normalizes prose for the comparison: ``Use `A b`: it is so.`` → `useA b⟨COLON⟩itisso⟨END⟩` */
const normalizeProse = (prose: string): string =>
  prose.replace(HEADING_OR_BOX_MARKS, '').replace(QUOTE_PREFIX, '\n').concat('\n').normalize('NFC').split('`')
    .map((part, index) =>
      // Every second part was in backticks, so it stays as it is.
      index % 2 === 1
        ? part
        : part.replace(SENTENCE_END, END).replace(COLON_END, COLON).toLowerCase()
          .replace(BETWEEN_NUMBERS, GAP).replace(IGNORED_CHARACTER, '')
    ).join('')

/** Returns the normalized sentences of a text, each followed by `END`; `''` if there are none. */
const sentencesIn = (text: string): string => {
  const nodes = nodesOf(readMarkdown(text).root, (node) => isTextNode(node) || isHeading(node))
  const sentences = nodes.map(({ from, to }) => normalizeProse(text.slice(from, to)) + END).join('')
    .replace(SEPARATORS, (separators) => separators.includes(END) ? END : COLON)
  return sentences.startsWith(END) ? sentences.slice(1) : sentences
}

/** Returns a function that tells whether a rule is new: neither the text nor an earlier rule has its sentences. */
export const createNewRuleTest = (text: string): (rule: string) => boolean => {
  let existing = END + sentencesIn(text)
  return (rule) => {
    const sentences = sentencesIn(rule)
    // The same sentences may also follow a label and a colon, as in `Style: use tabs.`
    const isSaid = existing.includes(END + sentences) || existing.includes(COLON + sentences)
    existing += sentences
    // A rule without sentences, such as a code block, counts as new.
    return sentences === '' || !isSaid
  }
}
