/** Reads the rule files of a folder, and on later reads only the changed files. */
import { join } from 'node:path'
import { type Budget, NO_TIME, sessionBudget, spend } from '../checks/budget.ts'
import type { Checks } from '../checks/patterns.ts'
import type { Result } from '../safe.ts'
import { linesOf } from '../text/line-ending.ts'
import { excerpt } from '../text/quoted-name.ts'
import { readInBatches, type ReadText, readText } from '../text/read.ts'
import type { Condition } from './conditions.ts'
import { stateOf, type StateReader } from './file-state.ts'
import { withIdleTimeout } from './idle-timeout.ts'
import { noteMissingFolders } from './missing-folders.ts'
import { dialectOf, kindOf, limitingKeyOf, type RuleDialect, type RuleKind } from './rule-dialects.ts'
import { isOwn, type RuleFolder } from './rule-folders.ts'
import { readRuleText, type RuleText } from './rule-frontmatter.ts'
import type { PathMatcher } from './rule-globs.ts'
import { type RuleFault, type Walk, walkRules } from './rule-walk.ts'

export type Rule = RuleKind & {
  folder: RuleFolder
  /** Relative to the folder. */
  file: string
  path: string
  realPath: string
  /** `file` without its extension, or a longer path if several rules have the same name. */
  name: string
  body: string
  description?: string
  conditions?: Array<Condition>
  applies?: PathMatcher
  note?: string
  checks?: Checks
  hasExamples?: boolean
}

export type CheckedRule = Rule & { checks: Checks }

export const hasChecks = (rule: Rule): rule is CheckedRule => rule.checks !== undefined

export type UncompiledRule = Omit<Rule, 'conditions' | 'applies' | 'checks' | 'hasExamples' | 'note'> & {
  dialect: RuleDialect
  header: RuleText
  /** A note on a missing folder that a glob names. */
  folderNote?: string
}

/** The limit for a session, because a model could not follow more rules. */
export const MAX_RULES = 500
/** The limit for a session, in case a large folder is linked by mistake. */
export const MAX_BYTES = 512 * 1024
// Twice as much, because `MAX_BYTES` does not count the headers of the files.
const MAX_FOLDER_BYTES = 2 * MAX_BYTES
// A larger file is probably no rule.
const READ_LIMITS = { maxBytes: 256_000, maxMs: 2_000 }

type ParsedFile = { rule?: UncompiledRule; fault?: RuleFault }

export type FolderRules = Omit<Walk, 'files'> & {
  folder: RuleFolder
  rules: Array<UncompiledRule>
  /** The number of files beyond the limits, which are not read. */
  excess: number
}

type FolderRead = { rules: FolderRules; states: Map<string, string>; parsed: Map<string, ParsedFile> }

const DISK_TIMEOUT_MS = 2_000

/**
 * Creates a function that returns a folder's rules, in the same object if nothing has changed.
 * While the disk does not answer, the function returns the rules of the last read, with a fault.
 */
export const ruleFolderReader = (
  folder: RuleFolder,
  worktree: string,
  budget = sessionBudget(),
): () => Promise<FolderRules> => {
  let last: FolderRead = {
    rules: { folder, rules: [], leftOut: [], excess: 0, exists: false, foldersRead: new Set() },
    states: new Map(),
    parsed: new Map(),
  }
  let diskAnswers = 0
  const readState: StateReader = (path) => stateOf(path).finally(() => diskAnswers += 1)
  const readIfChanged = async (): Promise<FolderRules> => {
    const isSame = ([path, state]: [string, string]) => readState(path).then((now) => now.state === state)
    const same = await readInBatches([...last.states], isSame)
    const isUnchanged = same.length > 0 && same.every(Boolean)
    if (!isUnchanged) last = await readFolder(folder, worktree, budget, last, readState)
    return last.rules
  }
  const readInTime = withIdleTimeout(readIfChanged, DISK_TIMEOUT_MS, () => diskAnswers)
  return async () => {
    const { data } = await readInTime()
    const reason = 'not read in time; SAT uses the rules of the last read'
    return data ?? { ...last.rules, leftOut: [...last.rules.leftOut, { folder, path: folder.path, reason }] }
  }
}

