import leven from 'leven'
import { readdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fail, ok, type Result, safeAsync } from '../safe.ts'
import { readText } from '../text/read.ts'
import type { RuleDialect, RuleKind } from './rule-dialect.ts'
import { readHeader, type RuleFault } from './rule-header.ts'

/**
 * A rule: `path` is where it was found, `realPath` the same with links resolved, `name` its path in the rule folder
 * without the ending; `applies` is there for a rule that waits for a file.
 */
export type Rule = RuleKind & {
  path: string
  realPath: string
  name: string
  /** Its text without the header. */
  body: string
  description?: string
  /** The agents that it is for; all where it names none. */
  agents?: Array<string>
  applies?: (path: string) => boolean
  /** What may be wrong with it, for the person. */
  note?: string
}

/** A file or folder that is left out, and why; `line` is counted from 1, `name` is that of the rule that it would be. */
export type LeftOut = { path: string; name?: string; line?: number; reason: string }

// A model reads each rule with each request. A larger file is no rule, and would fill its context.
const LIMITS = { maxBytes: 256_000, maxMs: 2_000 }

type Read = Result<Rule, Partial<RuleFault> & { reason: string }>

/** Reads a rule file in the dialect of its folder; gives the fault where it cannot be told when it is to be sent. */
export const readRule = async (path: string, name: string, dialect: RuleDialect): Promise<Read> => {
  const read = await readText(path, LIMITS)
  if (read.error !== null) return fail({ reason: read.error })
  const header = readHeader(read.data.text)
  if (header.error !== null) return header
  const { body, keys } = header.data
  if (body === '') {
    return fail({
      reason: read.data.text.trim() === '' ? 'it is empty' : 'there is no text below its frontmatter',
    })
  }
  const { description, agents } = keys
  const kind = dialect.kindOf(keys)
  const rule: Rule = {
    ...kind,
    path,
    realPath: read.data.realPath,
    name,
    body,
    ...(description === undefined ? {} : { description }),
    ...(agents?.length ? { agents } : {}),
  }
  if (kind.globs === undefined) return ok(rule)
  // The library for globs is loaded only when a rule has some, which most have not.
  const applies = (await import('./rule-globs.ts')).matcherOfAll(kind.globs)
  const line = read.data.text.split(/\r\n|\n|\r/).findIndex((text) =>
    /^["']?(?:globs|paths|applyTo)\b/.test(text.trim())
  )
  return applies.error === null
    ? ok({ ...rule, applies: applies.data })
    : fail({ line: line + 1, reason: applies.error })
}

/** Says of a folder that is not there which one beside it may be meant: `scr` is most likely `src`. */
export const noteOnFolder = async (folder: string): Promise<string> => {
  const beside = await safeAsync(() => readdir(dirname(folder)))
  const name = basename(folder)
  const near = beside.data?.find((one) => one[0] === name[0] && leven(one, name) <= 2)
  return `there is no folder ${name}${near ? `; did you mean ${near}?` : ''}`
}
