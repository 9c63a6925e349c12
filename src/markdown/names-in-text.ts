/** Finds possible names of files and scripts in Markdown: code in backticks, links, shell commands, bare paths. */
import { lineNumbers } from '../text/line-ending.ts'
import { splitFrontmatter } from './frontmatter.ts'
import { isComment, type Node, treeOf } from './tree.ts'

export type TextName = { line: number; text: string; form: 'code' | 'link' | 'bare' | 'command' }

const MAX_NAME = 200
// A line of 10,000 characters is data, not prose.
const LONG_LINE = /^.{10000,}$/gm

// Matches the text after the fence of a code block if it names a shell (`sh`) or no language (`{.big}`).
const SHELL = /^(?:(?:sh|bash|zsh|fish|shell|console|terminal|shell-session)(?![\w-])|[^\w-])/
// Matches a path with a slash and an extension, but no part of `~/a.ts` or `$DIR/a.ts`.
const BARE_PATH = /(^|[^\w@.+~$%:}\]>\\/-])@?[\w.+-]+\/[\w./@+-]*\.[a-z]\w*(?![\w/{[<$-])/gi

// Before the search for bare paths, each character of these nodes is replaced.
// The characters of a URL become `]`, because a bare path cannot begin right after `]`.
const REPLACEMENTS: Record<string, string> = {
  InlineCode: '`',
  URL: ']',
  CodeText: ' ',
  CodeInfo: ' ',
  CommentBlock: ' ',
}

type FoundName = Omit<TextName, 'line'> & { offset: number }

const namesInNode = (text: string, { name, from, to, parent }: Node): Array<FoundName> => {
  const source = text.slice(from, to)
  if (name === 'InlineCode') return [{ offset: from, text: source.replace(/^`+|`+$/g, ''), form: 'code' }]
  if (name === 'URL' && /^(?:Link|Image|LinkReference)$/.test(parent?.name ?? '')) {
    return [{ offset: from, text: source.replace(/^<|>$/g, ''), form: 'link' }]
  }
  if (name !== 'CodeText') return []
  const info = parent?.getChild('CodeInfo')
  if (info && !SHELL.test(text.slice(info.from, info.to))) return []
  return Array.from(source.matchAll(/.+/g), ({ 0: line, index }) => {
    const [command = ''] = line.split(/\s#/)
    return { offset: from + index, text: command, form: 'command' }
  })
}

/** Skips frontmatter, comments, and code blocks in a language other than shell. */
export const namesIn = (text: string): Array<TextName> => {
  const names: Array<FoundName> = []
  const frontmatterLength = splitFrontmatter(text).frontmatter.length
  let prose = ' '.repeat(frontmatterLength)
  let copiedTo = frontmatterLength
  treeOf(text, frontmatterLength).cursor().iterate(({ name, from, to, node }) => {
    const replacement = isComment(text, name, from) ? ' ' : REPLACEMENTS[name]
    if (replacement === undefined) return
    prose += text.slice(copiedTo, from) + text.slice(from, to).replace(/[^\n]/g, replacement)
    copiedTo = to
    for (const found of namesInNode(text, node)) names.push(found)
  })
  prose = (prose + text.slice(copiedTo)).replace(LONG_LINE, (line) => ' '.repeat(line.length))
  for (const { 0: match, 1: before = '', index } of prose.matchAll(BARE_PATH)) {
    names.push({ offset: index + before.length, text: match.slice(before.length), form: 'bare' })
  }
  const lines = lineNumbers(text)
  return names.sort((a, b) => a.offset - b.offset).map(({ offset, ...name }) => ({
    ...name,
    line: lines[offset]!,
    text: name.text.split(/[\r\n]+/).map((line) => line.trim()).join(' ').trim(),
  })).filter((name) => name.text !== '' && name.text.length <= MAX_NAME)
}
