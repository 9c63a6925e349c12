import { basename, relative, sep } from 'node:path'
import { contains, type Place } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { configFolder, homeFolder } from '../paths/user-folders.ts'
import type { Result } from '../safe.ts'
import { type FolderRules, MAX_RULES, type Rule, RuleFolderReader } from './rule-files.ts'
import { otherToolsFolders, type RuleFolder, ruleFolders } from './rule-folders.ts'
import { isFolder, type LeftOut } from './rule-walk.ts'

/** The rules for the sessions now, what was left out, and what the host sends by itself. */
export type RulesOnDisk = {
  rules: Array<Rule>
  leftOut: Array<LeftOut>
  /** The rules that were found, with those that the host sends by itself. */
  discovered: Array<Rule>
  /** The entries of the option `rules.directories` that lead to no folder. */
  missing: Array<string>
  /** The files that the host sends by itself as instruction files. */
  instructions: Array<string>
  /** Folders of other tools that are there and that nobody named. */
  folders: Array<string>
}

/** Reads the rules that sessions have now, and where it `isFresh`, looks up again what the host sends by itself. */
export type ReadRules = (isFresh: boolean) => Promise<Result<RulesOnDisk>>

/** Whether there is anything to show. Without rule files no hidden message is stored. */
export const hasRules = ({ rules, leftOut }: RulesOnDisk): boolean => rules.length > 0 || leftOut.length > 0

/** What the reader of the rules needs. */
export type RulesReaderInput = {
  /** Where the session is, links resolved. */
  place: Place
  /** The entries of the option `rules.directories`. */
  directories: Array<string>
  /** The paths of the files that the host sends by itself. */
  instructions: () => Promise<Array<string>>
}

// More than this no model can follow, and a folder that was linked by mistake had 48 MB.
const MAX_BYTES = 512 * 1024

/** Keeps one rule for each file; a project's rule, faulty or not, replaces the global one of the same name. */
const chosen = (looked: Array<FolderRules>): Pick<RulesOnDisk, 'rules' | 'leftOut'> => {
  const rules = looked.flatMap((one) => one.rules)
  const leftOut = looked.flatMap((one) => one.leftOut)
  const namesIn = (scope: RuleFolder['scope']): Set<string | undefined> =>
    new Set([...rules, ...leftOut].filter(({ folder }) => folder.scope === scope).map(({ name }) => name))
  const [own, global] = [namesIn('project'), namesIn('global')]
  const seen = new Set<string>()
  return {
    rules: rules.filter(({ folder, name, realPath }) => {
      // A file may be found twice: through a link, or in a folder that is named twice.
      if (seen.has(realPath) || (folder.scope === 'global' && own.has(name))) return false
      seen.add(realPath)
      return true
    }),
    leftOut: leftOut.map((fault) => {
      const isReplacing = fault.folder.scope === 'project' && fault.name !== undefined
        && global.has(fault.name)
      return isReplacing
        ? { ...fault, reason: `${fault.reason}; it replaces your own rule of its name` }
        : fault
    }),
  }
}

/** Keeps the rules that a session can take, in their order, and counts the others of each folder. */
const withinLimits = (
  rules: Array<Rule>,
  looked: Array<FolderRules>,
): { kept: Array<Rule>; over: Array<LeftOut> } => {
  const more = new Map(looked.map((one) => [one.folder, one.more]))
  let [count, bytes] = [0, 0]
  const kept = rules.filter(({ folder, body }) => {
    const size = Buffer.byteLength(body)
    const fits = count < MAX_RULES && bytes + size <= MAX_BYTES
    if (fits) [count, bytes] = [count + 1, bytes + size]
    else more.set(folder, (more.get(folder) ?? 0) + 1)
    return fits
  })
  const limits = `a session takes at most ${MAX_RULES} rules with ${MAX_BYTES / 1024} KB in all`
  const over = [...more].filter(([, number]) => number > 0).map(([folder, number]) => {
    const files = number === 1 ? '1 more rule file is' : `${number} more rule files are`
    return { folder, path: folder.path, reason: `${files} left out: ${limits}` }
  })
  return { kept, over }
}

/** Names rules of the same name by their paths, so that the panel can distinguish them. */
const withOwnNames = (rules: Array<Rule>, worktree: string): Array<Rule> => {
  const isShared = (rule: Rule) => rules.some((other) => other !== rule && other.name === rule.name)
  return rules.map((rule) => {
    if (!isShared(rule)) return rule
    const { path, folder, file } = rule
    const inside = relative(worktree, path).split(sep).join('/')
    return { ...rule, name: contains(worktree, path) ? inside : `${basename(folder.path)}/${file}` }
  })
}

/** Reads the rules on the disk for the sessions of one instance of the host. */
export class RulesReader {
  readonly #input: RulesReaderInput
  readonly #readers: Array<RuleFolderReader>
  readonly #others: Array<string>
  #last: { looked: Array<FolderRules>; onDisk: RulesOnDisk } | undefined

  constructor(input: RulesReaderInput) {
    this.#input = input
    const { place, directories } = input
    const isProjectOff = /^(?:true|1)$/i.test(process.env['OPENCODE_DISABLE_PROJECT_CONFIG'] ?? '')
    const sources = { place, directories, isProjectOff, config: configFolder(), home: homeFolder() }
    const folders = ruleFolders(sources)
    this.#readers = folders.map((folder) => new RuleFolderReader(folder, place.worktree))
    this.#others = isProjectOff
      ? []
      : otherToolsFolders(place).filter((path) => !folders.some((folder) => contains(path, folder.path)))
  }

  /**
   * Gives what is there now: the same rules as before where nothing changed.
   *
   * @param isFresh whether to look up again what the host sends by itself; otherwise only when a rule has changed
   */
  async read(isFresh: boolean): Promise<RulesOnDisk> {
    const looked = await Promise.all(this.#readers.map((reader) => reader.look()))
    const last = this.#last
    const isSame = last && !isFresh && looked.every((one, index) => one === last.looked[index])
    if (isSame) return last.onDisk
    const onDisk = await this.#combine(looked)
    this.#last = { looked, onDisk }
    return onDisk
  }

  async #combine(looked: Array<FolderRules>): Promise<RulesOnDisk> {
    const { place, directories } = this.#input
    const { rules, leftOut } = chosen(looked)
    const { kept, over } = withinLimits(rules, looked)
    const named = looked.filter(({ isThere }) => isThere).map(({ folder }) => folder.named)
    const instructions = kept.length + leftOut.length === 0 ? [] : await this.#input.instructions()
    const sentByHost = new Set(await Promise.all(instructions.map(realPathOr)))
    const isThere = await Promise.all(this.#others.map(isFolder))
    return {
      rules: withOwnNames(kept, place.worktree).filter(({ realPath }) => !sentByHost.has(realPath)),
      leftOut: [...leftOut, ...over],
      discovered: kept,
      missing: [...new Set(directories)].filter((entry) => !named.includes(entry)),
      instructions,
      folders: this.#others.filter((_, index) => isThere[index]),
    }
  }
}
