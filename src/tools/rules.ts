import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'
import { type Issue, quote } from '../json/issues.ts'
import { compareMeaning, fitOf } from '../meaning/compare-meaning.ts'
import { FormatResponseSchema, type Mode, ModeSchema, ParseResponseSchema } from '../rule-schema.ts'
import { pluralize } from '../text/pluralize.ts'
import { formatIssues } from '../validate.ts'
import { inOrder } from './call-order.ts'
import { howToCorrect, rulesIn, withCorrections } from './corrections.ts'
import { answer, argument, defineTool, type ToolAnswer } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import { findFile } from './find-file.ts'
import { modeIssues } from './mode.ts'
import { pairsNote } from './notes.ts'
import {
  hasSources,
  type PipelineState,
  type PipelineToolOptions,
  type RuleRecord,
  type SessionRules,
  sharedSessions,
  shownTo,
} from './pipeline-state.ts'

export { createAddTool } from './add-rules.ts'
export { createDiscoverTool, type DiscoverToolOptions } from './discover-rules.ts'
export { createRewriteTool } from './rewrite-rules.ts'

// All faults of many sources come in one answer.
const MAX_FAULTS_LENGTH = 4_000

const refusal = (
  title: string,
  issues: Array<Issue>,
  rules: Array<unknown>,
  advice: Array<string>,
  goOn = '',
): ToolAnswer =>
  answer(
    title,
    formatIssues(
      'Schema validation failed:',
      issues,
      [...advice, ...howToCorrect(issues, rules)],
      MAX_FAULTS_LENGTH,
    )
      + goOn,
  )

/** Makes the parts of a tool whose calls may correct single rules; `refuse` notes in the session that one was invalid. */
const correctable = (sessions: PipelineState, tool: string, refuse: (session: SessionRules) => void) => ({
  prepare: (args: unknown, { sessionID }: ToolContext) =>
    withCorrections(sessions.of(sessionID).toCorrect(tool), tool, args),
  onInvalid: (args: unknown, { sessionID, messageID }: ToolContext, issues: Array<Issue>) =>
    inOrder(sessionID, async () => {
      const [session, rules] = [sessions.of(sessionID), rulesIn(rulesIn(args))]
      refuse(session)
      if (!Array.isArray(rules)) return []
      session.storeSent(tool, { rules, messageID, isRefused: true })
      return howToCorrect(issues, rules)
    }),
})

/** Makes parse-rules, which checks the rules that the model made of a text, and finds the words of the file that they replace. */
export const createParseRulesTool = (
  { description, sessions = sharedSessions, discovered }: PipelineToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: { rules: argument(ParseResponseSchema) },
    ...correctable(sessions, 'parse-rules', (session) => session.refuseParsed()),
    execute: ({ rules: { rules } }, { sessionID, messageID }) =>
      inOrder(sessionID, async () => {
        const session = sessions.of(sessionID)
        const found = await findFile(shownTo({ discovered, sessions }, sessionID), rules)
        session.storeSent('parse-rules', { rules, messageID, isRefused: found.error !== null })
        if (found.error !== null) {
          session.refuseParsed()
          return refusal('sources not found', found.error.issues, rules, found.error.advice)
        }
        const { files, text } = found.data
        session.storeParsed({ parsed: rules, messageID, files, replaced: text?.replaced() ?? [] })
        const notes = pairsNote(rules)
        const output = [
          JSON.stringify({ rules }, null, 2),
          ...(notes.length === 0 ? [] : ['# Notes', ...notes]),
        ]
        return answer(pluralize(rules.length, 'rule'), output.join('\n\n'))
      }),
  })

const SEND_AGAIN = '\nIf the rules say what is meant, send the same again in another message.'

