import { parseDocument } from 'yaml'
import { fail, ok, reasonOf, type Result } from '../safe.ts'
import { splitGlobs } from './globs.ts'
import { GLOB_KEYS, type RuleFault } from './rule-text.ts'

const GLOB_LINE = new RegExp(`^((?:${GLOB_KEYS.join('|')})[ \\t]*:[ \\t]*)(.*)$`)

const quoted = (value: string): string => {
  const [, plain = '', comment = ''] = /^(.*?)([ \t]+#.*|[ \t]*)$/.exec(value) ?? []
  if (/^(?:$|~$|null$|["'#|>])/.test(plain)) return value
  const list = /^\[([^"']*)\]$/.exec(plain)
  if (list) return `[${splitGlobs(list[1]!).map(quoted).join(', ')}]${comment}`
  return /^\[(?:[^\]]*$|.*["'])/.test(plain) ? value : JSON.stringify(plain) + comment
}

/**
 * Puts quotes around the globs in a frontmatter, line by line. A bare glob often starts with what YAML takes for an
 * alias, a tag or a map: `globs: **\/*.ts`, as Cursor itself writes it, is not valid YAML.
 */
const quoteGlobs = (frontmatter: string): string => {
  let inList = false
  return frontmatter.split('\n').map((ended) => {
    const line = ended.replace(/\r$/, '')
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
  return items.every((item) => typeof item === 'string') ? items.flatMap(splitGlobs) : null
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

/** The globs that a rule's frontmatter binds it to, `null` for none at all; `data` is `null` for what is prose. */
export const readFrontmatter = (
  frontmatter: string,
): Result<{ globs: Array<string> | null } | null, RuleFault> => {
  try {
    const document = parseDocument(quoteGlobs(frontmatter), { logLevel: 'silent' })
    const [error] = document.errors
    if (error) {
      const [reason = ''] = error.message.split(/ at line \d+/)
      // What is never closed is missed only at the end, behind the last line.
      const last = frontmatter.split('\n').length - 1
      return fail({ line: Math.min(error.linePos?.[0].line ?? 0, last) + 1, reason })
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
