/** Which rules a writing tool writes: those that its call gives, or those that format-rules validated. */
import { compareMeaning } from '../meaning/meaning.ts'
import { type Mode, sourcesOf } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { codeName } from '../text/quoted-name.ts'
import { formatIssues } from '../validate.ts'
import { modeIssues } from './mode.ts'
import { hasSources, type RuleSet, type SessionRules } from './pipeline-state.ts'

/** The rules that a call writes; `set` is where they come from, if format-rules validated them. */
export type RulesToWrite = {
  rules: Array<string>
  mode: Mode | undefined
  set?: RuleSet
  /** The sources of each rule, where they have some. */
  sources?: Array<Array<string>> | undefined
  /** What the answer says about them. */
  notes: Array<string>
}

/** What a call of a writing tool gives. */
export type GivenRules = { rules?: Array<string> | undefined; mode?: Mode | undefined }

const NO_RULES = 'There are no rules to write, so nothing was written.'

const NOTHING_FORMATTED =
  'There are no rules to write: "rules" was left out, and format-rules has validated none in this session since the last parse-rules. Call format-rules first, then call this tool again.'

const REFUSED =
  'Nothing was written: format-rules refused these very rules. Mend what it said, call format-rules again, then this tool without "rules".'

const PARSE_REFUSED =
  'Nothing was written: parse-rules refused the last rules. Mend them, call parse-rules and format-rules, then this tool without "rules".'

const NOT_VALIDATED =
  'Nothing was written: these are not the rules that format-rules validated for this file. Leave "rules" out to write those, or call format-rules with these first.'

const TWO_WITHOUT_SOURCES =
  'Nothing was written: several sets of rules without sources came in one message, and nothing tells which belongs to which file. Give each rule its "source" in parse-rules, or go through all steps for one file before the next.'

/** Takes the validated rules of a set, with a note where the call gave none itself. */
const fromSet = (set: RuleSet, given: GivenRules): Result<RulesToWrite> => {
  const { rules, mode } = set.formatted!
  const sources = hasSources(set) ? set.parsed?.map(sourcesOf) : undefined
  const written = { rules, mode: given.mode ?? mode, set, sources }
  if (given.rules !== undefined) return ok({ ...written, notes: [] })
  const issues = given.mode === undefined
    ? []
    : modeIssues(rules, given.mode, compareMeaning(set.parsed, rules).withoutReason)
  if (issues.length === 0) {
    const note = `Written: the ${pluralize(rules.length, 'rule')} that format-rules last validated.`
    return ok({ ...written, notes: [note] })
  }
  const heading = `format-rules validated no rules for mode ${given.mode}; call it with this mode first:`
  return fail(formatIssues(heading, issues))
}

/** Takes the rules that a call gives: refused ones are not written, validated ones belong to their set. */
const fromCall = (
  session: SessionRules,
  { rules = [], mode }: GivenRules,
  file?: string,
): Result<RulesToWrite> => {
  if (rules.length === 0) return fail(NO_RULES)
  const set = session.withRules(rules, file)
  if (set !== undefined) return fromSet(set, { rules, mode })
  if (session.isRefused(rules)) return fail(REFUSED)
  return session.isParseRefused ? fail(PARSE_REFUSED) : ok({ rules, mode, notes: [] })
}

const belongsTo = ({ files }: RuleSet): string => files.map(codeName).join(' or ')

/** Takes the validated rules of the set that a call without rules means. */
const fromSession = (
  session: SessionRules,
  given: GivenRules,
  set: RuleSet | undefined,
): Result<RulesToWrite> => {
  const isOfFile = set !== undefined && hasSources(set)
  if (!isOfFile && session.sets.filter((one) => !hasSources(one)).length > 1) return fail(TWO_WITHOUT_SOURCES)
  if (set?.formatted !== undefined) {
    return session.isParseRefused && !isOfFile ? fail(PARSE_REFUSED) : fromSet(set, given)
  }
  const others = isOfFile ? [] : session.sets.filter(({ formatted }) => formatted !== undefined)
  return fail(
    others.length === 0
      ? NOTHING_FORMATTED
      : `Nothing was written: the rules that format-rules validated belong to ${
        others.map(belongsTo).join(' and ')
      }, by their sources. Call parse-rules and format-rules for this file.`,
  )
}

/** Chooses the rules that add-rules adds: those that the call gives, or what format-rules last validated. */
export const rulesToAdd = (session: SessionRules, given: GivenRules): Result<RulesToWrite> => {
  if (given.rules !== undefined) return fromCall(session, given)
  if (session.isParseRefused) return fail(PARSE_REFUSED)
  return fromSession(session, given, session.sets.findLast(({ formatted }) => formatted !== undefined))
}

/**
 * Chooses the rules that rewrite-rules writes to a file: the set whose sources stand in it, or else one without
 * sources. Rules of another file are never written to it.
 */
export const rulesForFile = (
  session: SessionRules,
  given: GivenRules,
  file: string,
): Result<RulesToWrite> => {
  const own = session.sets.findLast(({ files }) => files.includes(file))
  if (given.rules === undefined) {
    return fromSession(session, given, own ?? session.sets.find((set) => !hasSources(set)))
  }
  const chosen = fromCall(session, given, file)
  if (chosen.error !== null || chosen.data.set === own) return chosen
  const { set } = chosen.data
  if (set === undefined) return fail(NOT_VALIDATED)
  return hasSources(set)
    ? fail(`Nothing was written: the sources of these rules stand in ${belongsTo(set)}.`)
    : chosen
}

/** Lists the files of the sources, where the call names none; undefined where its rules have no sources. */
export const filesOfSources = (
  session: SessionRules,
  { rules }: GivenRules,
): Result<Array<string> | undefined> => {
  const named = rules === undefined ? undefined : session.withRules(rules)
  const ready = session.sets.filter((set) =>
    hasSources(set) && (rules === undefined ? set.formatted !== undefined : set === named)
  )
  const several = ready.find(({ files }) => files.length > 1)
  if (several !== undefined) {
    return fail(`Nothing was written: the sources stand in ${belongsTo(several)} alike. Name one in "files".`)
  }
  return ok(ready.length === 0 ? undefined : ready.flatMap(({ files }) => files))
}
