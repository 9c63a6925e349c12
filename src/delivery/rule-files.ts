/** Reads the rule files of a folder, and reads them again when they have changed. */
import { join } from 'node:path'
import { type Budget, NO_TIME, sessionBudget, spend } from '../checks/budget.ts'
import type { Checks } from '../checks/patterns.ts'
import { type Result, withTimeout } from '../safe.ts'
import { linesOf } from '../text/line-ending.ts'
import { excerpt } from '../text/quoted-name.ts'
import { readInBatches, type ReadText, readText } from '../text/read.ts'
import type { Condition } from './conditions.ts'
import { type PathState, stateOf, type StateReader } from './file-state.ts'
import { missingFolders } from './missing-folders.ts'
import type { RuleFolder } from './rule-folders.ts'
import { readHeader, type RuleText } from './rule-frontmatter.ts'
import type { PathMatcher } from './rule-globs.ts'
import { type RuleFault, type Walk, walkRules } from './rule-walk.ts'
import { dialectOf, kindOf, limitingKeyOf, type RuleDialect, type RuleKind } from './rules-of-other-tools.ts'

/** A rule. */
export type Rule = RuleKind & {
  folder: RuleFolder
  /** Its path in the folder. */
  file: string
  /** Its absolute path, as it was found and with links resolved. */
  path: string
  realPath: string
  /** Its path in the folder without the ending. */
  name: string
  /** Its text without the header. */
  body: string
  description?: string | undefined
  /** What else must hold for it to be sent. */
  conditions?: Array<Condition>
  /** Matches the files of its globs, if it has any. */
  applies?: PathMatcher
  /** A note on it for the person. */
  note?: string | undefined
  checks?: Checks | null | undefined
  /** Whether examples prove its checks. */
  hasExamples?: boolean
}

/** A rule as it was read: its conditions, globs and patterns are not compiled. */
export type UncompiledRule = Omit<Rule, 'conditions' | 'applies' | 'checks' | 'hasExamples' | 'note'> & {
  dialect: RuleDialect
  header: RuleText
  /** A note on a folder of its globs that does not exist. */
  missingFolder?: string | undefined
}

// A model reads each rule with each request. A larger file is not a rule, and would fill the model's context.
const LIMITS = { maxBytes: 256_000, maxMs: 2_000 }

/** A rule file: its rule, and what is left out of it or why it is left out. */
type RuleFile = { rule?: UncompiledRule; leftOut?: RuleFault }

