/**
 * The tool format-rules: checks the texts of rules against the mode of the call, the parsed rules, and the words that
 * the texts replace. Texts without faults, but with doubts, are accepted when they are sent again in a later message.
 */
import type { ToolDefinition } from '@opencode-ai/plugin'
import { type Issue, quote } from '../json/issues.ts'
import { compareMeaning, fitOf } from '../meaning/compare-meaning.ts'
import { FormatResponseSchema, type Mode, ModeSchema, type ParsedRule } from '../rule-schema.ts'
import { pluralize } from '../text/pluralize.ts'
import { runInTurn } from './call-order.ts'
import { correctable, formatRuleIssues } from './corrections.ts'
import { answer, argument, defineTool, type ToolAnswer } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import { modeIssues } from './mode.ts'
import {
  hasSources,
  type PipelineToolOptions,
  type RuleRecord,
  type SessionState,
  sharedSessions,
} from './pipeline-state.ts'

export const createFormatRulesTool = (
  { description, sessions = sharedSessions }: PipelineToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: argument(FormatResponseSchema.describe(ARGUMENTS.formattedRules)),
      mode: argument(ModeSchema.optional().describe(ARGUMENTS.mode)),
    },
    ...correctable(sessions, 'format-rules'),
    execute: ({ rules: { rules }, mode }, { sessionID, messageID }) =>
      runInTurn(sessionID, async () => checkTexts(sessions.of(sessionID), rules, mode, messageID)),
  })

const SEND_AGAIN = '\nIf the rules say what is meant, send the same again in another message.'

/** Checks texts against the parsed rules that they fit best. Stores them, or answers with their faults and doubts. */
const checkTexts = (
  session: SessionState,
  texts: Array<string>,
  mode: Mode | undefined,
  messageID: string | undefined,
): ToolAnswer => {
  const best = bestComparison(session.recordsToFormat(), texts)
  const { record, doubts } = best
  const modeFaults = mode === undefined ? [] : modeIssues(texts, mode, record.parsed)
  const faults = [...modeFaults, ...best.faults]
  const hasFaults = faults.length > 0
  const question = JSON.stringify(doubts)
  // The model confirms doubted texts by sending them again.
  const isAccepted = !hasFaults && (doubts.length === 0 || session.confirmOrAsk(texts, messageID, question))
  // rewrite-rules refuses texts with an open question, so texts with faults get one, too.
  if (hasFaults) session.storeQuestion(texts, messageID, question)
  session.storeSent('format-rules', { rules: texts, messageID, isRefused: !isAccepted })
  if (isAccepted) {
    session.storeTexts(record, { rules: texts, mode })
    return answer(pluralize(texts.length, 'rule'), JSON.stringify({ rules: texts }, null, 2))
  }
  session.dropTexts(record)
  // Corrections by number are offered only if the number of texts is right: they cannot add or remove one.
  const output = formatRuleIssues([...faults, ...doubts], best.isOneForEach ? texts : [])
  return answer('not as parsed', output + (hasFaults ? '' : SEND_AGAIN))
}

/** The comparison of texts with a record that they may belong to. */
type Comparison = {
  record: RuleRecord
  /** How well the texts fit the record: the larger, the better. */
  fit: number
  /** Whether there is one text for each parsed rule, or nothing was parsed. */
  isOneForEach: boolean
  /** The issues that the model must mend. */
  faults: Array<Issue>
  /** The issues that the model can overrule by sending the texts again. */
  doubts: Array<Issue>
}

/** Compares texts with each record. Returns the best fit; of equal fits, the one with the fewest doubts. */
const bestComparison = (records: Array<RuleRecord>, texts: Array<string>): Comparison =>
  records.map((record) => compareWith(record, texts))
    .toSorted((a, b) => b.fit - a.fit || a.doubts.length - b.doubts.length)[0]!

// The right number of texts counts more than any share of common words, for which `fitOf` returns at most 4.
const FIT_OF_RIGHT_NUMBER = 10

const compareWith = (record: RuleRecord, texts: Array<string>): Comparison => {
  const { parsed, replaced } = record
  const fitOfWords = fitOf(parsed ?? [], replaced, texts)
  if (parsed !== undefined && parsed.length !== texts.length) {
    const issue = numberIssue(parsed, texts)
    // If the rules have sources, each needs a text, so a wrong number is a fault. If not, it is only a doubt: the texts
    // may be meant for other rules.
    const issues = hasSources(record) ? { faults: [issue], doubts: [] } : { faults: [], doubts: [issue] }
    return { record, fit: fitOfWords, isOneForEach: false, ...issues }
  }
  return {
    record,
    fit: FIT_OF_RIGHT_NUMBER + fitOfWords,
    isOneForEach: true,
    faults: oneLineIssues(record, texts),
    doubts: parsed === undefined ? [] : compareMeaning(parsed, replaced, texts),
  }
}

/** Creates the issue for texts whose number is not that of the parsed rules. */
const numberIssue = (parsed: Array<ParsedRule>, texts: Array<string>): Issue => {
  const [accepted, got] = [pluralize(parsed.length, 'rule'), pluralize(texts.length, 'text')]
  const advice =
    'send one text for each, in the same order, or call parse-rules again with the rules that are meant'
  return { path: ['rules'], message: `parse-rules accepted ${accepted}, got ${got}: ${advice}` }
}

/**
 * Creates an issue for words in a heading or a table row if the texts in their place would contain a line break or, in
 * a table row, another number of cells.
 */
const oneLineIssues = ({ replaced }: RuleRecord, texts: Array<string>): Array<Issue> =>
  replaced.flatMap(({ text: oldWords, inserted: insertedRules, oneLineKind }) => {
    const lastRule = insertedRules.at(-1)
    if (oneLineKind === undefined || lastRule === undefined) return []
    const newWords = insertedRules.map((rule) => texts[rule]!.trim()).join(' ')
    const isTable = oneLineKind === 'a table'
    const hasOtherCells = isTable && countCells(newWords) !== countCells(oldWords)
    if (!/[\r\n]/.test(newWords) && !hasOtherCells) return []
    const form = `${oneLineKind}, which holds one line${isTable ? ' with as many | as before' : ''}`
    const message = `rule ${lastRule + 1} replaces words of ${form}; got ${quote(newWords)}`
    return [{ path: ['rules', lastRule], message }]
  })

/** Counts the cells of a table row. An escaped pipe (`\|`) and one in code separate no cells. */
const countCells = (row: string): number => row.replace(/\\.|`[^`\n]*`/g, '').split('|').length
