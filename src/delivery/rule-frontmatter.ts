import { type Alias, type Document, parseDocument, visit } from 'yaml'
import { fail, ok, reasonOf, type Result } from '../safe.ts'
import { splitGlobs } from './globs.ts'
import { GLOB_KEYS, type RuleFault } from './rule-text.ts'

const GLOB_KEY = `^((?:${GLOB_KEYS.join('|')})[ \\t]*:[ \\t]*`
const GLOB_LINE = new RegExp(`${GLOB_KEY})(.*)$`)
const NO_KEY = '(?!\\w+[ \\t]*:)'
const LONG_LIST = new RegExp(`${GLOB_KEY}\\[)([^\\]\\n]*(?:\\n${NO_KEY}.*)+?)\\](?=[ \\t]*(?:#.*)?$)`, 'gm')

/** A list in brackets that goes over several lines, on its first one; the others stay, empty. */
const onOneLine = (_: string, start: string, items: string): string => {
  const lines = items.split('\n').map((line) => line.replace(/(?:^|[ \t]+)#.*$/, '').trim())
  return `${start}${lines.join(' ')}]${'\n'.repeat(lines.length - 1)}`
}

const isQuoted = (glob: string): boolean => /^["']/.test(glob)

const quotedItem = (glob: string): string => (isQuoted(glob) ? glob : JSON.stringify(glob))

const quoted = (value: string): string => {
  const [, plain = '', comment = ''] = /^(.*?)([ \t]+#.*|[ \t]*)$/.exec(value) ?? []
  const list = /^\[(.*)\]$/.exec(plain)?.[1]
  if (list !== undefined) return `[${splitGlobs(list).map(quotedItem).join(', ')}]${comment}`
  if (isQuoted(plain)) {
    const globs = splitGlobs(plain)
    return globs.length > 1 && globs.every(isQuoted) ? `[${globs.join(', ')}]${comment}` : value
  }
  return /^(?:$|~$|null$|[#|>]|\[[^\]]*$)/.test(plain) ? value : JSON.stringify(plain) + comment
}

/**
 * Puts quotes around the globs in a frontmatter, line by line. A bare glob often starts with what YAML takes for an
 * alias, a tag or a map: `globs: **\/*.ts`, as Cursor itself writes it, is not valid YAML.
 */
const quoteGlobs = (frontmatter: string): string => {
  let inList = false
  return frontmatter.replaceAll('\r', '').replace(LONG_LIST, onOneLine).split('\n').map((line) => {
    const [, key, value] = GLOB_LINE.exec(line) ?? []
    if (key !== undefined && value !== undefined) {
      inList = /^(?:#.*)?$/.test(value)
      return key + quoted(value)
    }
    const [, dash, item] = /^([ \t]*-[ \t]+)(.*)$/.exec(line) ?? []
    if (inList && dash !== undefined && item !== undefined) return dash + quoted(item)
    inList &&= /^[ \t]*(?:#.*)?$/.test(line)
    return line
  }).join('\n')
}

const lineOfKey = (frontmatter: string, key: string): number =>
  frontmatter.split('\n').findIndex((line) => line.startsWith(key)) + 2

const globsIn = (value: unknown): Array<string> | null => {
  if (value === undefined || value === null) return []
  const items = [value].flat()
  return items.every((item) => typeof item === 'string')
    ? items.flatMap((item) => item.split('\n')).flatMap(splitGlobs)
    : null
}

const boundTo = (
  frontmatter: string,
  keys: Record<string, unknown>,
): Result<Array<string> | null, RuleFault> => {
  const globs: Array<string> = []
  for (const key of GLOB_KEYS) {
    const found = globsIn(keys[key])
    if (found === null) {
      return fail({ line: lineOfKey(frontmatter, key), reason: `${key} must be a glob or a list of globs` })
    }
    globs.push(...found)
  }
  return ok(globs.length === 0 || String(keys['alwaysApply']) === 'true' ? null : globs)
}

const unresolvedAlias = (document: Document.Parsed): Alias | undefined => {
  let found: Alias | undefined
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document)) return undefined
      found = alias
      return visit.BREAK
    },
  })
  return found
}

/** The globs that a rule's frontmatter binds it to, `null` for none at all; `data` is `null` for what is prose. */
export const readFrontmatter = (
  frontmatter: string,
): Result<{ globs: Array<string> | null } | null, RuleFault> => {
  try {
    const text = quoteGlobs(frontmatter)
    const document = parseDocument(text, { logLevel: 'silent' })
    const [error] = document.errors
    if (error) {
      const [reason = ''] = error.message.split(/ at line \d+/)
      // What is never closed is missed only at the end, behind the last line.
      const last = frontmatter.split('\n').length - 1
      return fail({ line: Math.min(error.linePos?.[0].line ?? 0, last) + 1, reason })
    }
    const alias = unresolvedAlias(document)
    if (alias) {
      const line = text.slice(0, alias.range?.[0]).split('\n').length + 1
      return fail({ line, reason: `YAML takes *${alias.source} for an alias; put it in quotes` })
    }
    const keys: unknown = document.toJS()
    if (keys === null) return ok({ globs: null })
    if (typeof keys !== 'object' || Array.isArray(keys)) return ok(null)
    const globs = boundTo(frontmatter, keys as Record<string, unknown>)
    return globs.error === null ? ok({ globs: globs.data }) : globs
  } catch (thrown) {
    return fail({ line: 1, reason: reasonOf(thrown) })
  }
}
