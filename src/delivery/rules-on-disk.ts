import { contains, type Place } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { configFolder, homeFolder } from '../paths/user-folders.ts'
import { within } from '../safe.ts'
import { markName } from '../text/hidden-characters.ts'
import { type FolderRules, LOOK_MS, MAX_RULES, type Rule, RuleFolderReader } from './rule-files.ts'
import { otherToolsFolders, type RuleFolder, ruleFolders } from './rule-folders.ts'
import { isFolder, type LeftOut } from './rule-walk.ts'
import type { RuleWarnings } from './rule-warnings.ts'

/** The rules for the sessions now, what was left out, and what the host sends by itself. */
export type RulesOnDisk = {
  rules: Array<Rule>
  leftOut: Array<LeftOut>
  /** The files that the host sends by itself as instruction files. */
  instructions: Array<string>
  /** Folders of other tools that are there and that nobody named. */
  folders: Array<string>
}

/** Whether there is anything to show. Without rule files no hidden message is stored. */
export const hasRules = ({ rules, leftOut }: RulesOnDisk): boolean => rules.length > 0 || leftOut.length > 0

/** What the reader of the rules needs, and where it reports what it finds. */
export type RulesReaderInput = {
  /** Where the session is, links resolved. */
  place: Place
  /** The entries of the option `rules.directories`. */
  directories: Array<string>
  warnings: Pick<RuleWarnings, 'leftOut' | 'missingFolder'>
  debug: (line: string) => void
  /** The paths of the files that the host sends by itself. */
  instructions: () => Promise<Array<string>>
}

/** A rule, and the folder and the file that it was found in. */
type Found = { folder: RuleFolder; file: string; rule: Rule }

// More than this no model can follow, and a folder that was linked by mistake had 48 MB.
const MAX_BYTES = 512 * 1024

/** Keeps one rule for each file; a project's rule, faulty or not, replaces the global one of the same name. */
const chosen = (looked: Array<FolderRules>): { found: Array<Found>; leftOut: Array<LeftOut> } => {
  const namesIn = (scope: RuleFolder['scope']): Set<string | undefined> => {
    const ofScope = looked.filter(({ folder }) => folder.scope === scope)
    return new Set(
      ofScope.flatMap((one) => [
        ...one.rules.map(({ rule }) => rule.name),
        ...one.leftOut.map(({ name }) => name),
      ]),
    )
  }
  const [own, global] = [namesIn('project'), namesIn('global')]
  const seen = new Set<string>()
  const found = looked.flatMap(({ folder, rules }) => rules.map((rule) => ({ folder, ...rule })))
  return {
    found: found.filter(({ folder, rule }) => {
      // A file may be found twice: through a link, or in a folder that is named twice.
      if (seen.has(rule.realPath) || (folder.scope === 'global' && own.has(rule.name))) return false
      seen.add(rule.realPath)
      return true
    }),
    leftOut: looked.flatMap(({ folder, leftOut }) =>
      leftOut.map((fault) => {
        const isReplacing = folder.scope === 'project' && fault.name !== undefined && global.has(fault.name)
        return isReplacing
          ? { ...fault, reason: `${fault.reason}; it replaces your own rule of its name` }
          : fault
      })
    ),
  }
}

/** Keeps the rules that a session can take, in their order; `leftOut` gets the number of the others of each folder. */
const withinLimits = (
  found: Array<Found>,
  looked: Array<FolderRules>,
  leftOut: Array<LeftOut>,
): Array<Found> => {
  const over = new Map(looked.map(({ folder, more }) => [folder.path, more]))
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
    const files = number === 1 ? '1 more rule file is' : `${number} more rule files are`
    const reason = `${files} left out: a session takes at most ${MAX_RULES} rules with ${
      MAX_BYTES / 1024
    } KB in all`
    if (number > 0) leftOut.push({ path, reason })
  }
  return kept
}

/** Names rules of the same name by their paths, so that the panel can distinguish them. */
const withOwnNames = (kept: Array<Found>): Array<Rule> => {
  const names = new Map<string, number>()
  for (const { rule: { name } } of kept) names.set(name, (names.get(name) ?? 0) + 1)
  return kept.map(({ folder, file, rule }) =>
    names.get(rule.name) === 1 ? rule : { ...rule, name: `${folder.label}/${file}` }
  )
}

