/** The tool format-rules: checks the texts of parsed rules, and stores those that it accepts. */
import type { ToolDefinition } from '@opencode-ai/plugin'
import { type Issue, quote } from '../json/issues.ts'
import { compareMeaning, fitOf } from '../meaning/compare-meaning.ts'
import { FormatResponseSchema, type Mode, ModeSchema, type ParsedRule } from '../rule-schema.ts'
import { pluralize } from '../text/pluralize.ts'
import { runInTurn } from './call-order.ts'
import { correctable, formatFaults } from './corrections.ts'
import { answer, argument, defineTool, type ToolAnswer } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import { modeIssues } from './mode.ts'
import {
  hasSources,
  type PipelineToolOptions,
  type RuleRecord,
  type SessionRules,
  sharedSessions,
} from './pipeline-state.ts'

/** Counts the cells of a table row. An escaped pipe (`\|`) and one in code separate no cells. */
const countCells = (row: string): number => row.replace(/\\.|`[^`\n]*`/g, '').split('|').length

/** Creates an issue for each heading or table row that texts would break, by a line break or more or fewer cells. */
const oneLineIssues = ({ replaced }: RuleRecord, texts: Array<string>): Array<Issue> =>
  replaced.flatMap(({ text, inserted, oneLineKind }) => {
    const lastRule = inserted.at(-1)
    if (oneLineKind === undefined || lastRule === undefined) return []
    const isTable = oneLineKind === 'a table'
    const words = inserted.map((rule) => texts[rule]!.trim()).join(' ')
    if (!/[\r\n]/.test(words) && (!isTable || countCells(words) === countCells(text))) return []
    const form = `${oneLineKind}, which holds one line${isTable ? ' with as many | as before' : ''}`
    const message = `rule ${lastRule + 1} replaces words of ${form}; got ${quote(words)}`
    return [{ path: ['rules', lastRule], message }]
  })

/** Texts compared with a record that they may belong to. */
type Comparison = {
  record: RuleRecord
  /** How well the texts fit the record, to choose between records. */
  fit: number
  /** Whether there is one text for each parsed rule, or nothing was parsed. */
  isOneForEach: boolean
  faults: Array<Issue>
  /** The issues that the model can overrule by sending the texts again. */
  doubts: Array<Issue>
}

/** Creates the issue for texts whose number is not that of the parsed rules. */
const numberIssue = (parsed: Array<ParsedRule>, texts: Array<string>): Issue => {
  const accepted = pluralize(parsed.length, 'rule')
  const advice =
    'one text for each, in the same order, or call parse-rules again with the rules that are meant'
  const message = `parse-rules accepted ${accepted}, got ${pluralize(texts.length, 'text')}: send ${advice}`
  return { path: ['rules'], message }
}

/** Compares texts with a record, to which they may belong or not. */
const compareWith = (record: RuleRecord, texts: Array<string>): Comparison => {
  const { parsed = [], replaced } = record
  const isOneForEach = record.parsed === undefined || parsed.length === texts.length
  // The right number of texts counts more than any number of shared words.
  const fit = (isOneForEach ? 10 : 0) + fitOf(parsed, replaced, texts)
  const comparison = { record, fit, isOneForEach }
  if (isOneForEach) {
    const doubts = record.parsed ? compareMeaning(parsed, replaced, texts) : []
    return { ...comparison, faults: oneLineIssues(record, texts), doubts }
  }
  const issues = [numberIssue(parsed, texts)]
  // Each source needs a text. Texts without sources may be meant for other rules.
  return hasSources(record)
    ? { ...comparison, faults: issues, doubts: [] }
    : { ...comparison, faults: [], doubts: issues }
}

/** Returns the comparison that fits best: of equal fits the one with the fewest doubts, or else the first. */
const bestOf = (comparisons: Array<Comparison>): Comparison =>
  comparisons.toSorted((a, b) => b.fit - a.fit || a.doubts.length - b.doubts.length)[0]!

const SEND_AGAIN = '\nIf the rules say what is meant, send the same again in another message.'

/** Stores texts in the record that they fit best, or answers with their faults and doubts. */
const acceptTexts = (
  session: SessionRules,
  texts: Array<string>,
  mode: Mode | undefined,
  messageID: string | undefined,
): ToolAnswer => {
  const comparisons = session.recordsToFormat().map((record) => compareWith(record, texts))
  const best = bestOf(comparisons)
  const { record, doubts } = best
  const faults = [...mode === undefined ? [] : modeIssues(texts, mode, record.parsed), ...best.faults]
  const question = JSON.stringify(doubts)
  // The question is stored also if there are faults, because rewrite-rules refuses texts with an open question.
  if (faults.length > 0) session.storeQuestion(texts, messageID, question)
  const isAccepted = faults.length === 0
    && (doubts.length === 0 || session.confirmOrAsk(texts, messageID, question))
  session.storeSent('format-rules', { rules: texts, messageID, isRefused: !isAccepted })
  if (isAccepted) {
    session.storeTexts(record, { rules: texts, mode })
    return answer(pluralize(texts.length, 'rule'), JSON.stringify({ rules: texts }, null, 2))
  }
  session.refuseTexts(record)
  // A correction by number cannot add or remove a text.
  const output = formatFaults([...faults, ...doubts], best.isOneForEach ? texts : [])
  return answer('not as parsed', output + (faults.length > 0 ? '' : SEND_AGAIN))
}

/**
 * Creates format-rules, which checks the texts of rules against the mode of the call, the parsed rules, and the words
 * that the texts replace. Accepts texts that are only doubted if they are sent again in a later message.
 */
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
      runInTurn(sessionID, async () => acceptTexts(sessions.of(sessionID), rules, mode, messageID)),
  })
