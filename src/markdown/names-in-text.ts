import { linesOf } from '../text/line-ending.ts'
import { frontmatterOf } from './frontmatter.ts'

/** A name in a text, the line that it stands in, counted from 1, and the form that it has there. */
export type TextName = { line: number; text: string; form: 'code' | 'link' | 'bare' | 'command' }

// Longer names are no names, and a longer line is data.
const MAX_NAME = 200
const MAX_LINE = 10_000

// A fence, after the marks of a list or a quotation, and the language after it.
const FENCE = /^[ \t>]*(?:[-*+] +|\d{1,9}[.)] +)?(`{3,}|~{3,}) *([\w-]*)/
const SHELL = /^(?:|sh|bash|zsh|fish|shell|console|terminal|shell-session)$/
const CODE_SPAN = /`([^`]+)`/g
const LINK = /\]\(<?([^\s()<>]+)/g
// A path without backticks has a slash and an extension. What a `/`, `~`, `$` or the like stands before is a part of
// something else.
const BARE_PATH = /(?:^|[^\w@.+~$%:}\]>\\/-])(@?[\w.+-]+\/[\w./@+-]*\.[a-z]\w*)(?![\w/{[<$-])/gi

// Most lines have none.
const MAY_HAVE_NAMES = /[`/]|\]\(/

/** Lists the names on a line of prose: in backticks, as the target of a link, or as a bare path. */
const namesOnLine = (text: string, line: number): Array<TextName> => {
  const rest = text.replace(CODE_SPAN, '`').replace(LINK, ']').replaceAll('*', ' ')
  const forms = [['code', CODE_SPAN, text], ['link', LINK, text], ['bare', BARE_PATH, rest]] as const
  return forms.flatMap(([form, pattern, from]) =>
    Array.from(from.matchAll(pattern), (found) => ({ line, text: (found[1] ?? found[0]).trim(), form }))
  )
}

/**
 * Lists the names in a Markdown text, in the order of the lines: names in backticks, links, bare paths, and the lines of
 * code blocks that a shell runs. Frontmatter, comments and other code blocks have none.
 */
export const namesIn = (content: string): Array<TextName> => {
  const body = content.slice(frontmatterOf(content)?.length ?? 0)
  const lines = linesOf(body)
  const before = linesOf(content).length - lines.length
  const names: Array<TextName> = []
  let fence = ''
  let isShell = false
  let isComment = false
  for (const [index, text] of lines.entries()) {
    const line = before + index + 1
    const [, mark = '', language = ''] = text.length > MAX_LINE ? [] : FENCE.exec(text) ?? []
    if (text.length > MAX_LINE) continue
    if (fence !== '') {
      if (mark.startsWith(fence) && language === '') fence = ''
      else if (isShell) names.push({ line, text: (text.split(/\s#/)[0] ?? '').trim(), form: 'command' })
    } else if (mark !== '' && !isComment) {
      fence = mark
      isShell = SHELL.test(language)
    } else {
      isComment ||= text.includes('<!--')
      if (!isComment && MAY_HAVE_NAMES.test(text)) names.push(...namesOnLine(text, line))
      isComment &&= !text.includes('-->')
    }
  }
  return names.filter(({ text }) => text !== '' && text.length <= MAX_NAME)
}
