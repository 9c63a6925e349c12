/** Which rules a writing tool writes: those that its call gives, or those that format-rules validated. */
import type { Mode } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { codeName } from '../text/quoted-name.ts'
import { formatIssues } from '../validate.ts'
import { modeIssues } from './mode.ts'
import { hasSources, type RuleSet, type Sentences, type SessionRules, unparsed } from './pipeline-state.ts'

/** The rules that a call writes, and the set in which they are. */
export type RulesToWrite = Sentences & {
  set: RuleSet
  /** What the answer says about them. */
  notes: Array<string>
}

/** What a call of a writing tool gives. */
export type GivenRules = { rules?: Array<string> | undefined; mode?: Mode | undefined }

/** Why nothing is written. */
const REFUSALS = {
  noRules: 'There are no rules to write, so nothing was written.',
  nothingFormatted:
    'There are no rules to write: "rules" was left out, and format-rules has validated none in this session since the last parse-rules or rewrite. Call format-rules first, after parse-rules with the source of each rule, then call this tool again.',
  inPlace:
    'Nothing was written: these rules stand in the file already, in the place of their sources, unless that was undone. For that or another change call parse-rules with its words as sources, and format-rules first.',
  noSource:
    'Nothing was written: no parsed rule with a source is left of these rules. Call parse-rules with the rules that are meant, and format-rules with a text for each.',
  inWriting: 'Nothing was written by this call: another one is writing these rules already.',
  refused:
    'Nothing was written: format-rules refused these very rules. Mend what it said, call format-rules again, then this tool without "rules".',
  parseRefused:
    'Nothing was written: parse-rules refused the last rules, and no file is replaced as a whole before it took some. Mend them, call parse-rules and format-rules, then this tool without "rules".',
  notValidated:
    'Nothing was written: these are not the rules that format-rules validated for this file. Leave "rules" out to write those, or call format-rules with these first.',
  twoWithoutSources:
    'Nothing was written: several sets of rules without sources came in one message, and nothing tells which belongs to which file. Give each rule its "source" in parse-rules, or go through all steps for one file before the next.',
}

/** Names the files to which a set belongs. */
export const filesOf = ({ files }: RuleSet): string => files.map(codeName).join(' or ')

const belongTo = (sets: Array<RuleSet>): string =>
  `Nothing was written: these rules belong to ${
    sets.map(filesOf).join(' and ')
  }, by their sources. Call parse-rules and format-rules for this file.`

/** Says which of the rules that format-rules validated have not the form of a mode that a call gives. */
const otherMode = ({ rules, mode }: Sentences, given: Mode | undefined): string | undefined => {
  const issues = given === undefined || given === mode ? [] : modeIssues(rules, given)
  const heading = `format-rules validated no rules for mode ${given}; call it with this mode first:`
  return issues.length === 0 ? undefined : formatIssues(heading, issues)
}

/**
 * Chooses the rules that a call writes: those that it gives, or what format-rules validated. For a file, that is the set
 * whose sources stand in it, or else one without sources: rules of another file are never written to it. Refused rules
 * are not written.
 *
 * @param file the real path of the file that is rewritten; undefined where rules are added, whatever their sources
 */
export const rulesToWrite = (
  session: SessionRules,
  { rules, mode }: GivenRules,
  file?: string,
): Result<RulesToWrite> => {
  const ready = session.validated(rules)
  const known = rules === undefined ? session.sets : ready
  const ofFile = (set: RuleSet): boolean =>
    file !== undefined && set.state !== 'written' && set.files.includes(file)
  const alone = known.filter((set) => !hasSources(set))
  const set = file === undefined ? ready.at(-1) : known.findLast(ofFile) ?? alone.at(-1)
  const sentences = set?.sentences ?? (rules && { rules, mode })
  const isAlone = set === undefined || !hasSources(set)
  // Rules that are added replace nothing.
  const isOpen = file === undefined ? rules === undefined && !isAlone : isAlone
  const isNew = set?.sentences === undefined && rules !== undefined
  // The first that holds is why nothing is written.
  const reasons: Array<[holds: boolean, reason: string | undefined]> = [
    [sentences?.rules.length === 0, REFUSALS.noRules],
    [rules === undefined && isAlone && alone.length > 1, REFUSALS.twoWithoutSources],
    [session.isParseRefused && isOpen, REFUSALS.parseRefused],
    [isAlone && session.areInPlace(sentences?.rules, file), REFUSALS.inPlace],
    [set?.state === 'writing', REFUSALS.inWriting],
    [file !== undefined && sentences?.sources?.flat().length === 0, REFUSALS.noSource],
    [set === undefined && ready.length > 0, belongTo(ready)],
    [sentences === undefined, REFUSALS.nothingFormatted],
    [isNew && session.isDoubted(rules), REFUSALS.refused],
    [isNew && session.sets.some(ofFile), REFUSALS.notValidated],
    [rules === undefined, sentences && otherMode(sentences, mode)],
  ]
  const reason = reasons.find(([holds, reason]) => holds && reason !== undefined)?.[1]
  if (reason !== undefined) return fail(reason)
  const { length } = sentences!.rules
  return ok({
    ...sentences!,
    mode: mode ?? sentences!.mode,
    set: set ?? unparsed(),
    notes: rules ? [] : [`Written: the ${pluralize(length, 'rule')} that format-rules last validated.`],
  })
}

/** Lists the files of the sources, where the call names none; undefined where its rules have no sources. */
export const filesOfSources = (
  session: SessionRules,
  { rules }: GivenRules,
): Result<Array<string> | undefined> => {
  const ready = session.validated(rules)
  if (rules === undefined && ready.length === 0) {
    return fail(session.isParseRefused ? REFUSALS.parseRefused : REFUSALS.nothingFormatted)
  }
  const sourced = ready.filter(hasSources)
  const left = sourced.filter(({ state }) => state === 'formatted')
  const sets = rules === undefined && left.length > 0 ? left : sourced.slice(-1)
  const several = sets.find(({ files }) => files.length > 1)
  if (several !== undefined) {
    return fail(
      `Nothing was written: the sources stand in ${
        filesOf(several)
      } alike. Name one in "files", or all of them.`,
    )
  }
  return ok(sets.length === 0 ? undefined : sets.flatMap(({ files }) => files))
}
