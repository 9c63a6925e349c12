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
  type SessionState,
  unparsedRecord,
} from './pipeline-state.ts'

/** The rules that a call writes. */
export type RulesToWrite = FormattedRules & {
  record: RuleRecord
  /** Of each rule; `undefined` if the rules have no sources. */
  sources: Array<Array<string>> | undefined
  notes: Array<string>
}

export type RuleArguments = { rules?: Array<string> | undefined; mode?: Mode | undefined }

/**
 * Chooses the rules that a call writes to `file`: those with sources in it, or else those without sources. If rules are
 * added, `file` is `undefined`, and sources do not matter. Fails if nothing may be written, with the reason.
 */
export const rulesToWrite = (
  session: SessionState,
  args: RuleArguments,
  file?: string,
): Result<RulesToWrite> => {
  const { rules, mode } = args
  const record = recordFor(session, rules, file)
  // Rules without a record were not accepted before: they are written as the call has them.
  const texts = record === undefined ? rules && { rules, mode } : record.texts
  const refusal = refusalOf(session, args, file, record, texts)
  if (refusal !== undefined) return fail(refusal)
  if (texts === undefined) return fail(REFUSALS.nothingFormatted)
  const ruleCount = pluralize(texts.rules.length, 'rule')
  return ok({
    ...texts,
    mode: mode ?? texts.mode,
    sources: hasSources(record) ? record?.parsed?.map(sourcesOf) : undefined,
    record: record ?? unparsedRecord(),
    notes: rules ? [] : [`Written: the ${ruleCount} that format-rules last validated.`],
  })
}

const recordFor = (
  session: SessionState,
  rules: Array<string> | undefined,
  file: string | undefined,
): RuleRecord | undefined => {
  const formatted = session.recordsToWrite(rules)
  if (file === undefined) return formatted.at(-1)
  // Without `rules`, a record with sources in the file is chosen even before it has texts: then the call is refused.
  // Another record would replace the whole file.
  const candidates = rules === undefined ? session.records : formatted
  return candidates.findLast((record) => hasSourcesIn(record, file))
    ?? candidates.findLast((record) => !hasSources(record))
}

const hasSourcesIn = ({ state, files }: RuleRecord, file: string): boolean =>
  state !== 'written' && files.includes(file)

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

/** Returns why a call may not write `texts` (of `record` or, without one, of the call); `undefined` if it may. */
const refusalOf = (
  session: SessionState,
  { rules, mode }: RuleArguments,
  file: string | undefined,
  record: RuleRecord | undefined,
  texts: FormattedRules | undefined,
): string | undefined => {
  if (texts?.rules.length === 0) return REFUSALS.noRules
  const replacesWholeFile = file !== undefined && !hasSources(record)
  const hasTwoSets = session.records.filter((other) => !hasSources(other)).length > 1
  if (rules === undefined && !hasSources(record) && hasTwoSets) return REFUSALS.twoWithoutSources
  // After a refused parse-rules, a call of add-rules without "rules" may mean the refused rules, not an older record.
  const addsOlderRules = file === undefined && rules === undefined && hasSources(record)
  if (session.isParseRefused && (replacesWholeFile || addsOlderRules)) return REFUSALS.parseRefused
  if (replacesWholeFile && session.areWritten(texts?.rules ?? [], file)) return REFUSALS.alreadyWritten
  if (record?.state === 'writing') return REFUSALS.beingWritten
  // Without a record, the rules of a call are written unchecked, but not if they belong to another file, were refused,
  // or differ from rules that were parsed for this file.
  if (record === undefined) {
    const elsewhere = session.recordsToWrite(rules)
    if (elsewhere.length > 0) return belongElsewhere(elsewhere)
    if (rules === undefined) return undefined
    if (session.hasQuestion(rules)) return REFUSALS.refused
    const hasOtherRules = file !== undefined && session.records.some((other) => hasSourcesIn(other, file))
    if (hasOtherRules) return REFUSALS.notValidated
  }
  return rules === undefined && texts !== undefined ? modeFault(texts, mode) : undefined
}

/** Names the files of a record, such as "`a.md` or `b.md`". */
export const filesOf = ({ files }: RuleRecord): string => files.map(nameInBackticks).join(' or ')

const belongElsewhere = (records: Array<RuleRecord>): string => {
  const files = records.map(filesOf).join(' and ')
  return `Nothing was written: these rules belong to ${files}, by their sources. Call parse-rules and format-rules for this file.`
}

/** Returns the issues of rules that were accepted for another mode, and lack the form of the wanted one. */
const modeFault = ({ rules, mode }: FormattedRules, wanted: Mode | undefined): string | undefined => {
  const issues = wanted === undefined || wanted === mode ? [] : modeIssues(rules, wanted)
  const heading = `format-rules validated no rules for mode ${wanted}; call it with this mode first:`
  return issues.length === 0 ? undefined : formatIssues(heading, issues)
}

/**
 * Returns the files that contain the sources of the rules to write; `undefined` if the rules have none. Fails if there
 * are no rules, or if several files contain all sources of a record.
 */
export const filesOfSources = (
  session: SessionState,
  { rules }: RuleArguments,
): Result<Array<string> | undefined> => {
  const formatted = session.recordsToWrite(rules)
  if (rules === undefined && formatted.length === 0) {
    return fail(session.isParseRefused ? REFUSALS.parseRefused : REFUSALS.nothingFormatted)
  }
  const withSources = formatted.filter(hasSources)
  const open = withSources.filter(({ state }) => state === 'open')
  // Without `rules`, all open records are written. If other calls write all of them now, the last one is refused later.
  const records = rules === undefined && open.length > 0 ? open : withSources.slice(-1)
  const ambiguous = records.find(({ files }) => files.length > 1)
  if (ambiguous !== undefined) {
    const files = filesOf(ambiguous)
    const reason = `several files have the sources, ${files}. Name one in "files", or all of them.`
    return fail(`Nothing was written: ${reason}`)
  }
  return ok(records.length === 0 ? undefined : records.flatMap(({ files }) => files))
}
