import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'
import type { Issue } from '../json/issues.ts'
import { compareSource } from '../meaning/compare-with-file.ts'
import { compareMeaning } from '../meaning/compare-with-parsed.ts'
import {
  FormatResponseSchema,
  type Mode,
  ModeSchema,
  ParseResponseSchema,
  sourcesOf,
} from '../rule-schema.ts'
import { pluralize } from '../text/pluralize.ts'
import { formatIssues } from '../validate.ts'
import { inOrder } from './call-order.ts'
import { howToCorrect, rulesIn, withCorrections } from './corrections.ts'
import { answer, argument, defineTool, type ToolAnswer } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import { findFile } from './find-file.ts'
import { blockIssues, modeIssues } from './mode.ts'
import { pairsNote, unsourcedNote } from './notes.ts'
import {
  hasSources,
  type PipelineState,
  type PipelineToolOptions,
  type RuleSet,
  type SessionRules,
  sharedSessions,
  shownTo,
} from './pipeline-state.ts'

export { createAddTool } from './add-rules.ts'
export { createDiscoverTool, type DiscoverToolOptions } from './discover-rules.ts'
export { createRewriteTool } from './rewrite-rules.ts'

const refusal = (title: string, issues: Array<Issue>, rules: Array<unknown>, goOn = ''): ToolAnswer =>
  answer(title, formatIssues('Schema validation failed:', issues, ...howToCorrect(issues, rules)) + goOn)

/** Makes the parts of a tool whose calls may correct single rules; `refuse` notes in the session that one was invalid. */
const correctable = (sessions: PipelineState, tool: string, refuse: (session: SessionRules) => void) => ({
  prepare: (args: unknown, { sessionID }: ToolContext) =>
    withCorrections(sessions.of(sessionID).toCorrect(tool), tool, args),
  onInvalid: (args: unknown, { sessionID, messageID }: ToolContext, issues: Array<Issue>) =>
    inOrder(sessionID, async () => {
      const [session, rules] = [sessions.of(sessionID), rulesIn(rulesIn(args))]
      refuse(session)
      if (!Array.isArray(rules)) return []
      session.noteSent(tool, { rules, messageID, isRefused: true })
      return howToCorrect(issues, rules)
    }),
})

/** Makes parse-rules, which checks the rules that the model made of a text, and finds the words that they restate. */
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
        session.noteSent('parse-rules', { rules, messageID, isRefused: found.error !== null })
        if (found.error !== null) {
          session.refuseParsed()
          return refusal('sources not found', found.error, rules)
        }
        const { files, text } = found.data
        session.takeParsed({ parsed: rules, messageID, files, restated: text?.restated() ?? [] })
        const notes = [...(text ? unsourcedNote(text.unsourced()) : []), ...pairsNote(rules)]
        const output = [
          JSON.stringify({ rules }, null, 2),
          ...(notes.length === 0 ? [] : ['# Notes', ...notes]),
        ]
        return answer(pluralize(rules.length, 'rule'), output.join('\n\n'))
      }),
  })

const SEND_AGAIN = '\nIf the rules say what is meant, send the same again in another message.'

/** Compares sentences with a set of parsed rules, and with the words of its file where there is one for each. */
const compareWith = (set: RuleSet, rules: Array<string>) => {
  const { parsed = [], restated } = set
  const under: Array<string> = []
  for (const one of restated) for (const rule of one.rules) under[rule] ??= one.under
  const { issues, withoutReason, fit, says } = compareMeaning(set.parsed, rules, under)
  const isOneForEach = (set.parsed ?? rules).length === rules.length
  const lost = isOneForEach ? compareSource(restated, parsed, rules) : []
  const sources = hasSources(set)
    ? says.map((indexes) => indexes.flatMap((index) => sourcesOf(parsed[index]!)))
    : undefined
  return { set, withoutReason, fit: Math.round(4 * fit), doubts: [...issues, ...lost], sources, isOneForEach }
}

/** Takes sentences for the set of rules that they fit best, or answers what is wrong with them. */
const takeSentences = async (
  session: SessionRules,
  rules: Array<string>,
  mode: Mode | undefined,
  messageID: string | undefined,
): Promise<ToolAnswer> => {
  const compared = session.toFormat().map((set) => compareWith(set, rules))
  // Files with like rules differ in their words by little: then the doubts decide.
  const { set, doubts, withoutReason, sources, isOneForEach } = compared.reduce((best, one) =>
    (one.fit - best.fit || best.doubts.length - one.doubts.length) > 0 ? one : best
  )
  const formIssues = [
    ...await blockIssues(rules, hasSources(set)),
    ...(mode === undefined ? [] : modeIssues(rules, mode, withoutReason)),
  ]
  // Of other parsed rules, the same sentences may be doubted otherwise.
  const said = JSON.stringify(doubts)
  const isTaken = formIssues.length === 0 && (doubts.length === 0 || session.isMeant(rules, messageID, said))
  session.noteSent('format-rules', { rules, messageID, isRefused: !isTaken })
  if (isTaken) {
    session.takeFormatted(set, { rules, mode, sources })
    return answer(pluralize(rules.length, 'rule'), JSON.stringify({ rules }, null, 2))
  }
  session.doubt(rules, messageID, said)
  session.refuseFormatted(set)
  const goOn = formIssues.length > 0 ? '' : SEND_AGAIN
  // By number no rule can be added.
  return refusal('not as parsed', [...formIssues, ...doubts], isOneForEach ? rules : [], goOn)
}

/**
 * Makes format-rules, which checks the sentences that the model made of the rules: against the mode where one is given,
 * against what parse-rules took, and against the words of the file. Rules that were doubted only for their meaning are
 * accepted when they are sent again.
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
    ...correctable(sessions, 'format-rules', (session) => session.refuseFormatted()),
    execute: ({ rules: { rules }, mode }, { sessionID, messageID }) =>
      inOrder(sessionID, () => takeSentences(sessions.of(sessionID), rules, mode, messageID)),
  })
