import type { Mode } from '../rule-schema.ts'
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
  set?: RuleSet | undefined
  /** What the answer says about them. */
  notes: Array<string>
}

/** What a call of a writing tool gives. */
export type GivenRules = { rules?: { rules: Array<string> } | undefined; mode?: Mode | undefined }

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

const fromSet = (set: RuleSet, given: GivenRules): Result<RulesToWrite> => {
  const { rules, mode: validatedFor, withoutReason } = set.formatted!
  const mode = given.mode ?? validatedFor
  const isOwn = given.rules === undefined
  const issues = isOwn && given.mode !== undefined ? modeIssues(rules, given.mode, withoutReason) : []
  if (issues.length > 0) {
    return fail(
      formatIssues(`format-rules validated no rules for mode ${mode}; call it with this mode first:`, issues),
    )
  }
  const note = `Written: the ${pluralize(rules.length, 'rule')} that format-rules last validated.`
  return ok({ rules, mode, set, notes: isOwn ? [note] : [] })
}

/** Takes the rules that a call gives: refused ones are not written, validated ones belong to their set. */
const fromCall = (session: SessionRules, rules: Array<string>, given: GivenRules): Result<RulesToWrite> => {
  if (rules.length === 0) return fail(NO_RULES)
  const set = session.withRules(rules)
  if (set !== undefined) return fromSet(set, given)
  if (session.refusal(rules) !== undefined) return fail(REFUSED)
  return session.isParseRefused ? fail(PARSE_REFUSED) : ok({ rules, mode: given.mode, notes: [] })
}

/** Chooses the rules that add-rules adds: those that the call gives, or what format-rules last validated. */
export const rulesToAdd = (session: SessionRules, given: GivenRules): Result<RulesToWrite> => {
  if (given.rules !== undefined) return fromCall(session, given.rules.rules, given)
  const set = session.sets.findLast(({ formatted }) => formatted !== undefined)
  if (set === undefined) return fail(NOTHING_FORMATTED)
  if (session.isParseRefused) return fail(PARSE_REFUSED)
  return !hasSources(set) && session.unsourced().length > 1 ? fail(TWO_WITHOUT_SOURCES) : fromSet(set, given)
}

const belongsTo = ({ parsed }: RuleSet): string => (parsed?.files ?? []).map(codeName).join(' or ')

/**
 * Chooses the rules that rewrite-rules writes to a file: the set whose sources stand in it, or else one without
 * sources. Rules of another file are never written to it.
 */
export const rulesForFile = (
  session: SessionRules,
  given: GivenRules,
  file: string,
): Result<RulesToWrite> => {
  const own = session.sets.findLast(({ parsed }) => parsed?.files.includes(file))
  if (given.rules !== undefined) {
    const chosen = fromCall(session, given.rules.rules, given)
    const set = chosen.data?.set
    if (set !== undefined && hasSources(set) && set !== own) {
      return fail(`Nothing was written: the sources of these rules stand in ${belongsTo(set)}.`)
    }
    return own !== undefined && chosen.error === null && set === undefined ? fail(NOT_VALIDATED) : chosen
  }
  const unsourced = session.unsourced()
  if (own === undefined && unsourced.length > 1) return fail(TWO_WITHOUT_SOURCES)
  const set = own ?? unsourced[0]
  if (set?.formatted !== undefined) {
    return set === own || !session.isParseRefused ? fromSet(set, given) : fail(PARSE_REFUSED)
  }
  const others = session.sets.filter((one) => one.formatted !== undefined).map(belongsTo)
  return fail(
    others.length === 0 || own !== undefined
      ? NOTHING_FORMATTED
      : `Nothing was written: the rules that format-rules validated belong to ${
        others.join(' and ')
      }, by their sources. Call parse-rules and format-rules for this file.`,
  )
}

/** Lists the files of the sources, where the call names none. */
export const filesOfSources = (session: SessionRules, { rules }: GivenRules): Result<Array<string>> => {
  const given = rules === undefined ? undefined : session.withRules(rules.rules)
  const sets = rules === undefined
    ? session.sets.filter((set) => hasSources(set) && set.formatted !== undefined)
    : given !== undefined && hasSources(given)
    ? [given]
    : []
  const several = sets.find(({ parsed }) => parsed!.files.length > 1)
  return several === undefined
    ? ok(sets.map(({ parsed }) => parsed!.files[0]!))
    : fail(`Nothing was written: the sources stand in ${belongsTo(several)} alike. Name one in "files".`)
}