/** Reads the rules on the disk for the sessions of one instance of the host, and reports what is wrong with them. */
export class RulesReader {
  readonly #input: RulesReaderInput
  readonly #folders: Array<RuleFolder>
  readonly #others: Array<string>
  #readers: Array<RuleFolderReader> | undefined
  readonly #debugged = new Set<string>()
  #last: { looked: Array<FolderRules>; onDisk: RulesOnDisk } | undefined
  readonly #pending = new Map<boolean, Promise<RulesOnDisk>>()

  constructor(input: RulesReaderInput) {
    this.#input = input
    const { place, directories } = input
    const isProjectOff = /^(?:true|1)$/i.test(process.env['OPENCODE_DISABLE_PROJECT_CONFIG'] ?? '')
    this.#folders = ruleFolders({
      place,
      directories,
      isProjectOff,
      config: configFolder(),
      home: homeFolder(),
    })
    this.#others = isProjectOff
      ? []
      : otherToolsFolders(place).filter((path) =>
        !this.#folders.some((folder) => contains(path, folder.path))
      )
  }

  /**
   * Gives what is there now: the same object as before while nothing changed. Sessions that ask at the same time share
   * one reading.
   *
   * @param isFresh whether to look up again what the host sends by itself; otherwise only when a rule has changed
   */
  read(isFresh: boolean): Promise<RulesOnDisk> {
    const pending = this.#pending.get(isFresh)
    if (pending) return pending
    const reading = this.#read(isFresh).finally(() => this.#pending.delete(isFresh))
    this.#pending.set(isFresh, reading)
    return reading
  }

  async #read(isFresh: boolean): Promise<RulesOnDisk> {
    this.#readers ??= await this.#makeReaders()
    const looked = await Promise.all(this.#readers.map((reader) => reader.look()))
    const last = this.#last
    const isSame = last && looked.every((one, index) => one === last.looked[index])
    if (isSame && !isFresh) return last.onDisk
    const onDisk = await this.#combine(looked)
    // The panel of a session is stored again only where this object is another one.
    const isNews = JSON.stringify(onDisk) !== JSON.stringify(last?.onDisk)
      || onDisk.rules.some((rule, index) => rule !== last?.onDisk.rules[index])
    this.#last = { looked, onDisk: last && !isNews ? last.onDisk : onDisk }
    return this.#last.onDisk
  }

  async #makeReaders(): Promise<Array<RuleFolderReader>> {
    // The person's folder may be on a disk that gives no answer.
    const config = await within(LOOK_MS, realPathOr(configFolder()))
    const bounds = { worktree: this.#input.place.worktree, config: config.data ?? configFolder() }
    return this.#folders.map((folder) => new RuleFolderReader(folder, bounds))
  }

  async #combine(looked: Array<FolderRules>): Promise<RulesOnDisk> {
    const { found, leftOut } = chosen(looked)
    const kept = withinLimits(found, looked, leftOut)
    for (const { folder, file } of kept) this.#debug(`Discovered ${folder.scope} rule: ${file}`)
    for (const fault of leftOut) this.#input.warnings.leftOut(fault)
    const named = looked.filter(({ isThere }) => isThere).map(({ folder }) => folder.named)
    for (const entry of new Set(this.#input.directories)) {
      if (!named.includes(entry)) this.#input.warnings.missingFolder(entry)
    }
    const folders =
      (await Promise.all(this.#others.map(async (path) => ((await isFolder(path)) ? [path] : [])))).flat()
    for (const path of folders) this.#debug(`Not read, for rules.directories does not name it: ${path}`)
    const instructions = kept.length + leftOut.length === 0 ? [] : await this.#input.instructions()
    const sentByHost = new Set(await Promise.all(instructions.map(realPathOr)))
    const rules = withOwnNames(kept).filter(({ realPath }) => !sentByHost.has(realPath))
    return { rules, leftOut, instructions, folders }
  }

  /** Logs each line once: the folders are read before every request. */
  #debug(line: string): void {
    if (this.#debugged.has(line)) return
    this.#debugged.add(line)
    this.#input.debug(markName(line))
  }
}
