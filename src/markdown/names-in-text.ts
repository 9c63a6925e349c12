/** Finds the names in a Markdown text: texts in backticks, links, shell commands, and words that look like a path. */
import { lineNumbers } from '../text/line-ending.ts'
import { trimmedParts } from '../text/trimmed-parts.ts'
import { splitFrontmatter } from './frontmatter.ts'
import { isComment, treeOf } from './tree.ts'

/** A name in a text, its line (from 1), and its form: in backticks, a link, a path in prose, or a shell command. */
export type TextName = { line: number; text: string; form: 'code' | 'link' | 'bare' | 'command' }

// A longer text is not a name. A longer line is data, not prose.
const MAX_NAME = 200
const LONG_LINE = /^.{10000,}$/gm

// What follows the opening fence of shell commands: the name of a shell, or no language, as in ` ```{.big} `.
const SHELL = /^(?:(?:sh|bash|zsh|fish|shell|console|terminal|shell-session)(?![\w-])|[^\w-])/
const LINKS = new Set(['Link', 'Image', 'LinkReference'])
// A path without backticks: it has a slash and an extension, and is no part of something longer, as after `~` or `$`.
const BARE_PATH = /(^|[^\w@.+~$%:}\]>\\/-])@?[\w.+-]+\/[\w./@+-]*\.[a-z]\w*(?![\w/{[<$-])/gi

// Kinds of nodes that contain no bare paths, and the character that replaces each character of their text: after `]`, a
// path does not count; next to the others, a path ends.
const REPLACEMENTS: Record<string, string> = {
  InlineCode: '`',
  URL: ']',
  CodeText: ' ',
  CodeInfo: ' ',
  CommentBlock: ' ',
}

type FoundName = Omit<TextName, 'line'> & { offset: number }

/** Finds the names in a text, in any order. */
const findNames = (text: string): Array<FoundName> => {
  const names: Array<FoundName> = []
  // `prose` is the text up to `copiedTo`, with the nodes of `REPLACEMENTS` replaced by text of the same length.
  let copiedTo = splitFrontmatter(text).frontmatter.length
  let prose = ' '.repeat(copiedTo)
  treeOf(text, copiedTo).cursor().iterate(({ name, from, to, node: { parent } }) => {
    const replacement = isComment(text, name, from) ? ' ' : REPLACEMENTS[name]
    if (replacement === undefined) return
    const source = text.slice(from, to)
    prose += text.slice(copiedTo, from) + source.replace(/[^\n]/g, replacement)
    copiedTo = to
    const info = parent?.getChild('CodeInfo')
    if (name === 'InlineCode') {
      names.push({ offset: from, text: source.replace(/^`+|`+$/g, ''), form: 'code' })
    } else if (name === 'URL' && LINKS.has(parent?.name ?? '')) {
      names.push({ offset: from, text: source.replace(/^<|>$/g, ''), form: 'link' })
    } else if (name === 'CodeText' && (!info || SHELL.test(text.slice(info.from, info.to)))) {
      for (const { 0: line, index } of source.matchAll(/.+/g)) {
        names.push({ offset: from + index, text: line.split(/\s#/)[0]!, form: 'command' })
      }
    }
  })
  prose = (prose + text.slice(copiedTo)).replaceAll('*', ' ')
    .replace(LONG_LINE, (line) => ' '.repeat(line.length))
  for (const { 0: match, 1: before = '', index } of prose.matchAll(BARE_PATH)) {
    names.push({ offset: index + before.length, text: match.slice(before.length), form: 'bare' })
  }
  return names
}

/** Lists the names in a Markdown text in order. Skips frontmatter, comments, and code blocks of other languages. */
export const namesIn = (content: string): Array<TextName> => {
  const lines = lineNumbers(content)
  return findNames(content).sort((a, b) => a.offset - b.offset).map(({ offset, ...name }) => ({
    ...name,
    line: lines[offset]!,
    text: trimmedParts(name.text, /[\r\n]+/).join(' ').trim(),
  })).filter((name) => name.text !== '' && name.text.length <= MAX_NAME)
}
