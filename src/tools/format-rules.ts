/** The tool format-rules: compares a model's texts with the parsed rules, and with the words that the texts replace. */
import type { ToolDefinition } from '@opencode-ai/plugin'
import { type Issue, quote } from '../json/issues.ts'
import { compareMeaning, fitOf } from '../meaning/compare-meaning.ts'
import { FormatResponseSchema, ModeSchema, type ParsedRule } from '../rule-schema.ts'
import { pluralize } from '../text/pluralize.ts'
import { runInTurn } from './call-order.ts'
import { correctable, formatRuleIssues } from './corrections.ts'
import { answer, argument, defineTool } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import { modeIssues } from './mode.ts'
import { hasSources, type PipelineToolOptions, type RuleRecord, sharedSessions } from './pipeline-state.ts'

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
    execute: ({ rules: { rules: texts }, mode }, { sessionID, messageID }) =>
      runInTurn(sessionID, async () => {
        const session = sessions.of(sessionID)
        const best = bestComparison(session.recordsToFormat(), texts)
        const { record } = best
        // A model confirms a text by sending it again in a later message, even if that message changes other texts.
        const doubts = best.doubts.filter(({ path: [, index], message = '' }) =>
          typeof index !== 'number' || !session.questions.wasRefused(texts[index]!, messageID, message)
        )
        const modeFaults = mode === undefined ? [] : modeIssues(texts, mode, withoutSecondLines(record))
        const faults = [...modeFaults, ...best.faults]
        const hasFaults = faults.length > 0
        const doubtsKey = JSON.stringify(doubts)
        // Opens a question about the texts, so that rewrite-rules and add-rules refuse them.
        if (hasFaults) session.questions.ask(texts, messageID, doubtsKey)
        const confirmOrAsk = () => session.questions.confirmOrAsk(texts, messageID, doubtsKey)
        const isAccepted = !hasFaults && (doubts.length === 0 || confirmOrAsk())
        session.storeSent('format-rules', { rules: texts, messageID, isRefused: !isAccepted })
        if (isAccepted) {
          session.storeTexts(record, { rules: texts, mode })
          return answer(pluralize(texts.length, 'rule'), JSON.stringify({ rules: texts }, null, 2))
        }
        session.dropTexts(record)
        // Mode faults are left out, because a text may be right in another mode.
        for (const { path: [, index], message = '' } of [...best.faults, ...doubts]) {
          if (typeof index === 'number') session.questions.refuse(texts[index]!, messageID, message)
        }
        // If the number of texts is wrong, correcting single texts does not help, so it is not advised.
        const output = formatRuleIssues([...faults, ...doubts], best.hasOneTextPerRule ? texts : [])
        return answer('not as parsed', output + (hasFaults ? '' : SEND_AGAIN))
      }),
  })

const SEND_AGAIN = '\nIf the texts have the right meaning, send the same again in another message.'

type Comparison = {
  record: RuleRecord
  /** How likely it is that the texts are meant for these rules. */
  fit: number
  hasOneTextPerRule: boolean
  faults: Array<Issue>
  /** Issues that the model must correct or confirm. */
  doubts: Array<Issue>
}

const bestComparison = (records: Array<RuleRecord>, texts: Array<string>): Comparison =>
  records.map((record) => compareWith(record, texts))
    .toSorted((a, b) => b.fit - a.fit || a.doubts.length - b.doubts.length)[0]!

// Exceeds the largest result of `fitOf` (4), so the right number of texts outweighs shared words.
const FIT_OF_RIGHT_NUMBER = 10

const compareWith = (record: RuleRecord, texts: Array<string>): Comparison => {
  const { parsed, replaced } = record
  const fitOfWords = fitOf(parsed ?? [], replaced, texts)
  if (parsed !== undefined && parsed.length !== texts.length) {
    const issue = numberIssue(parsed, texts)
    // If the rules have no sources, the texts may be meant for other rules, so the model may confirm the texts.
    const issues = hasSources(record) ? { faults: [issue], doubts: [] } : { faults: [], doubts: [issue] }
    return { record, fit: fitOfWords, hasOneTextPerRule: false, ...issues }
  }
  return {
    record,
    fit: FIT_OF_RIGHT_NUMBER + fitOfWords,
    hasOneTextPerRule: true,
    faults: oneLineIssues(record, texts),
    doubts: parsed === undefined ? [] : compareMeaning(parsed, replaced, texts),
  }
}

const numberIssue = (parsed: Array<ParsedRule>, texts: Array<string>): Issue => {
  const [accepted, got] = [pluralize(parsed.length, 'rule'), pluralize(texts.length, 'text')]
  const advice =
    'send one text for each rule, in the same order, or call parse-rules again with the right rules'
  return { path: ['rules'], message: `parse-rules accepted ${accepted}, got ${got}: ${advice}` }
}

/** Drops the reasons of rules in a heading or table row, because a reason needs a second line. */
const withoutSecondLines = ({ parsed, replaced }: RuleRecord): Array<ParsedRule> | undefined => {
  const inOneLine = new Set(replaced.flatMap((each) => each.oneLineKind ? each.insertedRules : []))
  return parsed?.map((rule, index) => inOneLine.has(index) ? { ...rule, reason: undefined } : rule)
}

const oneLineIssues = ({ replaced }: RuleRecord, texts: Array<string>): Array<Issue> =>
  replaced.flatMap(({ text: oldWords, insertedRules, oneLineKind }) => {
    const lastIndex = insertedRules.at(-1)
    if (oneLineKind === undefined || lastIndex === undefined) return []
    // Several rules may replace the same words.
    const newWords = insertedRules.map((ruleIndex) => texts[ruleIndex]!.trim()).join(' ')
    const isTable = oneLineKind === 'a table'
    const fitsLine = !/[\r\n]/.test(newWords)
    const fitsCells = !isTable || countCells(newWords) === countCells(oldWords)
    if (fitsLine && fitsCells) return []
    const form = `one line${isTable ? ' with as many | as the old words, not counting \\|' : ''}`
    const got = quote(newWords)
    const message = `rule ${lastIndex + 1} replaces words of ${oneLineKind}: write ${form}; got ${got}`
    return [{ path: ['rules', lastIndex], message }]
  })

// In a table, even a pipe in code separates cells, unless it is escaped (`\|`).
const countCells = (row: string): number => row.replace(/\\./g, '').split('|').length
