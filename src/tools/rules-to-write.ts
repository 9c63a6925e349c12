/** Chooses the rules that rewrite-rules or add-rules writes: those of the call, or those that format-rules accepted. */
import { type Mode, sourcesOf } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInBackticks } from '../text/quoted-name.ts'
import { formatIssues } from '../validate.ts'
import { modeIssues } from './mode.ts'
import {
  type FormattedRules,
  hasSources,
  type RuleRecord,
  type SessionRules,
  unparsedRecord,
} from './pipeline-state.ts'

/** The rules that a call writes, and their record. */
export type RulesToWrite = FormattedRules & {
  record: RuleRecord
  /** The sources of each rule; `undefined` if the rules have none. */
  sources: Array<Array<string>> | undefined
  /** Lines for the answer. */
  notes: Array<string>
}

/** The rules and the mode in the arguments of a call. */
export type RuleArguments = { rules?: Array<string> | undefined; mode?: Mode | undefined }

/** Why a call writes nothing. */
const REFUSALS = {
  noRules: 'There are no rules to write, so nothing was written.',
  nothingFormatted:
    'There are no rules to write: "rules" was left out, and format-rules has validated none in this session since the last parse-rules or rewrite. Call format-rules first, after parse-rules with the source of each rule, then call this tool again.',
  alreadyWritten:
    'Nothing was written: these rules have already replaced their sources in the file, unless that was undone. To write them again, call parse-rules with the present words as sources, then format-rules.',
  beingWritten: 'Nothing was written by this call: another one is writing these rules already.',
  refused:
    'Nothing was written: format-rules refused these rules. Fix what it reported, call format-rules again, then this tool without "rules".',
  parseRefused:
    'Nothing was written: parse-rules refused the last rules, and no file is replaced as a whole until it accepts some. Fix them, call parse-rules and format-rules, then this tool without "rules".',
  notValidated:
    'Nothing was written: these are not the rules that format-rules validated for this file. Leave "rules" out to write those, or call format-rules with these first.',
  twoWithoutSources:
    'Nothing was written: several sets of rules without sources came in one message, and nothing tells which belongs to which file. Give each rule its "source" in parse-rules, or go through all steps for one file before the next.',
}

/** Names the files of a record. */
export const filesOf = ({ files }: RuleRecord): string => files.map(nameInBackticks).join(' or ')

const belongElsewhere = (records: Array<RuleRecord>): string => {
  const files = records.map(filesOf).join(' and ')
  return `Nothing was written: these rules belong to ${files}, by their sources. Call parse-rules and format-rules for this file.`
}

/** Returns a message on validated rules that lack the form of the mode that a call names; `undefined` if none do. */
const modeFault = ({ rules, mode }: FormattedRules, wanted: Mode | undefined): string | undefined => {
  const issues = wanted === undefined || wanted === mode ? [] : modeIssues(rules, wanted)
  const heading = `format-rules validated no rules for mode ${wanted}; call it with this mode first:`
  return issues.length === 0 ? undefined : formatIssues(heading, issues)
}

/**
 * Chooses the rules that a call writes: those of the call, or those that format-rules validated. A file gets the rules
 * with sources in it, or else rules without sources, but never the rules of another file, and never refused rules.
 *
 * @param file the real path of the file to rewrite; `undefined` if rules are added, whose sources do not matter
 */
export const rulesToWrite = (
  session: SessionRules,
  { rules, mode }: RuleArguments,
  file?: string,
): Result<RulesToWrite> => {
  const formatted = session.recordsToWrite(rules)
  const candidates = rules === undefined ? session.records : formatted
  // Rules that are written have no sources in the file any more.
  const isForFile = (record: RuleRecord): boolean =>
    file !== undefined && record.state !== 'written' && record.files.includes(file)
  const withoutSources = candidates.filter((record) => !hasSources(record))
  // A file to rewrite gets the rules with sources in it, or else rules without sources.
  const record = file === undefined
    ? formatted.at(-1)
    : candidates.findLast(isForFile) ?? withoutSources.at(-1)
  const texts = record?.texts ?? (rules && { rules, mode })
  const isSourced = record !== undefined && hasSources(record)
  const replacesWholeFile = file !== undefined && !isSourced
  // After a refused parse-rules, a call may mean the refused rules: if it replaces a whole file, or if it adds, leaves
  // "rules" out, and the last formatted rules have sources.
  const mayMeanRefused = replacesWholeFile || file === undefined && rules === undefined && isSourced
  const isUnvalidated = record?.texts === undefined && rules !== undefined
  if (texts?.rules.length === 0) return fail(REFUSALS.noRules)
  if (rules === undefined && !isSourced && withoutSources.length > 1) return fail(REFUSALS.twoWithoutSources)
  if (session.isParseRefused && mayMeanRefused) return fail(REFUSALS.parseRefused)
  if (replacesWholeFile && session.areWritten(texts?.rules ?? [], file)) {
    return fail(REFUSALS.alreadyWritten)
  }
  if (record?.state === 'writing') return fail(REFUSALS.beingWritten)
  if (record === undefined && formatted.length > 0) return fail(belongElsewhere(formatted))
  if (texts === undefined) return fail(REFUSALS.nothingFormatted)
  if (isUnvalidated && session.hasQuestion(rules)) return fail(REFUSALS.refused)
  if (isUnvalidated && session.records.some(isForFile)) return fail(REFUSALS.notValidated)
  const fault = rules === undefined ? modeFault(texts, mode) : undefined
  if (fault !== undefined) return fail(fault)
  const ruleCount = pluralize(texts.rules.length, 'rule')
  return ok({
    ...texts,
    mode: mode ?? texts.mode,
    sources: isSourced ? record.parsed?.map(sourcesOf) : undefined,
    record: record ?? unparsedRecord(),
    notes: rules ? [] : [`Written: the ${ruleCount} that format-rules last validated.`],
  })
}

/**
 * Returns the files that contain the sources of the rules to write; `undefined` if the rules have no sources. If the
 * call leaves "rules" out, these are the files of all open records; otherwise, or if none is open, that of the last
 * record. Fails if "rules" is left out and nothing is formatted, or if several files contain all sources of a record.
 */
export const filesOfSources = (
  session: SessionRules,
  { rules }: RuleArguments,
): Result<Array<string> | undefined> => {
  const formatted = session.recordsToWrite(rules)
  if (rules === undefined && formatted.length === 0) {
    return fail(session.isParseRefused ? REFUSALS.parseRefused : REFUSALS.nothingFormatted)
  }
  const withSources = formatted.filter(hasSources)
  const open = withSources.filter(({ state }) => state === 'open')
  const records = rules === undefined && open.length > 0 ? open : withSources.slice(-1)
  const ambiguous = records.find(({ files }) => files.length > 1)
  if (ambiguous === undefined) {
    return ok(records.length === 0 ? undefined : records.flatMap(({ files }) => files))
  }
  const reason = `several files have the sources, ${filesOf(ambiguous)}. Name one in "files", or all of them.`
  return fail(`Nothing was written: ${reason}`)
}
