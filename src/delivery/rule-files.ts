import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { readInBatches, readText } from '../files/read.ts'
import { safe } from '../safe.ts'
import { type FileState, isFolder, isStill, stateOf } from './file-state.ts'
import type { PathMatcher } from './globs.ts'
import { dialectOf, type RuleDialect } from './rule-dialect.ts'
import type { RuleFolder } from './rule-folders.ts'
import { readRuleText, type RuleText } from './rule-text.ts'
import { type LeftOut, walkRules } from './rule-walk.ts'

/**
 * A rule: `path` is where it was found, `realPath` the same with links resolved, `name` its path in the rule folder
 * without the ending, `digest` another one where it says something else; `applies` is there where it waits for a file.
 */
export type Rule = RuleText & {
  path: string
  realPath: string
  name: string
  digest: string
  applies?: PathMatcher
}

/** The rules as they are on the disk, what is left out of them, and the named folders that are not there. */
export type RuleSet = { rules: Array<Rule>; leftOut: Array<LeftOut>; missing: Array<string> }

/** What a rule file gave when it was last read, and the state of the file then. */
type Reading = { state: FileState; rule: Rule | null; leftOut: LeftOut | null }

// A rule is read by a model on each request; what is larger is no rule and would fill its context.
const MAX_RULE_BYTES = 256_000

/** Another digest where the model would be told other words; other line breaks are none. */
const digestOf = ({ kind, description, body }: RuleText): string =>
  createHash('sha256').update(kind === 'offered' ? `offered ${description}` : body.replaceAll('\r\n', '\n'))
    .digest('hex').slice(0, 16)

/** A file has another name in each folder that it is found in. */
const keyOf = (folder: string, file: string): string => `${folder}\0${file}`

const reading = (state: FileState, path: string, reason: string, line?: number): Reading => ({
  state,
  rule: null,
  leftOut: { path, reason, ...(line === undefined ? {} : { line }) },
})

/** Reads one rule file. An empty one is no rule, and nothing is wrong with it. */
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
  const rule: Rule = { ...text.data, path, name, realPath: read.data.realPath, digest: digestOf(text.data) }
  // Most rules have no globs, and then the library is not loaded.
  if (rule.globs) rule.applies = (await import('./globs.ts')).matcherOf(rule.globs)
  return { state, rule, leftOut: null }
}

/**
 * The rule files of some folders (rule-discovery.md, Rule File Formats). A file is read again when it has changed, a
 * folder looked through again when something came or went: where nothing did, a look is one `stat` for each of them.
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
   * The rules as they are on the disk now, in the folders' order; the same object as before where nothing changed. A
   * project's rule stands for the global one of its name. Each rule that is found newly is told to `onFound`.
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
    this.#found = { rules: chosen(found, onFound), leftOut, missing: this.#missing() }
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
    // Who knows a rule by its object, such as the files that it was matched against, goes on knowing it.
    const isSame = known?.rule && JSON.stringify(known.rule) === JSON.stringify(read.rule)
    return isSame ? { ...read, rule: known.rule } : read
  }

  /** The entries of the option `rules.directories` that lead to no folder: to nothing, or to a file. */
  #missing(): Array<string> {
    const named = this.#folders.flatMap((folder) => folder.named ?? [])
    const there = this.#folders.filter(({ path }) => isFolder(path)).map((folder) => folder.named)
    return [...new Set(named)].filter((entry) => !there.includes(entry))
  }
}

type Found = { folder: RuleFolder; file: string; rule: Rule }

/** One rule for each file and, where a project's and a global one have the same name, the project's alone. */
const chosen = (
  found: Array<Found>,
  onFound: (scope: RuleFolder['scope'], file: string) => void,
): Array<Rule> => {
  const own = new Set(found.flatMap(({ folder, rule }) => (folder.scope === 'project' ? [rule.name] : [])))
  const seen = new Set<string>()
  const kept = found.filter(({ folder, rule }) => {
    // One file can be found by several ways: through links, or in a folder that is given twice.
    if (seen.has(rule.realPath) || (folder.scope === 'global' && own.has(rule.name))) return false
    seen.add(rule.realPath)
    return true
  })
  for (const { folder, file } of kept) onFound(folder.scope, file)
  return withOwnNames(kept)
}

/** Rules of one name are called by their paths: "style was taken back" must not be read as said of both. */
const withOwnNames = (kept: Array<Found>): Array<Rule> => {
  const amounts = new Map<string, number>()
  for (const { rule: { name } } of kept) amounts.set(name, (amounts.get(name) ?? 0) + 1)
  return kept.map(({ folder, file, rule }) =>
    amounts.get(rule.name) === 1
      ? rule
      : { ...rule, name: join(folder.label ?? folder.path, file).split(sep).join('/') }
  )
}
