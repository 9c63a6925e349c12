import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { readText } from '../read-text.ts'
import { reasonOf } from '../safe.ts'
import type { PathMatcher } from './globs.ts'
import type { RuleFolder } from './rule-folders.ts'
import { readRuleText } from './rule-text.ts'

/**
 * A rule: `path` is where it was found, `realPath` the same with links resolved, `name` its path in the rule folder
 * without the ending; `applies` is `null` where it always does.
 */
export type Rule = {
  path: string
  realPath: string
  name: string
  body: string
  applies: PathMatcher | null
}

/** What a rule file gave when it was last read, and the state of the file then. `rule` is `null` for none. */
type Reading = { state: string; rule: Omit<Rule, 'name'> | null }

// A rule is read by a model on each request; what is larger is no rule and would fill its context.
const MAX_RULE_BYTES = 256_000

const inOrder = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const nameOf = (file: string): string => file.replace(/\.mdc?$/, '')

/** The rule files in a folder, relative to it and sorted; none where the folder cannot be read. */
const listRuleFiles = async ({ path }: RuleFolder): Promise<Array<string>> => {
  // Most projects have no such folder, and then the library is not loaded.
  if (!(await access(path).then(() => true, () => false))) return []
  const { glob } = await import('tinyglobby')
  const files = await glob(['**/*.md', '**/*.mdc'], { cwd: path, expandDirectories: false }).catch(() => [])
  return files.sort(inOrder)
}

/**
 * The rule files of some folders (rule-discovery.md, Rule File Formats). A file is read again when it has changed;
 * what cannot be used is told to the log once for each of its states.
 */
export class RuleFiles {
  readonly #folders: Array<RuleFolder>
  readonly #log: Log
  readonly #discovered: (line: string) => void
  #readings = new Map<string, Reading>()

  /** `discovered` is told each rule by a line, each time that the folders are looked through. */
  constructor(folders: Array<RuleFolder>, log: Log, discovered: (line: string) => void) {
    this.#folders = folders
    this.#log = log
    this.#discovered = discovered
  }

  /**
   * The rules as they are on the disk now, in the folders' order. A project's rule stands for the global one of its
   * name.
   */
  async discover(): Promise<Array<Rule>> {
    const readings = new Map<string, Reading>()
    const found = await Promise.all(this.#folders.map(async (folder) => {
      const files = await listRuleFiles(folder)
      const rules = await Promise.all(files.map(async (file) => {
        const path = join(folder.path, file)
        const reading = await this.#read(path)
        readings.set(path, reading)
        return reading.rule && { ...reading.rule, name: nameOf(file), file }
      }))
      return { scope: folder.scope, rules: rules.filter((rule) => rule !== null) }
    }))
    this.#readings = readings

    const own = new Set(
      found.flatMap(({ scope, rules }) => (scope === 'project' ? rules.map(({ name }) => name) : [])),
    )
    const seen = new Set<string>()
    return found.flatMap(({ scope, rules }) =>
      rules.flatMap(({ file, ...rule }) => {
        // One file can be found by several ways: through links, or in a folder that is given twice.
        if (seen.has(rule.realPath) || (scope === 'global' && own.has(rule.name))) return []
        seen.add(rule.realPath)
        this.#discovered(`Discovered ${scope} rule: ${file}`)
        return [rule]
      })
    )
  }

  async #read(path: string): Promise<Reading> {
    try {
      const { mtimeMs, ctimeMs, size, ino } = await stat(path)
      const state = [mtimeMs, ctimeMs, size, ino].join()
      const known = this.#readings.get(path)
      if (known?.state === state) return known
      return { state, rule: size === 0 ? null : await this.#parse(path, size) }
    } catch (thrown) {
      const state = reasonOf(thrown)
      if (this.#readings.get(path)?.state !== state) this.#leaveOut(path, state)
      return { state, rule: null }
    }
  }

  async #parse(path: string, size: number): Promise<Reading['rule']> {
    if (size > MAX_RULE_BYTES) {
      return this.#leaveOut(path, `it has ${size} bytes; a rule has at most ${MAX_RULE_BYTES}`)
    }
    const read = await readText(path)
    if (read.error !== null) return this.#leaveOut(path, read.error)
    const text = await readRuleText(read.data.text)
    if (text.error !== null) return this.#leaveOut(`${path}:${text.error.line}`, text.error.reason)
    const { body, globs } = text.data
    const { realPath } = read.data
    if (body === '') return null
    // Most rules have no globs, and then the library is not loaded.
    const applies = globs && (await import('./globs.ts')).matcherOf(globs)
    return { path, realPath, body, applies }
  }

  #leaveOut(where: string, reason: string): null {
    this.#log('warn', `Left out the rule file ${where}: ${reason}`)
    return null
  }
}
