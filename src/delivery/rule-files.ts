import leven from 'leven'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result, within } from '../safe.ts'
import { readInBatches, readText } from '../text/read.ts'
import type { RuleFolder } from './rule-folders.ts'
import type { PathMatcher } from './rule-globs.ts'
import { readHeader } from './rule-header.ts'
import { dialectOf, kindOf, type RuleKind, unreadIn } from './rule-kinds.ts'
import { type LeftOut, type Walk, walkRules } from './rule-walk.ts'

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
  /** The agents that it is for; all where it names none. */
  agents?: Array<string> | undefined
  applies?: PathMatcher
  /** The folders that its globs begin with. */
  firstFolders?: Array<string>
  /** A note on it for the person. */
  note?: string | undefined
}

// A model reads each rule with each request. A larger file is no rule, and would fill its context.
const LIMITS = { maxBytes: 256_000, maxMs: 2_000 }

type Read = Result<Rule, LeftOut>

/** Reads a rule file in the dialect of its folder; gives the fault where it is not clear when to send it. */
const readRule = async (folder: RuleFolder, file: string): Promise<Read> => {
  const path = join(folder.path, file)
  const dialect = dialectOf(folder.path)
  const name = file.replace(dialect.ending, '')
  const leftOut = (reason: string, line?: number) => fail({ folder, path, name, reason, line })
  const read = await readText(path, LIMITS)
  if (read.error !== null) return leftOut(read.error)
  const { text, realPath } = read.data
  const header = readHeader(text)
  if (header.error !== null) return leftOut(header.error.reason, header.error.line)
  const { body, keys, globLine } = header.data
  if (body === '') {
    return leftOut(text.trim() === '' ? 'it is empty' : 'there is no text below its frontmatter')
  }
  const { description } = keys
  // Other tools mean agents of their own.
  const agents = dialect.folder === null && keys.agents?.length ? keys.agents : undefined
  const note = unreadIn(dialect, keys, body)
  const kind = kindOf(dialect, keys)
  const rule: Rule = { ...kind, folder, file, path, realPath, name, body, description, agents, note }
  if (rule.globs === undefined) return ok(rule)
  // The library for globs is loaded only when a rule has some, which most have not.
  const { firstFolderOf, matcherOfAll } = await import('./rule-globs.ts')
  const applies = matcherOfAll(rule.globs)
  if (applies.error !== null) return leftOut(applies.error, globLine)
  return ok({
    ...rule,
    applies: applies.data,
    firstFolders: rule.globs.flatMap((glob) => firstFolderOf(glob) ?? []),
  })
}

/** A model could not follow more rules than this. */
export const MAX_RULES = 500

// How long a disk is waited for: one that does not answer must not delay the person.
const LOOK_MS = 2_000
// A disk's clock ticks every few milliseconds. A file that was written in the last 50 may be written again and keep its
// time.
const SETTLED_MS = 50

const MISSING = 'missing'
let unsettled = 0

/** Gives the state of a path, which changes when it is written, replaced or moved; that of a new file is never the same. */
const stateOf = async (path: string): Promise<string> => {
  const stats = await stat(path).catch(() => null)
  if (stats === null) return MISSING
  const { ctimeMs, mtimeMs, size, ino } = stats
  const isSettled = Math.abs(Date.now() - ctimeMs) >= SETTLED_MS
  return isSettled ? `${ctimeMs} ${mtimeMs} ${size} ${ino}` : `new ${unsettled++}`
}

/** What is in one folder; `more` is the number of files beyond the limit. */
export type FolderRules = Omit<Walk, 'files'> & { folder: RuleFolder; rules: Array<Rule>; more: number }

/**
 * Makes a function that waits for `work` at most `limit` milliseconds, and not at all for a run that is already late. A
 * call during a run shares it.
 */
export const patient = <T>(work: () => Promise<T>, limit: number): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  let isLate = false
  return async () => {
    running ??= work().finally(() => running = undefined)
    const done = await within(isLate ? 0 : limit, running)
    isLate = done.error !== null
    return done
  }
}

/** One folder with rule files. A file is read again only when it has changed, the folder when something came or went. */
export class RuleFolderReader {
  readonly #folder: RuleFolder
  readonly #worktree: string
  /** Each path that was looked at, what stood there, and what was read there. */
  #seen = new Map<string, { state: string; read?: Read }>()
  #last: FolderRules
  readonly #patientLook = patient(() => this.#lookAgain(), LOOK_MS)

  constructor(folder: RuleFolder, worktree: string) {
    this.#folder = folder
    this.#worktree = worktree
    this.#last = { folder, rules: [], leftOut: [], more: 0, isThere: false }
  }

  /**
   * Gives the rules on the disk; the same object as before where nothing changed. On a disk that does not answer they are
   * those of the last look, and nobody waits again until the pending look ends.
   */
  async look(): Promise<FolderRules> {
    const looked = await this.#patientLook()
    if (looked.error === null) return looked.data
    const reason = 'the disk gives no answer; its rules are as they were'
    const fault = { folder: this.#folder, path: this.#folder.path, reason }
    return { ...this.#last, leftOut: [...this.#last.leftOut, fault] }
  }

  async #lookAgain(): Promise<FolderRules> {
    const same = await readInBatches(
      [...this.#seen],
      async ([path, { state }]) => await stateOf(path) === state,
    )
    return same.length > 0 && same.every(Boolean) ? this.#last : this.#last = await this.#read()
  }

  async #look(path: string): Promise<string> {
    const state = await stateOf(path)
    this.#seen.set(path, { state })
    return state
  }

  async #read(): Promise<FolderRules> {
    const [folder, before] = [this.#folder, this.#seen]
    this.#seen = new Map()
    await this.#look(folder.path)
    const { files, isThere, ...walk } = await walkRules(folder, this.#worktree, (path) => this.#look(path))
    const readings = await readInBatches(files.sort().slice(0, MAX_RULES), async (file) => {
      const path = join(folder.path, file)
      const state = await stateOf(path)
      const known = before.get(path)
      const read = known?.read && known.state === state ? known.read : await readRule(folder, file)
      this.#seen.set(path, { state, read })
      return read
    })
    const rules = await this.#withNotes(readings.flatMap(({ data }) => data ?? []))
    const leftOut = [...walk.leftOut, ...readings.flatMap(({ error }) => error ?? [])]
      .sort((one, other) => (one.path < other.path ? -1 : 1))
    return { folder, rules, leftOut, more: Math.max(0, files.length - MAX_RULES), isThere }
  }

  /** Notes a folder that the globs of a rule begin with and that is not there: `scr` is most likely `src`. */
  async #withNotes(rules: Array<Rule>): Promise<Array<Rule>> {
    const hasFolders = rules.some(({ firstFolders }) => firstFolders?.length)
    const names = hasFolders ? await readdir(this.#worktree).catch(() => null) : null
    return names === null ? rules : readInBatches(rules, async (rule) => {
      const missing = rule.firstFolders?.find((folder) => !names.includes(folder))
      // It may be there by another spelling, and is looked for until it is there.
      const isThere = !missing || await this.#look(join(this.#worktree, missing)) !== MISSING
      if (isThere) return rule
      const near = names.find((name) => name[0] === missing[0] && leven(name, missing) <= 2)
      return { ...rule, note: `there is no folder ${missing}${near ? `; did you mean ${near}?` : ''}` }
    })
  }
}
