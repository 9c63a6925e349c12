/** Tells whether a text already contains a rule's sentences: `- Use tabs` contains `Use tabs.` */
import { nodesOf } from '../markdown/tree.ts'
import { readMarkdown } from './markdown-parts.ts'

// Control characters, which no prose contains, mark the end of a sentence and the gap in `80, 443`.
const [END, GAP] = ['\u0001', '\u0002']

const CLOSING = `["'*_)\\]”’»]*`
// Matches `。`, the line break before `Reason:`, and `.` or `.**` if a space follows.
const SENTENCE_END = new RegExp(`[.!?…]${CLOSING}(?=\\s)|[。！？]|\\n[ \\t>]*(?=[*_]*Reason:)`, 'g')

// Punctuation that distinguishes words, as in `2.0`, `re-sign`, `1:10`, `a?b`, `a_b`, `-5`, `.ts`, `!x` and `*.ts`.
const IN_WORD = [
  String.raw`(?<=[\p{L}\p{N}])[-.:,_!?](?=[\p{L}\p{N}])`,
  String.raw`(?<![^\s(])[-.](?=[\p{L}\p{N}])`,
  String.raw`!(?=[=\p{L}])`,
  String.raw`\*(?=\.)`,
].join('|')
// Symbols such as `+` are kept, and so are the `#%&/@\` of names and paths.
const IGNORED = `(?!${IN_WORD})[^\\p{L}\\p{N}\\p{S}#%&/@\\\\${END}${GAP}]`
const IGNORED_CHARACTER = new RegExp(IGNORED, 'gu')
const BETWEEN_NUMBERS = new RegExp(`(?<=\\p{N})(?:${IGNORED})+(?=\\p{N})`, 'gu')
// `## `, `[x] ` or `**Rule:** ` before the words, or a line of `===` below a heading
const MARKS = /^(?:#{1,6}[ \t]+|\[[ xX]\][ \t]+)?(?:[*_]*Rule:[*_]*[ \t]+)?|\n[ \t>]*[=-]+\s*$/g
const LINE_PREFIX = /\n[ \t>]*/g

/** Puts prose into lower case, without spaces and most punctuation: ``Use `A b`, it is.`` → `use` + `A b` + `itis⟨END⟩` */
const normalizeProse = (prose: string): string =>
  prose.replace(MARKS, '').replace(LINE_PREFIX, '\n').concat('\n').normalize('NFC').split('`')
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(SENTENCE_END, END).toLowerCase()
          .replace(BETWEEN_NUMBERS, GAP).replace(IGNORED_CHARACTER, '')
    ).join('')

const BLOCK = /^(?:Paragraph|Task|Table|FencedCode|CodeBlock)$|Heading\d$/

const sentencesIn = (text: string): string => {
  const { root } = readMarkdown(text)
  const sentences = nodesOf(root, ({ name }) => BLOCK.test(name)).map(({ name, from, to }) => {
    const words = text.slice(from, to)
    return (name.includes('Code') ? words.replace(LINE_PREFIX, '\n') : normalizeProse(words)) + END
  }).join('').replace(new RegExp(`${END}+`, 'g'), END)
  return sentences.startsWith(END) ? sentences.slice(1) : sentences
}

/** Returns a function that tells whether a rule is new: its sentences are in neither the text nor an earlier rule. */
export const createNewRuleTest = (text: string): (rule: string) => boolean => {
  let existing = END + sentencesIn(text)
  return (rule) => {
    const sentences = sentencesIn(rule)
    const isSaid = existing.includes(END + sentences)
    existing += sentences
    return sentences === '' || !isSaid
  }
}
