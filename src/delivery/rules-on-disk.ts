import { contains, type Place } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { configFolder, homeFolder } from '../paths/user-folders.ts'
import { isFolder } from './file-state.ts'
import { type Rule, RuleFiles, type RuleSet } from './rule-files.ts'
import { otherToolsFolders, ruleFolders } from './rule-folders.ts'
import type { LeftOut } from './rule-walk.ts'
import type { RuleWarnings } from './rule-warnings.ts'

/** The rules that are the sessions' to have now, what is left out of them, and what the host sends by itself. */
export type RulesOnDisk = {
  rules: Array<Rule>
  leftOut: Array<LeftOut>
  /** The files that the host sends by itself as instruction files. */
  instructions: Array<string>
  /** The paths of the rule files among them. */
  sentByHost: ReadonlySet<string>
  /** Folders of other tools that are there and that nobody named. */
  folders: Array<string>
}

/** Whether there is anything to tell a person of. Where no rule file is, no hidden message is stored. */
export const hasRules = ({ rules, leftOut }: RulesOnDisk): boolean => rules.length > 0 || leftOut.length > 0

/** What a reader of the rules goes by, and whom it tells what it finds. */
type RulesReaderInput = {
  place: Place
  /** The entries of the option `rules.directories`. */
  directories: Array<string>
  /** The real folders that links in rule folders may lead into. */
  roots: Array<string>
  warnings: RuleWarnings
  debug: (line: string) => void
  /** The paths of the files that the host sends by itself. */
  instructions: () => Promise<Array<string>>
}

const isSame = ({ rules, ...rest }: RulesOnDisk, other: RulesOnDisk): boolean =>
  rules.length === other.rules.length && rules.every((rule, index) => rule === other.rules[index])
  && JSON.stringify(rest) === JSON.stringify({ ...other, rules: undefined })

/** Reads the rules on the disk for the sessions of one instance of the host, and tells what is wrong with them. */
export class RulesReader {
  readonly #input: RulesReaderInput
  readonly #files: RuleFiles
  readonly #others: Array<string>
  readonly #debugged = new Set<string>()
  #last: { set: RuleSet; onDisk: RulesOnDisk } | undefined
  readonly #pending = new Map<boolean, Promise<RulesOnDisk>>()

  constructor(input: RulesReaderInput) {
    this.#input = input
    const { place, directories, roots } = input
    const folders = ruleFolders({ place, directories, config: configFolder(), home: homeFolder() })
    this.#files = new RuleFiles(folders, roots)
    const named = folders.map(({ path }) => path)
    this.#others = otherToolsFolders(place).filter((path) => !named.some((one) => contains(path, one)))
  }

  /**
   * Gives what is there now: the same object as before while nothing changed. Sessions that ask at the same time share
   * one reading.
   *
   * @param isFresh whether to find out anew what the host sends by itself; else that is done where a rule has changed
   */
  read(isFresh: boolean): Promise<RulesOnDisk> {
    const pending = this.#pending.get(isFresh)
    if (pending) return pending
    const reading = this.#read(isFresh).finally(() => this.#pending.delete(isFresh))
    this.#pending.set(isFresh, reading)
    return reading
  }

  async #read(isFresh: boolean): Promise<RulesOnDisk> {
    const set = await this.#files.discover((scope, file) => this.#debug(`Discovered ${scope} rule: ${file}`))
    if (this.#last?.set === set && !isFresh) return this.#last.onDisk
    const { warnings } = this.#input
    for (const fault of set.leftOut) warnings.leftOut(fault)
    for (const entry of set.missing) warnings.missingFolder(entry)
    const onDisk = await this.#withoutSent(set)
    // What a session shows to the person is stored again only where the object is another one.
    const last = this.#last?.onDisk
    this.#last = { set, onDisk: last && isSame(last, onDisk) ? last : onDisk }
    return this.#last.onDisk
  }

  /** Takes the rules out that the host sends by itself as instruction files. */
  async #withoutSent({ rules, leftOut }: RuleSet): Promise<RulesOnDisk> {
    const folders = this.#others.filter(isFolder)
    for (const path of folders) this.#debug(`Not read, for rules.directories does not name it: ${path}`)
    const isEmpty = rules.length === 0 && leftOut.length === 0
    const instructions = isEmpty ? [] : await this.#input.instructions()
    const hosts = new Set(await Promise.all(instructions.map(realPathOr)))
    const isSent = ({ realPath }: Rule): boolean => hosts.has(realPath)
    return {
      rules: rules.filter((rule) => !isSent(rule)),
      leftOut,
      instructions,
      sentByHost: new Set(rules.filter(isSent).map(({ path }) => path)),
      folders,
    }
  }

  /** Tells each line once: the folders are read before every request. */
  #debug(line: string): void {
    if (this.#debugged.has(line)) return
    this.#debugged.add(line)
    this.#input.debug(line)
  }
}
