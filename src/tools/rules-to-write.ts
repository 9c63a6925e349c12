/** Chooses the rules that rewrite-rules or add-rules writes: the call's own rules, or the rules from format-rules. */
import { type Mode, sourcesOf } from '../rule-schema.ts'
import { fail, ok, type Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInBackticks } from '../text/quoted-name.ts'
import { formatIssues } from '../validate.ts'
import { modeIssues } from './mode.ts'
import { inCode, joinFirst } from './notes.ts'
import type { FormattedRules, RuleRecord, SessionState } from './pipeline-state.ts'
import { hasSources, unparsedRecord } from './pipeline-state.ts'

export type RulesToWrite = FormattedRules & {
  record: RuleRecord
  /** The words that each rule replaces, or `undefined` if the rules have no sources. */
  sources: Array<Array<string>> | undefined
  notes: Array<string>
}

export type RuleArguments = { rules?: Array<string> | undefined; mode?: Mode | undefined }

/** Chooses the rules for `file` (`undefined` for add-rules), or fails with a refusal for the model. */
export const rulesToWrite = (
  session: SessionState,
  args: RuleArguments,
  file?: string,
): Result<RulesToWrite> => {
  const { rules, mode } = args
  const record = recordFor(session, rules, file)
  // If no record has the rules of this call, they are written as they are, unless `refusalOf` objects.
  const texts = record ? record.texts : rules && { rules, mode }
  const refusal = refusalOf(session, args, file, record, texts)
  if (refusal !== undefined || texts === undefined) return fail(refusal ?? REFUSALS.nothingFormatted)
  const ruleCount = pluralize(texts.rules.length, 'rule')
  return ok({
    ...texts,
    mode: mode ?? texts.mode,
    sources: hasSources(record) ? record?.parsed?.map(sourcesOf) : undefined,
    record: record ?? unparsedRecord(),
    notes: rules ? [] : [`Written: the ${ruleCount} that format-rules last validated.`],
  })
}

const recordFor = (session: SessionState, rules?: Array<string>, file?: string): RuleRecord | undefined => {
  const formatted = session.recordsToWrite(rules)
  if (file === undefined) return formatted.at(-1)
  // Without `rules`, prefers a record with sources in `file`, even if its texts are not validated, so that the call is
  // refused. A record without sources would replace the whole file.
  const candidates = rules === undefined ? session.records : formatted
  return candidates.findLast((record) => hasUnreplacedSourcesIn(record, file))
    ?? candidates.findLast((record) => !hasSources(record))
}

const hasUnreplacedSourcesIn = ({ state, files }: RuleRecord, file: string): boolean =>
  state !== 'written' && files.includes(file)

const REFUSALS = {
  noRules: 'There are no rules to write, so nothing was written.',
  nothingFormatted:
    'There are no rules to write: "rules" was left out, and format-rules has validated no rules in this session since the last parse-rules or rewrite. Call format-rules first (after parse-rules with the source of each rule), then call this tool again.',
  alreadyWritten:
    'Nothing was written: these rules have already replaced their sources in the file. To write them again, for example after an undo, call parse-rules with the present words as sources, then format-rules.',
  beingWritten: 'Nothing was written by this call: another call is already writing these rules.',
  parseRefused:
    'Nothing was written: parse-rules refused the last rules. Until it accepts rules, no file is replaced as a whole. Fix the rules, call parse-rules and format-rules, then this tool without "rules".',
  notValidated:
    'Nothing was written: these are not the rules that format-rules validated for this file. Leave "rules" out to write the validated rules, or call format-rules with your rules first.',
  severalWithoutSources:
    'Nothing was written: several sets of rules without sources came in one message, and it is unclear which set belongs to which file. Give each rule its "source" in parse-rules, or go through all steps for one file before the next.',
}

const refusalOf = (
  session: SessionState,
  { rules, mode }: RuleArguments,
  file: string | undefined,
  record: RuleRecord | undefined,
  texts: FormattedRules | undefined,
): string | undefined => {
  const isAddition = file === undefined
  if (texts?.rules.length === 0) return REFUSALS.noRules
  if (hasSources(record)) {
    // A call of add-rules without "rules" may mean the newer rules, which parse-rules refused.
    if (session.isParseRefused && isAddition && rules === undefined) return REFUSALS.parseRefused
  } else {
    const hasSeveralSets = session.records.filter((each) => !hasSources(each)).length > 1
    if (rules === undefined && hasSeveralSets) return REFUSALS.severalWithoutSources
    // parse-rules may have refused rules with sources, which must not replace the whole file.
    if (session.isParseRefused && !isAddition) return REFUSALS.parseRefused
    if (!isAddition && session.areWritten(texts?.rules ?? [], file)) return REFUSALS.alreadyWritten
  }
  if (record?.state === 'writing') return REFUSALS.beingWritten
  if (record === undefined) return refusalWithoutRecord(session, rules, file)
  return rules === undefined && texts !== undefined ? modeFault(texts, mode) : undefined
}

const FIX_REFUSED = 'Fix what it reported, call format-rules again, then this tool without "rules".'

export const describeFiles = ({ files }: RuleRecord): string => files.map(nameInBackticks).join(' or ')

const refusalWithoutRecord = (session: SessionState, rules?: Array<string>, file?: string) => {
  const otherFiles = session.recordsToWrite(rules).map(describeFiles).join(' and ')
  if (otherFiles !== '') {
    return `Nothing was written: the sources of these rules are in ${otherFiles}. Call parse-rules and format-rules for this file.`
  }
  if (rules === undefined) return REFUSALS.nothingFormatted
  const refused = session.questions.refusedAmong(rules)
  if (refused.length > 0 || session.questions.isOpen(rules)) {
    const names = joinFirst(refused.map(inCode)) || 'these rules'
    return `Nothing was written: format-rules refused ${names}. ${FIX_REFUSED}`
  }
  const hasOtherRules = file !== undefined
    && session.records.some((other) => hasUnreplacedSourcesIn(other, file))
  return hasOtherRules ? REFUSALS.notValidated : undefined
}

const modeFault = ({ rules, mode }: FormattedRules, wanted: Mode | undefined): string | undefined => {
  const issues = wanted === undefined || wanted === mode ? [] : modeIssues(rules, wanted)
  const heading = `format-rules validated no rules for mode ${wanted}; call it with this mode first:`
  return issues.length === 0 ? undefined : formatIssues(heading, issues)
}

/** Returns one file for each record to write, or `undefined` if the rules have no sources. */
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
  // If no record is open, another call is writing the last record, so `rulesToWrite` refuses this call.
  const records = rules === undefined && open.length > 0 ? open : withSources.slice(-1)
  const ambiguous = records.find(({ files }) => files.length > 1)
  if (ambiguous !== undefined) {
    const reason = `several files contain the sources: ${describeFiles(ambiguous)}`
    return fail(`Nothing was written: ${reason}. Name one in "files", or all of them.`)
  }
  return ok(records.length === 0 ? undefined : records.flatMap(({ files }) => files))
}
