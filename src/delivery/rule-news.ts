import type { Rule } from './rule-files.ts'
import { bytesOf, fitting } from './rule-limits.ts'
import type { TouchedFiles } from './touched-files.ts'

/** A rule as it was told: `why` it is there, and by which file, relative to the worktree. */
export type ToldRule = {
  path: string
  name: string
  digest: string
  bytes: number
  why: 'always' | 'file' | 'offered'
  file?: string | undefined
  description?: string | undefined
}

/** What is on the disk when a session is to be told of it. */
export type Now = {
  rules: Array<Rule>
  /** The paths of the rule files that the host sends by itself: told already, they are not taken back. */
  sentByHost: ReadonlySet<string>
  touched: TouchedFiles
}

/** What is to be told, apart from where. */
export type RuleNews = {
  /** The rules that join by a file, and that file. */
  joined: Map<string, Array<Rule>>
  changed: Array<Rule>
  added: Array<Rule>
  /** The paths of the rules that are to be taken back. */
  removed: Array<string>
  /** The paths of those in whose place another file of the same name says something else, which is a change. */
  replaced: Array<string>
  /** What is known otherwise of rules whose words are the same, by the paths that they had: nothing is told. */
  records: Map<string, ToldRule>
  /** The files by which rules are in force, by the paths of the rules. */
  files: Map<string, string>
}

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

/** Whether a rule applies to a session as such, whatever its files are. */
export const isStanding = ({ kind }: Rule): boolean => kind === 'always' || kind === 'offered'

/** The file by which a rule is in force: the one that it was told by, while it applies to that, or another one. */
export const fileFor = (
  rule: Rule,
  known: ToldRule | undefined,
  touched: TouchedFiles,
): string | undefined => {
  if (rule.kind !== 'file') return undefined
  // It is remembered, where a match of the known file would be tried before each request.
  const first = touched.matchOf(rule)
  return known?.file !== undefined && known.file !== first && rule.applies?.(known.file) ? known.file : first
}

const isSameRecord = (known: ToldRule, { path, description }: Rule, file: string | undefined): boolean =>
  known.path === path && known.file === file && known.description === description

/** Whether words that a session has in force are from now on only offered: they are taken back before. */
const isWithdrawn = (known: ToldRule, { kind }: Rule): boolean =>
  kind === 'offered' && known.why !== 'offered'

/** The rules that a session `had` and that are no more in force, by their paths. */
const goneOf = (
  had: ReadonlyMap<string, ToldRule>,
  stays: Array<ToldRule>,
  sentByHost: ReadonlySet<string>,
): Map<string, ToldRule> => {
  // So it is before almost every request.
  if (stays.length === had.size) return new Map()
  const gone = new Map(had)
  for (const { path } of stays) gone.delete(path)
  for (const path of sentByHost) gone.delete(path)
  return gone
}

/** Notes what is new of a rule that the session knows, if anything is. */
const compare = (news: RuleNews, known: ToldRule, rule: Rule): void => {
  const file = news.files.get(rule.path)
  if (known.digest !== rule.digest) news.changed.push(rule)
  else if (!isSameRecord(known, rule, file)) news.records.set(known.path, toldAs(rule, file))
}

/**
 * Notes each unknown rule that has the name of a gone one as a change of that; gives the others. "These are new: style.
 * These were taken back: style" would contradict itself.
 *
 * @param gone loses the rules that are replaced
 */
const notReplacing = (news: RuleNews, unknown: Array<Rule>, gone: Map<string, ToldRule>): Array<Rule> => {
  const byName = new Map([...gone.values()].map((known) => [known.name, known]))
  return unknown.filter((rule) => {
    const known = byName.get(rule.name)
    if (!known || isWithdrawn(known, rule)) return true
    byName.delete(rule.name)
    gone.delete(known.path)
    if (known.digest !== rule.digest) news.replaced.push(known.path)
    compare(news, known, rule)
    return false
  })
}

const noNews = (): RuleNews => ({
  joined: new Map(),
  changed: [],
  added: [],
  removed: [],
  replaced: [],
  records: new Map(),
  files: new Map(),
})

/**
 * Finds what a session does not know of the rules on the disk, by the rules that it `had`.
 *
 * @param isJoin whether a rule that is in force by this file is told at the message that touched it
 */
export const newsOf = (
  had: ReadonlyMap<string, ToldRule>,
  { rules, sentByHost, touched }: Now,
  isJoin: (file: string) => boolean,
): RuleNews => {
  const news = noNews()
  const stays: Array<ToldRule> = []
  const unknown: Array<Rule> = []
  for (const rule of rules) {
    const known = had.get(rule.path)
    const file = fileFor(rule, known, touched)
    if (!isStanding(rule) && file === undefined) continue
    if (file !== undefined) news.files.set(rule.path, file)
    if (!known) unknown.push(rule)
    else {
      if (!isWithdrawn(known, rule)) stays.push(known)
      compare(news, known, rule)
    }
  }
  const gone = goneOf(had, stays, sentByHost)
  const more = notReplacing(news, unknown, gone)
  news.removed = [...gone.keys()]
  const kept = more.length === 0 ? [] : [...had.values()].filter(({ path }) => !gone.has(path))
  for (const rule of fitting(more, kept)) {
    const file = news.files.get(rule.path)
    if (file === undefined || !isJoin(file)) news.added.push(rule)
    else news.joined.set(file, [...news.joined.get(file) ?? [], rule])
  }
  return news
}
