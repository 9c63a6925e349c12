import { BYTE_ORDER_MARK } from '../read-text.ts'
import { fail, ok, reasonOf, type Result } from '../safe.ts'
import { splitGlobs } from './globs.ts'

/** What a rule file says: its words without frontmatter, and the globs it is bound to; `null`: to none. */
export type RuleText = { body: string; globs: Array<string> | null }

/** What is wrong in a rule file's frontmatter, and on which line of the file, counted from 1. */
export type RuleFault = { line: number; reason: string }

// The spellings of OpenCode and Cursor, Claude Code, and Copilot.
const GLOB_KEYS = ['globs', 'paths', 'applyTo']
const GLOB_LINE = new RegExp(`^((?:${GLOB_KEYS.join('|')})[ \\t]*:[ \\t]*)(.*)$`)
const KNOWN_KEY = new RegExp(`^(?:${GLOB_KEYS.join('|')}|alwaysApply|description)[ \\t]*:`, 'm')
const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/

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

/**
 * Reads what a rule file says (rule-discovery.md, Rule File Formats). Without globs, or with `alwaysApply: true`, it
 * is bound to no file. Frontmatter that cannot be understood is a fault: its rule must neither be sent always nor be
 * lost without a word.
 */
export const readRuleText = async (text: string): Promise<Result<RuleText, RuleFault>> => {
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  const block = BLOCK.exec(plain)
  if (!block) {
    const opened = /^---[ \t]*\r?\n((?:.+(?:\r?\n|$))*)/.exec(plain)?.[1] ?? ''
    return KNOWN_KEY.test(opened)
      ? fail({ line: 1, reason: 'the frontmatter is not closed with ---' })
      : ok({ body: plain.trim(), globs: null })
  }
  const frontmatter = block[1]!
  const { parseDocument } = await import('yaml')
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
    const body = plain.slice(block[0].length).trim()
    if (keys === null) return ok({ body, globs: null })
    // Prose between two rulers is no frontmatter.
    if (typeof keys !== 'object' || Array.isArray(keys)) return ok({ body: plain.trim(), globs: null })
    const globs = boundTo(frontmatter, keys as Record<string, unknown>)
    return globs.error === null ? ok({ body, globs: globs.data }) : globs
  } catch (thrown) {
    return fail({ line: 1, reason: reasonOf(thrown) })
  }
}
