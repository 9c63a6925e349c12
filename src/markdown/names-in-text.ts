/** Finds the names in a Markdown text: texts in backticks, links, shell commands, and words that look like a path. */
import { lineNumbers } from '../text/line-ending.ts'
import { trimmedParts } from '../text/trimmed-parts.ts'
import { splitFrontmatter } from './frontmatter.ts'
import { isComment, type Node, treeOf } from './tree.ts'

export type TextName = {
  /** The line on which the name starts, from 1. */
  line: number
  text: string
  /** Where the name stands: in backticks, in a link, in prose (a bare path), or in shell code (a command). */
  form: 'code' | 'link' | 'bare' | 'command'
}

// A longer text is no name. A longer line is data, not prose.
const MAX_NAME = 200
const LONG_LINE = /^.{10000,}$/gm

// What follows the opening fence of shell commands: the name of a shell, or no language, as in ` ```{.big} `.
const SHELL = /^(?:(?:sh|bash|zsh|fish|shell|console|terminal|shell-session)(?![\w-])|[^\w-])/
const LINKS = new Set(['Link', 'Image', 'LinkReference'])
// A path in prose: it has a slash and an extension, and is no part of something longer (`~/a.ts`, `$DIR/a.ts`).
const BARE_PATH = /(^|[^\w@.+~$%:}\]>\\/-])@?[\w.+-]+\/[\w./@+-]*\.[a-z]\w*(?![\w/{[<$-])/gi

// The nodes that are no prose, by kind, and what replaces each of their characters before the search for bare paths. A
// path may begin after a backtick or a space, but not after `]`: what follows an address directly belongs to it.
const REPLACEMENTS: Record<string, string> = {
  InlineCode: '`',
  URL: ']',
  CodeText: ' ',
  CodeInfo: ' ',
  CommentBlock: ' ',
}

type FoundName = Omit<TextName, 'line'> & { offset: number }

/** Lists the names that a node contains: its code, its address, or the commands in its lines. */
const namesInNode = (text: string, { name, from, to, parent }: Node): Array<FoundName> => {
  const source = text.slice(from, to)
  if (name === 'InlineCode') return [{ offset: from, text: source.replace(/^`+|`+$/g, ''), form: 'code' }]
  if (name === 'URL' && LINKS.has(parent?.name ?? '')) {
    return [{ offset: from, text: source.replace(/^<|>$/g, ''), form: 'link' }]
  }
  const language = parent?.getChild('CodeInfo')
  const isShell = !language || SHELL.test(text.slice(language.from, language.to))
  if (name !== 'CodeText' || !isShell) return []
  return Array.from(source.matchAll(/.+/g), ({ 0: line, index }) => {
    const [command = ''] = line.split(/\s#/)
    return { offset: from + index, text: command, form: 'command' }
  })
}

/** Finds the names in a text, in any order. */
const findNames = (text: string): Array<FoundName> => {
  const names: Array<FoundName> = []
  const frontmatterLength = splitFrontmatter(text).frontmatter.length
  // The text up to `copiedTo`, in which all that is no prose is replaced by text of the same length.
  let prose = ' '.repeat(frontmatterLength)
  let copiedTo = frontmatterLength
  treeOf(text, frontmatterLength).cursor().iterate(({ name, from, to, node }) => {
    const replacement = isComment(text, name, from) ? ' ' : REPLACEMENTS[name]
    if (replacement === undefined) return
    prose += text.slice(copiedTo, from) + text.slice(from, to).replace(/[^\n]/g, replacement)
    copiedTo = to
    for (const found of namesInNode(text, node)) names.push(found)
  })
  prose = (prose + text.slice(copiedTo)).replaceAll('*', ' ')
    .replace(LONG_LINE, (line) => ' '.repeat(line.length))
  for (const { 0: match, 1: before = '', index } of prose.matchAll(BARE_PATH)) {
    names.push({ offset: index + before.length, text: match.slice(before.length), form: 'bare' })
  }
  return names
}

/** Lists the names in a Markdown text in order. Skips frontmatter, comments, and code in any language but shell. */
export const namesIn = (content: string): Array<TextName> => {
  const lines = lineNumbers(content)
  return findNames(content).sort((a, b) => a.offset - b.offset).map(({ offset, ...name }) => ({
    ...name,
    line: lines[offset]!,
    text: trimmedParts(name.text, /[\r\n]+/).join(' ').trim(),
  })).filter((name) => name.text !== '' && name.text.length <= MAX_NAME)
}
