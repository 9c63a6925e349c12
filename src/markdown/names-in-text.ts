/** The names in a Markdown text: what stands in backticks, in links, in shell commands, or looks like a path. */
import { lineNumbers } from '../text/line-ending.ts'
import { trimmedParts } from '../text/trimmed-parts.ts'
import { splitFrontmatter } from './frontmatter.ts'
import { isComment, treeOf } from './tree.ts'

/** A name in a text, its line (from 1), and its form. */
export type TextName = { line: number; text: string; form: 'code' | 'link' | 'bare' | 'command' }

// A longer name is not a name, and a longer line is data.
const MAX_NAME = 200
const LONG_LINE = /^.{10000,}$/gm

const SHELL = /^(?:sh|bash|zsh|fish|shell|console|terminal|shell-session|(?![\w-]).*)(?![\w-])/
const LINKS = new Set(['Link', 'Image', 'LinkReference'])
// A path without backticks has a slash and an extension. After a `/`, `~`, `$` or the like it is part of something
// else.
const BARE_PATH = /(^|[^\w@.+~$%:}\]>\\/-])@?[\w.+-]+\/[\w./@+-]*\.[a-z]\w*(?![\w/{[<$-])/gi

// Nodes that contain no bare paths. Each is replaced with a character that ends a path next to it, or makes it invalid.
const MARKS: Record<string, string> = {
  InlineCode: '`',
  URL: ']',
  CodeText: ' ',
  CodeInfo: ' ',
  CommentBlock: ' ',
}

type FoundName = Omit<TextName, 'line'> & { at: number }

/** Finds the names in a text, in any order. */
const findNames = (text: string): Array<FoundName> => {
  const names: Array<FoundName> = []
  const { frontmatter } = splitFrontmatter(text)
  const bare = [' '.repeat(frontmatter.length)]
  let end = frontmatter.length
  treeOf(text, end).cursor().iterate(({ name, from, to, node: { parent } }) => {
    const mark = isComment(text, name, from) ? ' ' : MARKS[name]
    if (mark === undefined) return
    const source = text.slice(from, to)
    bare.push(text.slice(end, from), source.replace(/[^\n]/g, mark))
    end = to
    const info = name === 'CodeText' ? parent?.getChild('CodeInfo') : undefined
    if (name === 'InlineCode') names.push({ at: from, text: source.replace(/^`+|`+$/g, ''), form: 'code' })
    else if (name === 'URL' && LINKS.has(parent?.name ?? '')) {
      names.push({ at: from, text: source.replace(/^<|>$/g, ''), form: 'link' })
    } else if (name === 'CodeText' && (!info || SHELL.test(text.slice(info.from, info.to)))) {
      for (const { 0: line, index } of source.matchAll(/.+/g)) {
        names.push({ at: from + index, text: line.split(/\s#/)[0]!, form: 'command' })
      }
    }
  })
  const prose = (bare.join('') + text.slice(end)).replaceAll('*', ' ')
    .replace(LONG_LINE, (line) => ' '.repeat(line.length))
  for (const { 0: found, 1: before = '', index } of prose.matchAll(BARE_PATH)) {
    names.push({ at: index + before.length, text: found.slice(before.length), form: 'bare' })
  }
  return names
}

/**
 * Lists the names in a Markdown text in order: names in backticks, links, bare paths, and the lines of shell code
 * blocks. Skips frontmatter, comments and other code blocks.
 */
export const namesIn = (content: string): Array<TextName> => {
  const lines = lineNumbers(content)
  return findNames(content).sort((a, b) => a.at - b.at).map(({ at, ...name }) => ({
    ...name,
    line: lines[at]!,
    text: trimmedParts(name.text, /[\r\n]+/).join(' ').trim(),
  })).filter((name) => name.text !== '' && name.text.length <= MAX_NAME)
}
