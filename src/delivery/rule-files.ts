import { join } from 'node:path'
import { type Budget, NO_TIME, sessionBudget, spend } from '../checks/budget.ts'
import type { Checks } from '../checks/patterns.ts'
import { type Result, withTimeout } from '../safe.ts'
import { linesOf } from '../text/line-ending.ts'
import { excerpt } from '../text/quoted-name.ts'
import { readInBatches, type ReadText, readText } from '../text/read.ts'
import type { Condition } from './conditions.ts'
import { type Look, type Seen, stateOf } from './file-state.ts'
import { missingFolders } from './missing-folders.ts'
import type { RuleFolder } from './rule-folders.ts'
import { readHeader, type RuleKeys, type RuleText } from './rule-frontmatter.ts'
import type { PathMatcher } from './rule-globs.ts'
import { type LeftOut, type Walk, walkRules } from './rule-walk.ts'
import {
  dialectOf,
  kindOf,
  limitOf,
  type RuleDialect,
  type RuleKind,
  unreadIn,
} from './rules-of-other-tools.ts'

/**
 * A rule: `path` is where it was found, `file` the same relative to its folder, `realPath` the same with links
 * resolved, `name` the file without its ending; `applies` is there for a rule that waits for a file.
 */
export type Rule = RuleKind & {
  folder: RuleFolder
  file: string
  path: string
  realPath: string
  name: string
  /** Its text without the header. */
  body: string
  description?: string | undefined
  /** What else must hold for it to be sent. */
  conditions?: Array<Condition>
  applies?: PathMatcher
  /** A note on it for the person. */
  note?: string | undefined
  checks?: Checks | null | undefined
}

/** A rule as it was read: its conditions, globs and patterns are not compiled. */
export type WrittenRule = Omit<Rule, 'conditions' | 'applies' | 'checks'> & {
  dialect: RuleDialect
  header: RuleText
}

// A model reads each rule with each request. A larger file is no rule, and would fill its context.
const LIMITS = { maxBytes: 256_000, maxMs: 2_000 }

/** A rule, and what is left out of it or why it is left out. */
type Read = { rule?: WrittenRule; leftOut?: LeftOut }

/** Notes a pattern in slashes, as JavaScript writes one, which no example proves. */
const slashedIn = ({ forbid = [], require = [], bad }: RuleKeys): string | undefined => {
  const found = bad ? undefined : [...forbid, ...require].find(({ text }) => /^\/.+\/[a-z]*$/.test(text))
  return found && `the slashes are a part of the pattern ${excerpt(found.text)}`
}

