import type { Rule } from './rule-files.ts'
import { bytesOf, fitting } from './session-limits.ts'
import type { TouchedFiles } from './touched-files.ts'

/** A rule as a session was told it: `why`, and by which file, relative to the worktree. */
export type ToldRule = {
  path: string
  name: string
  digest: string
  bytes: number
  why: 'always' | 'file' | 'offered'
  file?: string | undefined
  description?: string | undefined
}

/** What a session's knowledge is compared with: the rules on the disk, and its files. */
export type Now = {
  rules: Array<Rule>
  /** The paths of the rule files that the host sends by itself. A session that was told them before keeps them. */
  sentByHost: ReadonlySet<string>
  touched: TouchedFiles
}

/** What a session is to be told. */
type RuleChanges = {
  /** File → the rules that join because of it. */
  joined: Map<string, Array<Rule>>
  changed: Array<Rule>
  added: Array<Rule>
  /** The paths of the rules that are to be taken back. */
  removed: Array<string>
  /** Path of a rule → that of the gone one of the same name whose place it takes: told as a change. */
  replaced: Map<string, string>
  /** Path until now → what is to be noted of a rule that moved, or is in force by another file; nothing is told. */
  records: Map<string, ToldRule>
  /** Path of a rule → the file by which it is in force. */
  files: Map<string, string>
}

/** Makes the record of a rule that is told now; `file` is the one that it joins by, if it does. */
export const toldAs = (rule: Rule, file?: string): ToldRule => {
  const { path, name, digest, kind, description } = rule
  return {
    path,
    name,
    digest,
    bytes: bytesOf(rule),
    why: kind === 'offered' ? 'offered' : file === undefined ? 'always' : 'file',
    ...(file === undefined ? {} : { file }),
    ...(description === undefined ? {} : { description }),
  }
}

/** Whether a rule applies to every session, whatever its files are. */
export const isStanding = ({ kind }: Rule): boolean => kind === 'always' || kind === 'offered'

/**
 * Gives the file by which a rule is in force: the one that it was told by, as long as it applies to that, or else the
 * first that it applies to; undefined where there is none.
 */
export const fileFor = (
  rule: Rule,
  known: ToldRule | undefined,
  touched: TouchedFiles,
): string | undefined => {
  if (rule.kind !== 'file') return undefined
  // `matchOf` remembers the first match. To match the known file anew before each request would take longer.
  const first = touched.matchOf(rule)
  return known?.file !== undefined && known.file !== first && rule.applies?.(known.file) ? known.file : first
}

const isSameRecord = (known: ToldRule, { path, description }: Rule, file: string | undefined): boolean =>
  known.path === path && known.file === file && known.description === description

/** Whether a rule that was in force is only offered from now on: its words are taken back, and then it is offered. */
const isWithdrawn = (known: ToldRule, { kind }: Rule): boolean =>
  kind === 'offered' && known.why !== 'offered'

/** Finds the rules that a session `had` and that are no more in force, by their paths. */
const goneOf = (
  had: ReadonlyMap<string, ToldRule>,
  stays: Array<ToldRule>,
  sentByHost: ReadonlySet<string>,
): Map<string, ToldRule> => {
  // Before almost every request all stay.
  if (stays.length === had.size) return new Map()
  const gone = new Map(had)
  for (const { path } of stays) gone.delete(path)
  for (const path of sentByHost) gone.delete(path)
  return gone
}

/** Notes what is new of a rule that the session knows, if anything is. */
const compare = (changes: RuleChanges, known: ToldRule, rule: Rule): void => {
  const file = changes.files.get(rule.path)
  if (known.digest !== rule.digest) changes.changed.push(rule)
  else if (!isSameRecord(known, rule, file)) changes.records.set(known.path, toldAs(rule, file))
}

/**
 * Notes each unknown rule that has the name of a gone one as a change of that; gives the others. "These are new: style.
 * These were taken back: style" would contradict itself.
 *
 * @param gone loses the rules that are replaced
 */
const notReplacing = (
  changes: RuleChanges,
  unknown: Array<Rule>,
  gone: Map<string, ToldRule>,
): Array<Rule> => {
  const byName = new Map([...gone.values()].map((known) => [known.name, known]))
  return unknown.filter((rule) => {
    const known = byName.get(rule.name)
    if (!known || isWithdrawn(known, rule)) return true
    byName.delete(rule.name)
    gone.delete(known.path)
    if (known.digest !== rule.digest) changes.replaced.set(rule.path, known.path)
    compare(changes, known, rule)
    return false
  })
}

const noChanges = (): RuleChanges => ({
  joined: new Map(),
  changed: [],
  added: [],
  removed: [],
  replaced: new Map(),
  records: new Map(),
  files: new Map(),
})

/**
 * Chooses of the changed rules, and of those that are `unknown` to the session, what it has room for; gives the latter.
 * A changed rule that has grown too large is taken back.
 */
const fitChanges = (
  changes: RuleChanges,
  unknown: Array<Rule>,
  had: ReadonlyMap<string, ToldRule>,
): Array<Rule> => {
  if (changes.changed.length + unknown.length === 0) return unknown
  const pathUntilNow = ({ path }: Rule): string => changes.replaced.get(path) ?? path
  const removed = new Set(changes.removed)
  const changing = new Set([...changes.changed.map(pathUntilNow), ...removed])
  const kept = [...had.values()].filter(({ path }) => !changing.has(path))
  const fits = new Set(fitting([...changes.changed, ...unknown], kept))
  for (const rule of changes.changed.filter((rule) => !fits.has(rule))) {
    removed.add(pathUntilNow(rule))
    changes.replaced.delete(rule.path)
  }
  changes.removed = [...removed]
  changes.changed = changes.changed.filter((rule) => fits.has(rule))
  return unknown.filter((rule) => fits.has(rule))
}

/**
 * Finds what a session does not know of the rules on the disk, by the rules that it `had`.
 *
 * @param isJoin whether a rule that is in force by this file is told at the message that touched it
 */
export const changesOf = (
  had: ReadonlyMap<string, ToldRule>,
  { rules, sentByHost, touched }: Now,
  isJoin: (file: string) => boolean,
): RuleChanges => {
  const changes = noChanges()
  const stays: Array<ToldRule> = []
  const unknown: Array<Rule> = []
  for (const rule of rules) {
    const known = had.get(rule.path)
    const file = fileFor(rule, known, touched)
    if (!isStanding(rule) && file === undefined) continue
    if (file !== undefined) changes.files.set(rule.path, file)
    if (!known) unknown.push(rule)
    else {
      if (!isWithdrawn(known, rule)) stays.push(known)
      compare(changes, known, rule)
    }
  }
  const gone = goneOf(had, stays, sentByHost)
  const more = notReplacing(changes, unknown, gone)
  changes.removed = [...gone.keys()]
  for (const rule of fitChanges(changes, more, had)) {
    const file = changes.files.get(rule.path)
    if (file === undefined || !isJoin(file)) changes.added.push(rule)
    else changes.joined.set(file, [...changes.joined.get(file) ?? [], rule])
  }
  return changes
}
