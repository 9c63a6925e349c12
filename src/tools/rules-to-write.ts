/** Which rules a writing tool writes: those that its call gives, or those that format-rules validated. */
import { compareMeaning } from '../meaning/compare-with-parsed.ts'
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

/** What a call of a writing tool gives, and whether it names files. */
export type GivenRules = { rules?: Array<string> | undefined; mode?: Mode | undefined; isNamed?: boolean }

const isFormatted = ({ formatted }: RuleSet): boolean => formatted !== undefined

/** Why nothing is written. */
const REFUSALS = {
  noRules: 'There are no rules to write, so nothing was written.',
  nothingFormatted:
    'There are no rules to write: "rules" was left out, and format-rules has validated none in this session since the last parse-rules or rewrite. Call format-rules first, after parse-rules with the source of each rule, then call this tool again.',
  inPlace:
    'Nothing was written: these rules stand in the file already, in the place of their sources. For another change call parse-rules with its words as sources, and format-rules first.',
  refused:
    'Nothing was written: format-rules refused these very rules. Mend what it said, call format-rules again, then this tool without "rules".',
  parseRefused:
    'Nothing was written: parse-rules refused the last rules. Mend them, call parse-rules and format-rules, then this tool without "rules".',
  notValidated:
    'Nothing was written: these are not the rules that format-rules validated for this file. Leave "rules" out to write those, or call format-rules with these first.',
  twoWithoutSources:
    'Nothing was written: several sets of rules without sources came in one message, and nothing tells which belongs to which file. Give each rule its "source" in parse-rules, or go through all steps for one file before the next.',
}

/** Takes the validated rules of a set, with a note where the call gave none itself. */
const fromSet = (set: RuleSet, given: GivenRules): Result<RulesToWrite> => {
  const { rules, mode } = set.formatted!
  const sources = hasSources(set) ? set.parsed?.map(sourcesOf) : undefined
  const toWrite = { rules, mode: given.mode ?? mode, set, sources, notes: [] }
  if (given.rules !== undefined) return ok(toWrite)
  const { withoutReason } = compareMeaning(set.parsed, rules)
  const issues = given.mode === undefined ? [] : modeIssues(rules, given.mode, withoutReason)
  const note = `Written: the ${pluralize(rules.length, 'rule')} that format-rules last validated.`
  const heading = `format-rules validated no rules for mode ${given.mode}; call it with this mode first:`
  return issues.length === 0 ? ok({ ...toWrite, notes: [note] }) : fail(formatIssues(heading, issues))
}

const belongsTo = ({ files }: RuleSet): string => files.map(codeName).join(' or ')

/**
 * Chooses the rules that a call writes: those that it gives, or what format-rules validated. For a file, that is the set
 * whose sources stand in it, or else one without sources: rules of another file are never written to it. Refused rules
 * are not written.
 *
 * @param file the real path of the file that is rewritten; undefined where rules are added, whatever their sources
 */
export const rulesToWrite = (
  session: SessionRules,
  given: GivenRules,
  file?: string,
): Result<RulesToWrite> => {
  const { rules, mode } = given
  const own = session.sets.findLast(({ files, isWritten }) =>
    file !== undefined && files.includes(file) && (given.isNamed || !isWritten)
  )
  if (rules !== undefined) {
    if (rules.length === 0) return fail(REFUSALS.noRules)
    const set = session.withRules(rules, file)
    if (set !== undefined && set !== own && file !== undefined && hasSources(set)) {
      return fail(`Nothing was written: the sources of these rules stand in ${belongsTo(set)}.`)
    }
    if ((set === undefined || !hasSources(set)) && session.areInPlace(rules, file)) {
      return fail(REFUSALS.inPlace)
    }
    if (set !== undefined) return fromSet(set, given)
    if (session.isRefused(rules)) return fail(REFUSALS.refused)
    if (session.isParseRefused) return fail(REFUSALS.parseRefused)
    return own === undefined ? ok({ rules, mode, notes: [] }) : fail(REFUSALS.notValidated)
  }
  const [ready, alone] = [session.sets.filter(isFormatted), session.sets.filter((one) => !hasSources(one))]
  const set = file === undefined ? ready.at(-1) : own ?? alone[0]
  const [isSourced, isReady] = [set && hasSources(set), set && isFormatted(set)]
  if (session.isParseRefused && (file === undefined || isReady && !isSourced)) {
    return fail(REFUSALS.parseRefused)
  }
  if (!isSourced && alone.length > 1) return fail(REFUSALS.twoWithoutSources)
  if (!isSourced && session.areInPlace(set?.formatted?.rules, file)) return fail(REFUSALS.inPlace)
  if (set && isReady) return fromSet(set, given)
  if (isSourced || ready.length === 0) return fail(REFUSALS.nothingFormatted)
  const others = ready.map(belongsTo).join(' and ')
  return fail(
    `Nothing was written: the rules that format-rules validated belong to ${others}, by their sources. Call parse-rules and format-rules for this file.`,
  )
}

/** Lists the files of the sources, where the call names none; undefined where its rules have no sources. */
export const filesOfSources = (
  session: SessionRules,
  { rules }: GivenRules,
): Result<Array<string> | undefined> => {
  const named = rules && session.withRules(rules)
  const ready = session.sets.filter((set) =>
    hasSources(set) && (rules ? set === named : isFormatted(set) && !set.isWritten)
  )
  const several = ready.find(({ files }) => files.length > 1)
  if (several !== undefined) {
    return fail(`Nothing was written: the sources stand in ${belongsTo(several)} alike. Name one in "files".`)
  }
  return ok(ready.length === 0 ? undefined : ready.flatMap(({ files }) => files))
}
