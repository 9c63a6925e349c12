import { statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { safe } from '../safe.ts'
import { readInBatches, readText } from '../text/read.ts'
import { type FileState, isFolder, isStill, stateOf } from './file-state.ts'
import type { PathMatcher } from './glob-matcher.ts'
import { dialectOf, type RuleDialect } from './rule-dialect.ts'
import type { RuleFolder } from './rule-folders.ts'
import { readRuleText, type RuleText } from './rule-text.ts'
import { type LeftOut, walkRules } from './rule-walk.ts'

/**
 * A rule: `path` is where it was found, `realPath` the same with links resolved, `name` its path in the rule folder
 * without the ending; `applies` is there for a rule that waits for a file.
 */
export type Rule = RuleText & {
  path: string
  realPath: string
  name: string
  /** The agents that it is for; all where it names none. */
  agents?: Array<string>
  /** What may be wrong with it, for the person. */
  note?: string
  applies?: PathMatcher
}

/** The rules in some folders, the files that are left out, and the folders of the option that are not there. */
export type RuleSet = { rules: Array<Rule>; leftOut: Array<LeftOut>; missing: Array<string> }

/** What a rule file gave when it was last read, and the state of the file then. */
type Reading = { state: FileState; rule: Rule | null; leftOut: LeftOut | null }

// A model reads each rule with each request. A larger file is no rule, and would fill its context.
const MAX_RULE_BYTES = 256_000

/** Makes the key of a reading. A file that is found in two folders has two names, and is read for each. */
const keyOf = (folder: string, file: string): string => `${folder}\0${file}`

const reading = (state: FileState, path: string, reason: string, line?: number): Reading => ({
  state,
  rule: null,
  leftOut: { path, reason, ...(line === undefined ? {} : { line }) },
})

/** Reads one rule file. An empty one is no rule, and nobody is told of it. */
const readRule = async (
  path: string,
  name: string,
  dialect: RuleDialect,
  state: FileState,
): Promise<Reading> => {
  const stats = safe(() => statSync(path)).data
  const size = stats?.isFile() ? stats.size : undefined
  if (size === 0) return { state, rule: null, leftOut: null }
  if (size !== undefined && size > MAX_RULE_BYTES) {
    return reading(state, path, `it has ${size} bytes; a rule has at most ${MAX_RULE_BYTES}`)
  }
  const read = await readText(path)
  if (read.error !== null) return reading(state, path, read.error)
  const text = await readRuleText(read.data.text, dialect)
  if (text.error !== null) return reading(state, path, text.error.reason, text.error.line)
  if (text.data.body === '') return { state, rule: null, leftOut: null }
  const rule: Rule = { ...text.data, path, name, realPath: read.data.realPath }
  // The library for globs is loaded only when a rule has some, which most have not.
  if (rule.globs) rule.applies = (await import('./glob-matcher.ts')).matcherOf(rule.globs)
  return { state, rule, leftOut: null }
}

/**
 * The rule files of some folders (rule-discovery.md, Rule File Formats). A file is read again only when it has changed,
 * a folder only when something in it came or went. Where nothing did, `discover` calls `stat` once for each of them.
 */
export class RuleFiles {
  readonly #folders: Array<RuleFolder>
  readonly #roots: Array<string>
  #readings = new Map<string, Reading>()
  /** Each folder and file that was looked at, and its state then. */
  #states = new Map<string, FileState>()
  #found: RuleSet | undefined

  /** @param roots the real folders that links in the rule folders may lead into */
  constructor(folders: Array<RuleFolder>, roots: Array<string>) {
    this.#folders = folders
    this.#roots = roots
  }

  /**
   * Finds the rules as they are on the disk now, in the folders' order; gives the same object as before where nothing
   * changed. A project's rule takes the place of the global one of its name.
   *
   * @param onFound is called for each rule where anything changed
   */
  async discover(onFound: (scope: RuleFolder['scope'], file: string) => void = () => {}): Promise<RuleSet> {
    if (this.#found && this.#isUnchanged()) return this.#found
    const states = new Map<string, FileState>()
    const readings = new Map<string, Reading>()
    const leftOut: Array<LeftOut> = []
    const found: Array<Found> = []
    for (const folder of this.#folders) {
      states.set(folder.path, stateOf(folder.path))
      const dialect = dialectOf(folder.path.split(sep).join('/'))
      const bounds = { isWanted: dialect.isRuleFile, roots: this.#roots }
      const walk = walkRules(folder.path, bounds, folder.named !== undefined)
      leftOut.push(...walk.leftOut)
      for (const [path, state] of walk.folders) states.set(path, state)
      const read = await readInBatches(walk.files, (file) => this.#read(folder.path, file, dialect))
      walk.files.forEach((file, index) => {
        const { state, rule, leftOut: fault } = read[index]!
        states.set(join(folder.path, file), state)
        readings.set(keyOf(folder.path, file), read[index]!)
        if (fault) leftOut.push(fault)
        if (rule) found.push({ folder, file, rule })
      })
    }
    this.#states = states
    this.#readings = readings
    const kept = chosen(found)
    const fits = withinLimits(kept, leftOut)
    for (const { folder, file } of fits) onFound(folder.scope, file)
    this.#found = { rules: withOwnNames(fits), leftOut, missing: this.#missing() }
    return this.#found
  }

  #isUnchanged(): boolean {
    for (const [path, state] of this.#states) if (!isStill(path, state)) return false
    return true
  }

  async #read(folder: string, file: string, dialect: RuleDialect): Promise<Reading> {
    const path = join(folder, file)
    const known = this.#readings.get(keyOf(folder, file))
    if (known && isStill(path, known.state)) return known
    const read = await readRule(path, dialect.nameOf(file), dialect, stateOf(path))
    // The matches of a rule are remembered by its object, so an unchanged rule keeps it.
    const isSame = known?.rule && JSON.stringify(known.rule) === JSON.stringify(read.rule)
    return isSame ? { ...read, rule: known.rule } : read
  }

  /** Lists the entries of the option `rules.directories` that lead to no folder: to nothing, or to a file. */
  #missing(): Array<string> {
    const named = this.#folders.flatMap((folder) => folder.named ?? [])
    const there = this.#folders.filter(({ path }) => isFolder(path)).map((folder) => folder.named)
    return [...new Set(named)].filter((entry) => !there.includes(entry))
  }
}

/** A rule, and the folder and the file that it was found in. */
type Found = { folder: RuleFolder; file: string; rule: Rule }

/** Keeps one rule for each file, and of a project's and a global one of the same name the project's. */
const chosen = (found: Array<Found>): Array<Found> => {
  const own = new Set(found.flatMap(({ folder, rule }) => (folder.scope === 'project' ? [rule.name] : [])))
  const seen = new Set<string>()
  return found.filter(({ folder, rule }) => {
    // A file may be found twice: through a link, or in a folder that is named twice.
    if (seen.has(rule.realPath) || (folder.scope === 'global' && own.has(rule.name))) return false
    seen.add(rule.realPath)
    return true
  })
}

// A model could not follow more rules than this. A folder that was linked by mistake once put 48 MB into each request.
const MAX_RULES = 500
const MAX_BYTES = 512 * 1024

/** Keeps the rules that a session can take, in their order; of each folder's others `leftOut` gets the number. */
const withinLimits = (found: Array<Found>, leftOut: Array<LeftOut>): Array<Found> => {
  const over = new Map<string, number>()
  let count = 0
  let bytes = 0
  const kept = found.filter(({ folder, rule }) => {
    const size = Buffer.byteLength(rule.body)
    const fits = count < MAX_RULES && bytes + size <= MAX_BYTES
    if (fits) [count, bytes] = [count + 1, bytes + size]
    else over.set(folder.path, (over.get(folder.path) ?? 0) + 1)
    return fits
  })
  for (const [path, number] of over) {
    const reason = `${number} more rule files are left out: a session takes at most ${MAX_RULES} rules with ${
      MAX_BYTES / 1024
    } KB in all`
    leftOut.push({ path, reason: number === 1 ? reason.replace('files are', 'file is') : reason })
  }
  return kept
}

/** Gives rules of the same name their paths as names: "style was taken back" must not be read as said of both. */
const withOwnNames = (kept: Array<Found>): Array<Rule> => {
  const amounts = new Map<string, number>()
  for (const { rule: { name } } of kept) amounts.set(name, (amounts.get(name) ?? 0) + 1)
  return kept.map(({ folder, file, rule }) =>
    amounts.get(rule.name) === 1
      ? rule
      : { ...rule, name: join(folder.label ?? folder.path, file).split(sep).join('/') }
  )
}