/** Gives the first line of a rule, for what has no description. */
const firstWordsOf = (body: string): string => excerpt(linesOf(body)[0]!.replace(/^#+\s/, ''))

/** Reads a rule file's text in the dialect of its folder; gives its fault alone where it is not clear when to send it. */
const ruleOf = (
  { folder, file, text: { data, error } }: { folder: RuleFolder; file: string; text: Result<ReadText> },
  budget: Budget,
): Read => {
  const path = join(folder.path, file)
  const dialect = dialectOf(folder.path)
  const name = file.replace(dialect.ending, '')
  const leftOut = (reason: string, line?: number): Read => ({ leftOut: { folder, path, name, reason, line } })
  if (error !== null) return leftOut(error)
  // The person's own files cost what the person wrote.
  if (budget.ms <= 0 && folder.scope === 'project') return leftOut(NO_TIME)
  const { text, realPath } = data
  const header = spend(budget, () => readHeader(text))
  if (header.error !== null) return leftOut(header.error.reason, header.error.line)
  const { body, keys } = header.data
  if (body === '') {
    return leftOut(text.trim() === '' ? 'it is empty' : 'there is no text below its frontmatter')
  }
  const notes = [...header.data.notes, ...unreadIn(dialect, header.data), slashedIn(keys) ?? []].flat()
  const note = notes.length === 0 ? undefined : notes.join('; ')
  const found = { folder, file, path, realPath, name, body, description: keys.description, note }
  const rule = { ...kindOf(dialect, keys), ...found, dialect, header: header.data }
  const limit = rule.kind === 'always' ? limitOf(dialect, header.data) : undefined
  if (!limit) return { rule }
  const reason = `${
    excerpt(limit.key)
  } limits a rule in another tool, and is not read here; the rule is offered to the model`
  return {
    rule: { ...rule, kind: 'offered', description: keys.description ?? firstWordsOf(body) },
    leftOut: { folder, path, name, line: limit.line, reason, isOffered: true },
  }
}

/** A model could not follow more rules than this. */
export const MAX_RULES = 500
// More than this no model can follow, and a folder that was linked by mistake had 48 MB.
export const MAX_BYTES = 512 * 1024
// The files of a folder have headers, too.
const MAX_FOLDER_BYTES = 2 * MAX_BYTES

// How long a disk is waited for, and how often where it answers: one that does not must not delay the person.
const LOOK_MS = 2_000
const MAX_WAITS = 10

/** Keeps the first of some files, whose rules a session can take; one that is too large for a rule is not read. */
const firstBytes = <File extends Seen>(files: Array<File>): Array<File> => {
  let bytes = 0
  return files.filter(({ size }) => size > LIMITS.maxBytes || (bytes += size) <= MAX_FOLDER_BYTES)
}

/** What is in one folder; `more` is the number of files beyond the limit. */
export type FolderRules = Omit<Walk, 'files'> & {
  folder: RuleFolder
  rules: Array<WrittenRule>
  more: number
}

/**
 * Makes a function that waits for `work` while it goes on: at most `limit` milliseconds for a next answer, ten times as
 * long for all, and not at all for a run that is already late. A call during a run shares it.
 *
 * @param answers counts what has been answered so far
 */
export const patient = <T>(
  work: () => Promise<T>,
  limit: number,
  answers = (): number => 0,
): () => Promise<Result<T>> => {
  let running: Promise<T> | undefined
  let isLate = false
  return async () => {
    const run = running ??= work().finally(() => running = undefined)
    let [before, done] = [answers(), await withTimeout(isLate ? 0 : limit, run)]
    for (let waits = 1; waits < MAX_WAITS && !isLate && done.error !== null && answers() > before; waits++) {
      before = answers()
      done = await withTimeout(limit, run)
    }
    isLate = done.error !== null
    return done
  }
}

/** The rules with a note that is not in their files, so that a rule stays the same as long as its note does. */
const noted = new WeakMap<WrittenRule, WrittenRule>()

const withNote = (rule: WrittenRule, words: string): WrittenRule => {
  const note = rule.note === undefined ? words : `${rule.note}; ${words}`
  const known = noted.get(rule)
  if (known?.note === note) return known
  const made = { ...rule, note }
  noted.set(rule, made)
  return made
}

/**
 * Makes the function that gives the rules of a folder; the same object as before where nothing has changed. A file is
 * read again only when it has changed, the folder when something came or went. On a disk that does not answer the rules
 * are those of the last look, and nobody waits again until the pending look ends.
 *
 * @param budget for the headers of what has changed
 */
export const ruleFolderReader = (
  folder: RuleFolder,
  worktree: string,
  budget = sessionBudget(),
): () => Promise<FolderRules> => {
  // Each path that was looked at, what stood there, and what was read there.
  let seen = new Map<string, Seen & { read?: Read }>()
  let last: FolderRules = { folder, rules: [], leftOut: [], more: 0, isThere: false }
  let answers = 0
  const stateNow: Look = (path) => stateOf(path).finally(() => answers += 1)
  const look: Look = async (path) => {
    const found = await stateNow(path)
    seen.set(path, found)
    return found
  }
  const readFolder = async (): Promise<FolderRules> => {
    const before = seen
    seen = new Map()
    await look(folder.path)
    const { files, isThere, ...walk } = await walkRules(folder, worktree, look)
    const looked = await readInBatches(files.sort().slice(0, MAX_RULES), async (file) => ({
      file,
      ...await look(join(folder.path, file)),
    }))
    const few = firstBytes(looked)
    const texts = await readInBatches(few, async ({ file, state }) => {
      const path = join(folder.path, file)
      const known = before.get(path)
      return known?.read && known.state === state ? known.read : readText(path, LIMITS)
    })
    const readings = few.map(({ file, state, size }, index) => {
      const text = texts[index]!
      const read = 'error' in text ? ruleOf({ folder, file, text }, budget) : text
      seen.set(join(folder.path, file), { state, size, read })
      return read
    })
    const read = readings.flatMap(({ rule }) => rule ?? [])
    const notes = await missingFolders(read, worktree, look, budget)
    const rules = read.map((rule, index) => notes[index] === undefined ? rule : withNote(rule, notes[index]))
    const leftOut = [...walk.leftOut, ...readings.flatMap((read) => read.leftOut ?? [])]
      .sort((one, other) => (one.path < other.path ? -1 : 1))
    return { folder, rules, leftOut, more: files.length - few.length, isThere }
  }
  const patientLook = patient(
    async () => {
      const same = await readInBatches(
        [...seen],
        async ([path, { state }]) => (await stateNow(path)).state === state,
      )
      return same.length > 0 && same.every(Boolean) ? last : last = await readFolder()
    },
    LOOK_MS,
    () => answers,
  )
  return async () => {
    const looked = await patientLook()
    const reason = 'not read in time; its rules are as they were'
    const late = [...last.leftOut, { folder, path: folder.path, reason }]
    return looked.data ?? { ...last, leftOut: late }
  }
}
