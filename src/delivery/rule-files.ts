import leven from 'leven'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Checks, compileChecks } from '../checks/patterns.ts'
import { fail, type Result, within } from '../safe.ts'
import { quotation } from '../text/quoted-name.ts'
import { readInBatches, readText } from '../text/read.ts'
import { type Condition, conditionsOf } from './conditions.ts'
import type { RuleFolder } from './rule-folders.ts'
import { readHeader, type RuleKeys } from './rule-frontmatter.ts'
import type { PathMatcher } from './rule-globs.ts'
import { type LeftOut, type Walk, walkRules } from './rule-walk.ts'
import { dialectOf, kindOf, type RuleKind, unreadIn } from './rules-of-other-tools.ts'

/**
 * A rule: `path` is where it was found, `file` the same relative to its folder, `realPath` the same with links
 * resolved, `name` the file without its ending; `applies` is there for a rule that waits for a file.
 */
export type Rule = RuleKind & {
  folder: RuleFolder
  file: string
  path: string
  realPath: string
  name: string
  /** Its text without the header. */
  body: string
  description?: string | undefined
  /** What else must hold for it to be sent. */
  conditions?: Array<Condition>
  applies?: PathMatcher
  /** A note on it for the person. */
  note?: string | undefined
  checks?: Checks | null | undefined
}

// A model reads each rule with each request. A larger file is no rule, and would fill its context.
const LIMITS = { maxBytes: 256_000, maxMs: 2_000 }

/** A rule, and what is left out of it or why it is left out. */
type Read = { rule?: Rule; leftOut?: LeftOut }

/** Notes a pattern in slashes, as JavaScript writes one, which no example proves. */
const slashedIn = ({ forbid = [], require = [], bad }: RuleKeys): string | undefined => {
  const found = bad ? undefined : [...forbid, ...require].find(({ text }) => /^\/.+\/[a-z]*$/.test(text))
  return found && `the slashes are a part of the pattern ${quotation(found.text)}`
}

/** Reads a rule file in the dialect of its folder; gives its fault alone where it is not clear when to send it. */
const readRule = async (folder: RuleFolder, file: string): Promise<Read> => {
  const path = join(folder.path, file)
  const dialect = dialectOf(folder.path)
  const name = file.replace(dialect.ending, '')
  const leftOut = (reason: string, line?: number): Read => ({ leftOut: { folder, path, name, reason, line } })
  const { data, error } = await readText(path, LIMITS)
  if (error !== null) return leftOut(error)
  const { text, realPath } = data
  const header = readHeader(text)
  if (header.error !== null) return leftOut(header.error.reason, header.error.line)
  const { body, keys, lines, checkFault } = header.data
  if (body === '') {
    return leftOut(text.trim() === '' ? 'it is empty' : 'there is no text below its frontmatter')
  }
  const { description } = keys
  // Other tools mean agents and models of their own.
  const conditions = await conditionsOf(dialect.folder === null ? keys : {})
  if (conditions.error !== null) return leftOut(conditions.error.reason, lines[conditions.error.key])
  const note = unreadIn(dialect, keys, body) ?? slashedIn(keys)
  const kind = kindOf(dialect, keys)
  const { data: checks, error: fault } = checkFault ? fail(checkFault) : await compileChecks(keys)
  const found = { folder, file, path, realPath, name, body, description, note }
  const rule: Rule = { ...kind, ...found, conditions: conditions.data, checks }
  const read = { rule, ...(fault && { leftOut: { folder, path, name, ...fault, isSent: true as const } }) }
  if (rule.globs === undefined || (rule.kind === 'always' && !rule.checks)) return read
  // The library for globs is loaded only when a rule has some, which most have not.
  const applies = (await import('./rule-globs.ts')).matcherOfAll(rule.globs)
  if (applies.error !== null) return leftOut(applies.error, lines[dialect.globKeys.find((key) => keys[key])!])
  return { ...read, rule: { ...rule, applies: applies.data } }
}

/** A model could not follow more rules than this. */
export const MAX_RULES = 500

// How long a disk is waited for, and how often where it answers: one that does not must not delay the person.
const LOOK_MS = 2_000
const MAX_WAITS = 10

/** Looks at a path, and again with each look at its folder; gives its state. */
type Look = (path: string) => Promise<string>

const MISSING = 'missing'

// A disk's clock ticks every few milliseconds: a file that was just written may be written again and keep its time.
const SETTLED_MS = 50