/** Finds the texts that cannot stand where their sources do: several lines in a heading, another cell in a table. */
const oneLineIssues = ({ replaced }: RuleRecord, texts: Array<string>): Array<Issue> => {
  const cellsIn = (text: string): number => text.replace(/\\.|`[^`\n]*`/g, '').split('|').length
  return replaced.flatMap(({ text, inserted, oneLine }) => {
    const last = inserted.at(-1)
    if (oneLine === undefined || last === undefined) return []
    const words = inserted.map((rule) => texts[rule]!.trim()).join(' ')
    const isWrong = /[\r\n]/.test(words) || oneLine === 'a table' && cellsIn(words) !== cellsIn(text)
    const message = `rule ${last + 1} replaces words of ${oneLine}, which holds one line${
      oneLine === 'a table' ? ' with as many | as before' : ''
    }; got ${quote(words)}`
    return isWrong ? [{ path: ['rules', last], message }] : []
  })
}

/** Compares texts with a record: what is surely wrong, what may be meant, and how well the words fit. */
const compareWith = (record: RuleRecord, rules: Array<string>) => {
  const { parsed = [], replaced } = record
  const isOneForEach = record.parsed === undefined || parsed.length === rules.length
  const fit = (isOneForEach ? 10 : 0) + fitOf(parsed, replaced, rules)
  if (isOneForEach) {
    const doubts = record.parsed ? compareMeaning(parsed, replaced, rules) : []
    return { record, fit, isOneForEach, faults: oneLineIssues(record, rules), doubts }
  }
  const message = `parse-rules took ${pluralize(parsed.length, 'rule')}, got ${
    pluralize(rules.length, 'text')
  }: ${'send one text for each, in the same order, or call parse-rules again with the rules that are meant'}`
  const issues: Array<Issue> = [{ path: ['rules'], message }]
  const [faults, doubts] = hasSources(record) ? [issues, []] : [[], issues]
  return { record, fit, isOneForEach, faults, doubts }
}

/** Takes texts for the record that they fit best, or answers what is wrong with them. */
const takeTexts = (
  session: SessionRules,
  rules: Array<string>,
  mode: Mode | undefined,
  messageID: string | undefined,
): ToolAnswer => {
  const compared = session.toFormat().map((record) => compareWith(record, rules))
  // Of files with like rules, the doubts decide; of equal ones the first.
  const { record, faults, doubts, isOneForEach } = compared.reduce((best, one) =>
    (one.fit - best.fit || best.doubts.length - one.doubts.length) > 0 ? one : best
  )
  const { parsed = [] } = record
  const withoutReason = new Set(
    parsed.flatMap(({ reason = '' }, index) => reason.trim() === '' ? [index] : []),
  )
  const wrong = [...mode === undefined ? [] : modeIssues(rules, mode, withoutReason), ...faults]
  const why = JSON.stringify(doubts)
  const isTaken = wrong.length === 0 && (doubts.length === 0 || session.isConfirmed(rules, messageID, why))
  session.storeSent('format-rules', { rules, messageID, isRefused: !isTaken })
  if (isTaken) {
    session.storeTexts(record, { rules, mode })
    return answer(pluralize(rules.length, 'rule'), JSON.stringify({ rules }, null, 2))
  }
  if (wrong.length > 0) session.ask(rules, messageID, why)
  session.refuseTexts(record)
  const goOn = wrong.length > 0 ? '' : SEND_AGAIN
  // By number no rule can be added.
  return refusal('not as parsed', [...wrong, ...doubts], isOneForEach ? rules : [], [], goOn)
}

/**
 * Makes format-rules, which checks the texts that the model made of the rules: against the mode where one is given,
 * against what parse-rules took, and against the words that they replace. Texts that were doubted only for their meaning
 * are accepted when they are sent again in a later message.
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
    ...correctable(sessions, 'format-rules', (session) => session.refuseTexts()),
    execute: ({ rules: { rules }, mode }, { sessionID, messageID }) =>
      inOrder(sessionID, async () => takeTexts(sessions.of(sessionID), rules, mode, messageID)),
  })
