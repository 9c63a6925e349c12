/** Creates the tools of the rules pipeline: parse-rules and format-rules here, the others in files of their own. */
import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'
import { type Issue, quote } from '../json/issues.ts'
import { compareMeaning, fitOf } from '../meaning/compare-meaning.ts'
import { FormatResponseSchema, type Mode, ModeSchema, ParseResponseSchema } from '../rule-schema.ts'
import { pluralize } from '../text/pluralize.ts'
import { formatIssues } from '../validate.ts'
import { serialize } from './call-order.ts'
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

const HEADING = 'Schema validation failed:'

// An answer may list the faults of many sources, so it may be longer than others.
const MAX_FAULTS_LENGTH = 4_000

const formatFaults = (issues: Array<Issue>, rules: Array<unknown>, advice: Array<string> = []): string =>
  formatIssues(HEADING, issues, [...advice, ...howToCorrect(issues, rules)], MAX_FAULTS_LENGTH)

/**
 * Creates the hooks of a tool whose calls may correct single rules.
 *
 * @param refuse stores in the session that the tool refused a call
 */
const correctable = (sessions: PipelineState, tool: string, refuse: (session: SessionRules) => void) => ({
  prepare: (args: unknown, { sessionID }: ToolContext) =>
    withCorrections(sessions.of(sessionID).listToCorrect(tool), tool, args),
  onInvalid: (args: unknown, { sessionID, messageID }: ToolContext, issues: Array<Issue>) =>
    serialize(sessionID, async () => {
      const [session, rules] = [sessions.of(sessionID), rulesIn(rulesIn(args))]
      refuse(session)
      if (!Array.isArray(rules)) return []
      session.storeSent(tool, { rules, messageID, isRefused: true })
      return howToCorrect(issues, rules)
    }),
})

/** Creates parse-rules, which checks the rules that the model parsed and finds the words of a file that they replace. */
export const createParseRulesTool = (
  { description, sessions = sharedSessions, discovered }: PipelineToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: { rules: argument(ParseResponseSchema) },
    ...correctable(sessions, 'parse-rules', (session) => session.refuseParsed()),
    execute: ({ rules: { rules } }, { sessionID, messageID }) =>
      serialize(sessionID, async () => {
        const session = sessions.of(sessionID)
        const found = await findFile(shownTo({ discovered, sessions }, sessionID), rules)
        session.storeSent('parse-rules', { rules, messageID, isRefused: found.error !== null })
        if (found.error !== null) {
          session.refuseParsed()
          const { issues, advice } = found.error
          return answer('sources not found', formatFaults(issues, rules, advice))
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

/**
 * Creates an issue for each text with several lines that replaces words of a heading or a table row, and for each text
 * that would change the number of cells of a table row.
 */
const oneLineIssues = ({ replaced }: RuleRecord, texts: Array<string>): Array<Issue> => {
  const cellsIn = (text: string): number => text.replace(/\\.|`[^`\n]*`/g, '').split('|').length
  return replaced.flatMap(({ text, inserted, oneLineKind }) => {
    const last = inserted.at(-1)
    if (oneLineKind === undefined || last === undefined) return []
    const words = inserted.map((rule) => texts[rule]!.trim()).join(' ')
    const isWrong = /[\r\n]/.test(words) || oneLineKind === 'a table' && cellsIn(words) !== cellsIn(text)
    const cells = oneLineKind === 'a table' ? ' with as many | as before' : ''
    const form = `replaces words of ${oneLineKind}, which holds one line${cells}`
    return isWrong
      ? [{ path: ['rules', last], message: `rule ${last + 1} ${form}; got ${quote(words)}` }]
      : []
  })
}

/** Compares texts with a record: `faults` are certain, `doubts` can be confirmed, and `fit` ranks the records. */
const compareWith = (record: RuleRecord, rules: Array<string>) => {
  const { parsed = [], replaced } = record
  const isOneForEach = record.parsed === undefined || parsed.length === rules.length
  // The right number of texts counts more than any number of shared words.
  const fit = (isOneForEach ? 10 : 0) + fitOf(parsed, replaced, rules)
  if (isOneForEach) {
    const doubts = record.parsed ? compareMeaning(parsed, replaced, rules) : []
    return { record, fit, isOneForEach, faults: oneLineIssues(record, rules), doubts }
  }
  const [accepted, got] = [pluralize(parsed.length, 'rule'), pluralize(rules.length, 'text')]
  const advice =
    'one text for each, in the same order, or call parse-rules again with the rules that are meant'
  const message = `parse-rules accepted ${accepted}, got ${got}: send ${advice}`
  const issues: Array<Issue> = [{ path: ['rules'], message }]
  const [faults, doubts] = hasSources(record) ? [issues, []] : [[], issues]
  return { record, fit, isOneForEach, faults, doubts }
}

/** Stores texts in the record that they fit best, or answers with their faults and doubts. */
const acceptTexts = (
  session: SessionRules,
  rules: Array<string>,
  mode: Mode | undefined,
  messageID: string | undefined,
): ToolAnswer => {
  const compared = session.recordsToFormat().map((record) => compareWith(record, rules))
  // If texts fit several records equally, the one with the fewest doubts is chosen, or else the first.
  const { record, faults, doubts, isOneForEach } = compared.reduce((best, next) =>
    (next.fit - best.fit || best.doubts.length - next.doubts.length) > 0 ? next : best
  )
  const { parsed = [] } = record
  const withoutReason = new Set(
    parsed.flatMap(({ reason = '' }, index) => reason.trim() === '' ? [index] : []),
  )
  const issues = [...mode === undefined ? [] : modeIssues(rules, mode, withoutReason), ...faults]
  const question = JSON.stringify(doubts)
  const isAccepted = issues.length === 0
    && (doubts.length === 0 || session.confirmOrAsk(rules, messageID, question))
  session.storeSent('format-rules', { rules, messageID, isRefused: !isAccepted })
  if (isAccepted) {
    session.storeTexts(record, { rules, mode })
    return answer(pluralize(rules.length, 'rule'), JSON.stringify({ rules }, null, 2))
  }
  if (issues.length > 0) session.storeQuestion(rules, messageID, question)
  session.refuseTexts(record)
  // A correction by number cannot add or remove a text.
  const faultsAndDoubts = formatFaults([...issues, ...doubts], isOneForEach ? rules : [])
  return answer('not as parsed', faultsAndDoubts + (issues.length > 0 ? '' : SEND_AGAIN))
}

/**
 * Creates format-rules, which checks the texts of rules against the mode of the call, the parsed rules, and the words
 * that they replace. Texts with doubts alone are accepted if they are sent again in a later message.
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
      serialize(sessionID, async () => acceptTexts(sessions.of(sessionID), rules, mode, messageID)),
  })