/** Gives the state of a path, which changes when it is written, replaced or moved; that of a new file is never the same. */
const stateOf = (path: string): Promise<string> =>
  stat(path).then(({ ctimeMs, mtimeMs, size, ino }) => {
    const isSettled = Math.abs(Date.now() - ctimeMs) >= SETTLED_MS
    return [ctimeMs, mtimeMs, size, ino, isSettled || Math.random()].join()
  }, () => MISSING)

/** What is in one folder; `more` is the number of files beyond the limit. */
export type FolderRules = Omit<Walk, 'files'> & { folder: RuleFolder; rules: Array<Rule>; more: number }

/**
 * Makes a function that waits for `work` while it goes on: at most `limit` milliseconds for a next answer, ten times as
 * long for all, and not at all for a run that is already late. A call during a run shares it.
 *
 * @param answers counts what has been answered so far
 */
export const patient = <T>(
  work: () => Promise<T>,
  limit: number,
  answers = (): number => 0,
): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  let isLate = false
  return async () => {
    const run = running ??= work().finally(() => running = undefined)
    let [before, done] = [answers(), await within(isLate ? 0 : limit, run)]
    for (let waits = 1; waits < MAX_WAITS && !isLate && done.error !== null && answers() > before; waits++) {
      before = answers()
      done = await within(limit, run)
    }
    isLate = done.error !== null
    return done
  }
}

/** Notes a folder that the globs of a rule begin with and that is not there: `scr` is most likely `src`. */
const withNotes = async (rules: Array<Rule>, worktree: string, look: Look): Promise<Array<Rule>> => {
  const hasGlobs = rules.some(({ applies }) => applies)
  const names = hasGlobs ? await readdir(worktree).catch(() => null) : null
  if (names === null) return rules
  const { firstFolderOf } = await import('./rule-globs.ts')
  const there = new Set([undefined, ...names.map((name) => name.normalize())])
  return readInBatches(rules, async (rule) => {
    const missing = rule.applies && rule.globs?.map(firstFolderOf).find((folder) => !there.has(folder))
    // It may be there by another spelling, and is looked for until it is there.
    if (!missing || await look(join(worktree, missing)) !== MISSING) return rule
    const near = names.find((name) => name[0] === missing[0] && leven(name, missing) <= 2)
    return {
      ...rule,
      note: `there is no folder ${quotation(missing)}${near ? `; did you mean ${near}?` : ''}`,
    }
  })
}

/**
 * Makes the function that gives the rules of a folder; the same object as before where nothing has changed. A file is
 * read again only when it has changed, the folder when something came or went. On a disk that does not answer the rules
 * are those of the last look, and nobody waits again until the pending look ends.
 */
export const ruleFolderReader = (folder: RuleFolder, worktree: string): () => Promise<FolderRules> => {
  // Each path that was looked at, what stood there, and what was read there.
  let seen = new Map<string, { state: string; read?: Read }>()
  let last: FolderRules = { folder, rules: [], leftOut: [], more: 0, isThere: false }
  let answers = 0
  const stateNow: Look = (path) => stateOf(path).finally(() => answers += 1)
  const look: Look = async (path) => {
    const state = await stateNow(path)
    seen.set(path, { state })
    return state
  }
  const readFolder = async (): Promise<FolderRules> => {
    const before = seen
    seen = new Map()
    await look(folder.path)
    const { files, isThere, ...walk } = await walkRules(folder, worktree, look)
    const readings = await readInBatches(files.sort().slice(0, MAX_RULES), async (file) => {
      const path = join(folder.path, file)
      const [state, known] = [await look(path), before.get(path)]
      const read = known?.read && known.state === state ? known.read : await readRule(folder, file)
      seen.set(path, { state, read })
      return read
    })
    const rules = await withNotes(readings.flatMap(({ rule }) => rule ?? []), worktree, look)
    const leftOut = [...walk.leftOut, ...readings.flatMap((read) => read.leftOut ?? [])]
      .sort((one, other) => (one.path < other.path ? -1 : 1))
    return { folder, rules, leftOut, more: Math.max(0, files.length - MAX_RULES), isThere }
  }
  const patientLook = patient(
    async () => {
      const same = await readInBatches([...seen], async ([path, { state }]) => await stateNow(path) === state)
      return same.length > 0 && same.every(Boolean) ? last : last = await readFolder()
    },
    LOOK_MS,
    () => answers,
  )
  return async () => {
    const looked = await patientLook()
    const reason = 'not read in time; its rules are as they were'
    const late = [...last.leftOut, { folder, path: folder.path, reason }]
    return looked.data ?? { ...last, leftOut: late }
  }
}