const readFolder = async (
  folder: RuleFolder,
  worktree: string,
  budget: Budget,
  last: FolderRead,
  readState: StateReader,
): Promise<FolderRead> => {
  const states = new Map<string, string>()
  const track: StateReader = async (path) => {
    const pathState = await readState(path)
    states.set(path, pathState.state)
    return pathState
  }
  await track(folder.path)
  const { files, leftOut, ...walk } = await walkRules(folder, worktree, track)
  const filesWithSize = await readInBatches(files.sort().slice(0, MAX_RULES), async (file) => {
    const path = join(folder.path, file)
    const { state, size } = await track(path)
    const hasChanged = state !== last.states.get(path)
    return { file, path, size, parsedBefore: hasChanged ? undefined : last.parsed.get(path) }
  })
  const withinLimits = withinFolderLimit(filesWithSize)
  const texts = await readInBatches(
    withinLimits,
    async ({ path, parsedBefore }) => parsedBefore ? undefined : readText(path, READ_LIMITS),
  )
  // The files are parsed in order, so that the budget is spent on the same files each time.
  const parsedFiles = withinLimits.map(({ file, parsedBefore }, index) =>
    parsedBefore ?? parseFile(folder, file, texts[index]!, budget)
  )
  const parsed = new Map(withinLimits.map(({ path }, index) => [path, parsedFiles[index]!]))
  const parsedRules = parsedFiles.flatMap(({ rule }) => rule ?? [])
  const rules = await noteMissingFolders(parsedRules, worktree, track, budget)
  leftOut.push(...parsedFiles.flatMap(({ fault }) => fault ?? []))
  const excess = files.length - withinLimits.length
  return { rules: { ...walk, folder, rules, leftOut, excess }, states, parsed }
}

const withinFolderLimit = <File extends { size: number }>(files: Array<File>): Array<File> => {
  let bytes = 0
  return files.filter(({ size }) => {
    // Keeps a file that is too large, so that `readText` reports it.
    if (size > READ_LIMITS.maxBytes) return true
    bytes += size
    return bytes <= MAX_FOLDER_BYTES
  })
}

const parseFile = (folder: RuleFolder, file: string, read: Result<ReadText>, budget: Budget): ParsedFile => {
  const path = join(folder.path, file)
  const dialect = dialectOf(folder.path)
  const name = file.replace(dialect.ending, '')
  if (read.error !== null) return { fault: { folder, path, name, reason: read.error } }
  const { text, realPath } = read.data
  const place = { folder, path, realPath, name }
  const faultOf = (reason: string, line?: number) => ({ fault: { ...place, reason, line } })
  if (budget.ms <= 0 && !isOwn(folder)) return faultOf(NO_TIME)
  const { data: header, error } = spend(budget, () => readRuleText(text))
  if (error !== null) return faultOf(error.reason, error.line)
  const { body, keys, keys: { description } } = header
  if (text.trim() === '') return faultOf('it is empty')
  if (body === '') return faultOf('there is no text below its frontmatter')
  const rule = { ...kindOf(dialect, keys), ...place, file, body, description, dialect, header }
  const limitingKey = rule.kind === 'always' ? limitingKeyOf(dialect, header) : undefined
  if (!limitingKey) return { rule }
  const reason = `${excerpt(limitingKey.key)} limits a rule in another tool; SAT does not read this key`
    + ' and only offers the rule to the model'
  return {
    rule: { ...rule, kind: 'offered', description: description ?? firstLineOf(body) },
    fault: { ...place, reason, line: limitingKey.line, isOffered: true },
  }
}

const firstLineOf = (body: string): string => excerpt(linesOf(body)[0]!.replace(/^#+\s/, ''))