/** Returns the first line of a rule, as the description of a rule that has none. */
const firstWordsOf = (body: string): string => excerpt(linesOf(body)[0]!.replace(/^#+\s/, ''))

/** Reads the text of a rule file in the dialect of its folder. */
const parseRuleFile = (
  { folder, file, text: { data, error } }: { folder: RuleFolder; file: string; text: Result<ReadText> },
  budget: Budget,
): RuleFile => {
  const path = join(folder.path, file)
  const dialect = dialectOf(folder.path)
  const name = file.replace(dialect.ending, '')
  const fault = (reason: string, line?: number): RuleFault => ({ folder, path, name, reason, line })
  if (error !== null) return { leftOut: fault(error) }
  // The person wrote the files of the global folder: they have no limit of time.
  if (budget.ms <= 0 && folder.scope === 'project') return { leftOut: fault(NO_TIME) }
  const { text, realPath } = data
  const { data: header, error: broken } = spend(budget, () => readHeader(text))
  if (broken !== null) return { leftOut: fault(broken.reason, broken.line) }
  const { body, keys, keys: { description } } = header
  if (body === '') {
    return { leftOut: fault(text.trim() === '' ? 'it is empty' : 'there is no text below its frontmatter') }
  }
  const kind = kindOf(dialect, keys)
  const rule = { ...kind, folder, file, path, realPath, name, body, description, dialect, header }
  const limit = kind.kind === 'always' ? limitingKeyOf(dialect, header) : undefined
  if (!limit) return { rule }
  const key = excerpt(limit.key)
  const reason =
    `${key} limits a rule in another tool; SAT does not read it and only offers the rule to the model`
  return {
    rule: { ...rule, kind: 'offered', description: description ?? firstWordsOf(body) },
    leftOut: { ...fault(reason, limit.line), isOffered: true },
  }
}

/** How many rules a session takes. A model could not follow more. */
export const MAX_RULES = 500
// A model could not follow more bytes either. A folder that was linked by mistake had 48 MB.
export const MAX_BYTES = 512 * 1024
// The bytes of a folder's files include their headers.
const MAX_FOLDER_BYTES = 2 * MAX_BYTES

/** The rules of one folder; `more` is the number of files beyond the limit. */
export type FolderRules = Omit<Walk, 'files'> & {
  folder: RuleFolder
  rules: Array<UncompiledRule>
  excess: number
}

// A disk that does not answer must not delay the person. One that answers bit by bit is waited for several times.
const WAIT_MS = 2_000
const MAX_WAITS = 10

/**
 * Creates a function that runs `work` and waits for it: at most `limit` milliseconds for each next answer, ten times as
 * long in all. A call during a run shares that run; once a run is late, further calls do not wait for it.
 *
 * @param countAnswers returns how many answers have come so far
 */
export const withIdleTimeout = <T>(
  work: () => Promise<T>,
  limit: number,
  countAnswers = (): number => 0,
): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  let isLate = false
  return async () => {
    const run = running ??= work().finally(() => running = undefined)
    let [before, done] = [countAnswers(), await withTimeout(isLate ? 0 : limit, run)]
    for (
      let waits = 1;
      waits < MAX_WAITS && !isLate && done.error !== null && countAnswers() > before;
      waits++
    ) {
      before = countAnswers()
      done = await withTimeout(limit, run)
    }
    isLate = done.error !== null
    return done
  }
}

/**
 * Creates a function that returns the rules of a folder: the same object if nothing has changed. It reads a file again
 * only if the file has changed, and the folder if something was added or removed. While the disk does not answer, the
 * rules are those of the last read.
 *
 * @param budget for the headers of changed files
 */
export const ruleFolderReader = (
  folder: RuleFolder,
  worktree: string,
  budget = sessionBudget(),
): () => Promise<FolderRules> => {
  /** The state of each path at the last read, and for a rule file, what was read. */
  let tracked = new Map<string, PathState & { ruleFile?: RuleFile }>()
  let last: FolderRules = { folder, rules: [], leftOut: [], excess: 0, exists: false }
  let answers = 0
  const readState: StateReader = (path) => stateOf(path).finally(() => answers += 1)
  const track: StateReader = async (path) => {
    const state = await readState(path)
    tracked.set(path, state)
    return state
  }
  /** Reads some files; a file whose state is the same as before is not read again. */
  const readFiles = async (files: Array<PathState & { file: string }>, before: typeof tracked) => {
    const texts = await readInBatches(files, async ({ file, state }) => {
      const path = join(folder.path, file)
      const cached = before.get(path)
      return cached?.ruleFile && cached.state === state ? cached.ruleFile : readText(path, LIMITS)
    })
    return texts.map((text, index) =>
      'error' in text ? parseRuleFile({ folder, file: files[index]!.file, text }, budget) : text
    )
  }
  const readFolder = async (): Promise<FolderRules> => {
    const before = tracked
    tracked = new Map()
    await track(folder.path)
    const { files, exists, ...walk } = await walkRules(folder, worktree, track)
    const states = await readInBatches(files.sort().slice(0, MAX_RULES), async (file) => ({
      file,
      ...await track(join(folder.path, file)),
    }))
    let bytes = 0
    // A file that is too large for a rule is not read, and takes no room.
    const first = states.filter(({ size }) => size > LIMITS.maxBytes || (bytes += size) <= MAX_FOLDER_BYTES)
    const read = await readFiles(first, before)
    const missing = await missingFolders(read.map(({ rule }) => rule ?? {}), worktree, track, budget)
    const ruleFiles = read.map((ruleFile, index): RuleFile => {
      const { rule } = ruleFile
      // A rule stays the same object as long as its note does.
      if (!rule || rule.missingFolder === missing[index]) return ruleFile
      return { ...ruleFile, rule: { ...rule, missingFolder: missing[index] } }
    })
    for (const [index, { file, state, size }] of first.entries()) {
      tracked.set(join(folder.path, file), { state, size, ruleFile: ruleFiles[index]! })
    }
    return {
      folder,
      rules: ruleFiles.flatMap(({ rule }) => rule ?? []),
      leftOut: [...walk.leftOut, ...ruleFiles.flatMap(({ leftOut }) => leftOut ?? [])],
      excess: files.length - first.length,
      exists,
    }
  }
  const readInTime = withIdleTimeout(
    async () => {
      const same = await readInBatches(
        [...tracked],
        async ([path, { state }]) => (await readState(path)).state === state,
      )
      return same.length > 0 && same.every(Boolean) ? last : last = await readFolder()
    },
    WAIT_MS,
    () => answers,
  )
  return async () => {
    const { data } = await readInTime()
    const reason = 'not read in time; its rules stay as they were'
    return data ?? { ...last, leftOut: [...last.leftOut, { folder, path: folder.path, reason }] }
  }
}
