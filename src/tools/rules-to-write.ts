/** Which rules a writing tool writes: those that its call gives, or those that format-rules validated. */
import { type Mode, sourcesOf } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInBackticks } from '../text/quoted-name.ts'
import { formatIssues } from '../validate.ts'
import { modeIssues } from './mode.ts'
import { hasSources, type RuleRecord, type SessionRules, type Texts, unparsed } from './pipeline-state.ts'

/** The rules that a call writes, their sources if they have some, and the record in which they are. */
export type RulesToWrite = Texts & {
  record: RuleRecord
  sources: Array<Array<string>> | undefined
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
  inWriting: 'Nothing was written by this call: another one is writing these rules already.',
  refused:
    'Nothing was written: format-rules refused these very rules. Fix what it said, call format-rules again, then this tool without "rules".',
  parseRefused:
    'Nothing was written: parse-rules refused the last rules, and no file is replaced as a whole before it took some. Fix them, call parse-rules and format-rules, then this tool without "rules".',
  notValidated:
    'Nothing was written: these are not the rules that format-rules validated for this file. Leave "rules" out to write those, or call format-rules with these first.',
  twoWithoutSources:
    'Nothing was written: several sets of rules without sources came in one message, and nothing tells which belongs to which file. Give each rule its "source" in parse-rules, or go through all steps for one file before the next.',
}

/** Names the files to which a record belongs. */
export const filesOf = ({ files }: RuleRecord): string => files.map(nameInBackticks).join(' or ')

const belongTo = (records: Array<RuleRecord>): string =>
  `Nothing was written: these rules belong to ${
    records.map(filesOf).join(' and ')
  }, by their sources. Call parse-rules and format-rules for this file.`

/** Says which of the rules that format-rules validated have not the form of a mode that a call gives. */
const otherMode = ({ rules, mode }: Texts, given: Mode | undefined): string | undefined => {
  const issues = given === undefined || given === mode ? [] : modeIssues(rules, given)
  const heading = `format-rules validated no rules for mode ${given}; call it with this mode first:`
  return issues.length === 0 ? undefined : formatIssues(heading, issues)
}

/**
 * Chooses the rules that a call writes: those that it gives, or what format-rules took. For a file, that is the record
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
  const ready = session.withTexts(rules)
  const known = rules === undefined ? session.records : ready
  const isOfFile = (record: RuleRecord): boolean =>
    file !== undefined && record.state !== 'written' && record.files.includes(file)
  const alone = known.filter((record) => !hasSources(record))
  const record = file === undefined ? ready.at(-1) : known.findLast(isOfFile) ?? alone.at(-1)
  const texts = record?.texts ?? (rules && { rules, mode })
  const isAlone = record === undefined || !hasSources(record)
  // Rules that are added replace nothing.
  const isUnnamed = file === undefined ? rules === undefined && !isAlone : isAlone
  const isNew = record?.texts === undefined && rules !== undefined
  // The first that holds is why nothing is written.
  const reasons: Array<[holds: boolean, reason: string | undefined]> = [
    [texts?.rules.length === 0, REFUSALS.noRules],
    [rules === undefined && isAlone && alone.length > 1, REFUSALS.twoWithoutSources],
    [session.isParseRefused && isUnnamed, REFUSALS.parseRefused],
    [isAlone && file !== undefined && session.areWritten(texts?.rules ?? [], file), REFUSALS.inPlace],
    [record?.state === 'writing', REFUSALS.inWriting],
    [record === undefined && ready.length > 0, belongTo(ready)],
    [texts === undefined, REFUSALS.nothingFormatted],
    [isNew && session.isAsked(rules), REFUSALS.refused],
    [isNew && session.records.some(isOfFile), REFUSALS.notValidated],
    [rules === undefined, texts && otherMode(texts, mode)],
  ]
  const reason = reasons.find(([holds, reason]) => holds && reason !== undefined)?.[1]
  if (reason !== undefined) return fail(reason)
  const { length } = texts!.rules
  return ok({
    ...texts!,
    mode: mode ?? texts!.mode,
    sources: isAlone ? undefined : record.parsed?.map(sourcesOf),
    record: record ?? unparsed(),
    notes: rules ? [] : [`Written: the ${pluralize(length, 'rule')} that format-rules last validated.`],
  })
}

/** Lists the files of the sources, where the call names none; undefined where its rules have no sources. */
export const filesOfSources = (
  session: SessionRules,
  { rules }: GivenRules,
): Result<Array<string> | undefined> => {
  const ready = session.withTexts(rules)
  if (rules === undefined && ready.length === 0) {
    return fail(session.isParseRefused ? REFUSALS.parseRefused : REFUSALS.nothingFormatted)
  }
  const sourced = ready.filter(hasSources)
  const left = sourced.filter(({ state }) => state === 'open')
  const records = rules === undefined && left.length > 0 ? left : sourced.slice(-1)
  const several = records.find(({ files }) => files.length > 1)
  if (several !== undefined) {
    return fail(
      `Nothing was written: the sources stand in ${
        filesOf(several)
      } alike. Name one in "files", or all of them.`,
    )
  }
  return ok(records.length === 0 ? undefined : records.flatMap(({ files }) => files))
}
