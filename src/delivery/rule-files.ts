import leven from 'leven'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { fail, ok, type Result, safeAsync, within } from '../safe.ts'
import { readInBatches, readText } from '../text/read.ts'
import type { RuleFolder } from './rule-folders.ts'
import { readHeader, type RuleFault } from './rule-header.ts'
import { dialectOf, type RuleDialect, type RuleKind } from './rule-kinds.ts'
import { type LeftOut, type LinkBounds, walkRules } from './rule-walk.ts'

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

// A model reads each rule with each request. A larger file is no rule, and would fill its context.
const LIMITS = { maxBytes: 256_000, maxMs: 2_000 }

type Read = Result<Rule, Partial<RuleFault> & { reason: string }>

/** Reads a rule file in the dialect of its folder; gives the fault where it is not clear when to send it. */
const readRule = async (path: string, name: string, dialect: RuleDialect): Promise<Read> => {
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

/** Makes the note on a missing folder, with the likely name: `scr` is most likely `src`. */
const noteOnFolder = async (folder: string): Promise<string> => {
  const siblings = await safeAsync(() => readdir(dirname(folder)))
  const name = basename(folder)
  const near = siblings.data?.find((one) => one[0] === name[0] && leven(one, name) <= 2)
  return `there is no folder ${name}${near ? `; did you mean ${near}?` : ''}`
}

/** A model could not follow more rules than this. */
export const MAX_RULES = 500

/** How long a disk is waited for, in milliseconds: a disk that does not answer must not delay the person. */
export const LOOK_MS = 2_000
// A disk's clock ticks every few milliseconds. A file that was written in the last 50 may be written again and keep its
// time.
const SETTLED_MS = 50

/** The state of a path, which changes when it is written, replaced or moved; empty where nothing exists. */
type State = { text: string; isSettled: boolean }

const stateOf = async (path: string): Promise<State> => {
  const stats = await stat(path).catch(() => null)
  if (stats === null) return { text: '', isSettled: true }
  const { ctimeMs, mtimeMs, size, ino } = stats
  return {
    text: `${ctimeMs} ${mtimeMs} ${size} ${ino}`,
    isSettled: Math.abs(Date.now() - ctimeMs) >= SETTLED_MS,
  }
}

/** The rules of one folder, each with its file relative to it; `more` is the number of files beyond the limit. */
export type FolderRules = {
  folder: RuleFolder
  rules: Array<{ file: string; rule: Rule }>
  leftOut: Array<LeftOut>
  more: number
  isThere: boolean
}

type Reading = { file: string; state: State; read: Awaited<ReturnType<typeof readRule>> }

const byCodeUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

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
  readonly #dialect: RuleDialect
  readonly #bounds: LinkBounds
  /** Each path that was looked at, and what stood there. */
  #states = new Map<string, State>()
  #readings = new Map<string, Reading>()
  #last: FolderRules
  readonly #patientLook: () => Promise<Result<FolderRules>>

  constructor(folder: RuleFolder, bounds: LinkBounds) {
    this.#folder = folder
    this.#dialect = dialectOf(folder.path.split(sep).join('/'))
    this.#bounds = bounds
    this.#last = { folder, rules: [], leftOut: [], more: 0, isThere: false }
    this.#patientLook = patient(() => this.#look(), LOOK_MS)
  }

  /**
   * Gives the rules on the disk; the same object as before where nothing changed. On a disk that does not answer they are
   * those of the last look, and nobody waits again until the pending look ends.
   */
  async look(): Promise<FolderRules> {
    const looked = await this.#patientLook()
    if (looked.error === null) return looked.data
    const fault = { path: this.#folder.path, reason: 'the disk gives no answer; its rules are as they were' }
    if (!this.#last.leftOut.some(({ reason }) => reason === fault.reason)) {
      this.#last = { ...this.#last, leftOut: [...this.#last.leftOut, fault] }
      // The next successful look reads everything again.
      this.#states.clear()
    }
    return this.#last
  }

  async #look(): Promise<FolderRules> {
    const known = [...this.#states]
    const states = await readInBatches(known, ([path]) => stateOf(path))
    const isSame = states.every(({ text, isSettled }, index) => isSettled && text === known[index]![1].text)
    return isSame && known.length > 0 ? this.#last : this.#last = await this.#read()
  }

  async #read(): Promise<FolderRules> {
    const { path } = this.#folder
    // Before the walk: the next look sees what changes during it.
    this.#states = new Map([[path, await stateOf(path)]])
    const walk = await walkRules(this.#folder, this.#dialect, this.#bounds)
    for (const folder of walk.folders) this.#states.set(folder, await stateOf(folder))
    const files = walk.files.toSorted(byCodeUnits)
    const readings = await readInBatches(files.slice(0, MAX_RULES), (file) => this.#readFile(file))
    this.#readings = new Map(readings.map((reading) => [reading.file, reading]))
    const rules: FolderRules['rules'] = []
    const notes = new Map<string, string | undefined>()
    const leftOut = walk.leftOut
    for (const { file, read } of readings) {
      if (read.error === null) rules.push({ file, rule: await this.#noted(read.data, notes) })
      else leftOut.push({ path: join(path, file), name: this.#dialect.nameOf(file), ...read.error })
    }
    leftOut.sort((one, other) => byCodeUnits(one.path, other.path))
    const more = Math.max(0, files.length - MAX_RULES)
    return { folder: this.#folder, rules, leftOut, more, isThere: walk.folders.length > 0 }
  }

  async #readFile(file: string): Promise<Reading> {
    const path = join(this.#folder.path, file)
    const state = await stateOf(path)
    this.#states.set(path, state)
    const known = this.#readings.get(file)
    if (known?.state.isSettled && known.state.text === state.text) return known
    return { file, state, read: await readRule(path, this.#dialect.nameOf(file), this.#dialect) }
  }

  /** Adds the note that a rule's pattern begins with a missing folder; the rule is a new object when the note changes. */
  async #noted(rule: Rule, notes: Map<string, string | undefined>): Promise<Rule> {
    for (const glob of rule.globs ?? []) {
      const first = (await import('./rule-globs.ts')).firstFolderOf(glob)
      if (first === undefined) continue
      const path = join(this.#bounds.worktree, first)
      if (!notes.has(path)) {
        const state = await stateOf(path)
        if (state.text === '') this.#states.set(path, state)
        notes.set(path, state.text === '' ? await noteOnFolder(path) : undefined)
      }
      const note = notes.get(path)
      if (note !== undefined) return { ...rule, note }
    }
    return rule
  }
}
