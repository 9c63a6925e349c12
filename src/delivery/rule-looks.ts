import { relative } from 'node:path'
import { contains, type Place } from '../files/boundary.ts'
import { configFolder, homeFolder } from '../files/paths.ts'
import { realPathOr } from '../files/real-path.ts'
import type { Log } from '../host/log.ts'
import type { Toast } from '../host/toast.ts'
import { isFolder } from './file-state.ts'
import { type Rule, RuleFiles, type RuleSet } from './rule-files.ts'
import { otherToolsFolders, ruleFolders } from './rule-folders.ts'
import { TOO_MANY } from './rule-limits.ts'
import type { LeftOut } from './rule-walk.ts'
import type { RuleLook } from './summary.ts'

export type RuleLooksInput = {
  place: Place
  /** The entries of the option `rules.directories`. */
  directories: Array<string>
  /** The real folders that links in rule folders may lead into. */
  roots: Array<string>
  log: Log
  toast: Toast
  debug: (line: string) => void
  /** The paths of the files that the host sends by itself. */
  instructions: () => Promise<Array<string>>
}

const isSameLook = ({ rules, ...rest }: RuleLook, other: RuleLook): boolean =>
  rules.length === other.rules.length && rules.every((rule, index) => rule === other.rules[index])
  && JSON.stringify(rest) === JSON.stringify({ ...other, rules: undefined })

/**
 * Looks at the rules on the disk for the sessions, and tells the person once what is wrong with them: a rule file
 * that is left out, a folder of the option that is not there.
 */
export class RuleLooks {
  readonly #input: RuleLooksInput
  readonly #files: RuleFiles
  readonly #others: Array<string>
  readonly #told = new Set<string>()
  #last: { set: RuleSet; look: RuleLook } | undefined
  readonly #pending = new Map<boolean, Promise<RuleLook>>()

  constructor(input: RuleLooksInput) {
    this.#input = input
    const { place, directories, roots } = input
    const folders = ruleFolders({ place, directories, config: configFolder(), home: homeFolder() })
    this.#files = new RuleFiles(folders, roots)
    const named = folders.map(({ path }) => path)
    this.#others = otherToolsFolders(place).filter((path) => !named.some((one) => contains(path, one)))
  }

  /**
   * What is there now. Sessions that ask at the same time share one look.
   *
   * @param isFresh whether what the host sends by itself is found out anew, too; else it is where a rule has changed
   */
  look(isFresh: boolean): Promise<RuleLook> {
    const pending = this.#pending.get(isFresh)
    if (pending) return pending
    const look = this.#look(isFresh).finally(() => this.#pending.delete(isFresh))
    this.#pending.set(isFresh, look)
    return look
  }

  async #look(isFresh: boolean): Promise<RuleLook> {
    const set = await this.#files.discover((scope, file) => this.#debug(`Discovered ${scope} rule: ${file}`))
    if (this.#last?.set === set && !isFresh) return this.#last.look
    for (const fault of set.leftOut) this.#warnLeftOut(fault)
    for (const entry of set.missing) this.#warnMissing(entry)
    const folders = this.#others.filter(isFolder)
    for (const path of folders) this.#debug(`Not read, for rules.directories does not name it: ${path}`)
    const isEmpty = set.rules.length === 0 && set.leftOut.length === 0
    const instructions = isEmpty ? [] : await this.#input.instructions()
    const hosts = new Set(await Promise.all(instructions.map(realPathOr)))
    const isSent = ({ realPath }: Rule): boolean => hosts.has(realPath)
    const look = {
      rules: set.rules.filter((rule) => !isSent(rule)),
      leftOut: set.leftOut,
      instructions,
      sentByHost: new Set(set.rules.filter(isSent).map(({ path }) => path)),
      folders,
    }
    // Who shows a look to the person does so again only where there is another one.
    const last = this.#last?.look
    const isSame = last && isSameLook(last, look)
    this.#last = { set, look: isSame ? last : look }
    return this.#last.look
  }

  /** Tells of rules that apply and that a session cannot take any more. */
  warnTooMany(paths: Array<string>): void {
    const words = paths.length === 1 ? '1 rule file is left out' : `${paths.length} rule files are left out`
    const logged = `${words}: ${TOO_MANY}. Left out: ${paths.join(', ')}`
    this.#warn(TOO_MANY, logged, `${words}: ${TOO_MANY}`)
  }

  /** Each line once: the folders are looked at before every request. */
  #debug(line: string): void {
    if (this.#told.has(line)) return
    this.#told.add(line)
    this.#input.debug(line)
  }

  #warn(key: string, logged: string, shown: string): void {
    if (this.#told.has(key)) return
    this.#told.add(key)
    this.#input.log('warn', logged)
    this.#input.toast(key, shown)
  }

  #warnLeftOut({ path, line, reason }: LeftOut): void {
    const { worktree } = this.#input.place
    const where = (from: string): string => (line === undefined ? from : `${from}:${line}`)
    const short = contains(worktree, path) ? relative(worktree, path) : path
    this.#warn(
      `${where(path)} ${reason}`,
      `Left out the rule file ${where(path)}: ${reason}`,
      `Left out the rule file ${where(short)}: ${reason}`,
    )
  }

  #warnMissing(entry: string): void {
    const { directory, worktree } = this.#input.place
    const places = [...new Set([worktree, directory])].join(' or ')
    const words = `rules.directories: there is no folder ${entry}`
    this.#warn(words, `${words} (looked for in ${places})`, words)
  }
}
