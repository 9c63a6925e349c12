import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'
import type { Issue } from '../json/issues.ts'
import { compareSource } from '../meaning/compare-with-file.ts'
import { compareMeaning } from '../meaning/compare-with-parsed.ts'
import { FormatResponseSchema, type Mode, ModeSchema, ParseResponseSchema } from '../rule-schema.ts'
import type { Result } from '../safe.ts'
import { pluralize } from '../text/pluralize.ts'
import { formatIssues } from '../validate.ts'
import { inOrder } from './call-order.ts'
import { CORRECT_SOME, withCorrections } from './corrections.ts'
import { answer, argument, defineTool, type ToolAnswer } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import { findFile } from './find-file.ts'
import { blockIssues, modeIssues } from './mode.ts'
import { pairsNote, unsourcedNote } from './notes.ts'
import {
  hasSources,
  type PipelineState,
  type PipelineToolOptions,
  type SessionRules,
  sharedSessions,
  shownTo,
} from './pipeline-state.ts'

export { createAddTool } from './add-rules.ts'
export { createDiscoverTool, type DiscoverToolOptions } from './discover-rules.ts'
export { createRewriteTool } from './rewrite-rules.ts'

const refusal = (title: string, issues: Array<Issue>, goOn = ''): ToolAnswer =>
  answer(title, formatIssues('Schema validation failed:', issues, CORRECT_SOME) + goOn)

/** Completes the arguments of a call that corrects single rules. */
const prepare = (
  sessions: PipelineState,
  tool: keyof SessionRules['sent'],
  args: unknown,
  { sessionID, messageID }: ToolContext,
): Result<unknown> => {
  const sent = sessions.of(sessionID).sent[tool]
  sent.begin(messageID)
  return withCorrections(sent, tool, args)
}

/** Makes parse-rules, which checks the rules that the model made of a text, and finds the words that they restate. */
export const createParseRulesTool = (
  { description, sessions = sharedSessions, discovered }: PipelineToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: { rules: argument(ParseResponseSchema) },
    prepare: (args, context) => prepare(sessions, 'parse-rules', args, context),
    advice: [CORRECT_SOME],
    onInvalid: ({ sessionID }) => inOrder(sessionID, async () => sessions.of(sessionID).refuseParsed()),
    execute: ({ rules: { rules } }, { sessionID, messageID }) =>
      inOrder(sessionID, async () => {
        const session = sessions.of(sessionID)
        const found = await findFile(shownTo({ discovered, sessions }, sessionID), rules)
        if (found.error !== null) {
          session.refuseParsed()
          return refusal('sources not found', found.error)
        }
        const { files, text } = found.data
        session.takeParsed({ parsed: rules, messageID, files, restated: text?.restated() ?? [] })
        const notes = [
          ...(text ? unsourcedNote(text.unsourced()) : []),
          ...pairsNote(rules),
        ]
        const output = [
          JSON.stringify({ rules }, null, 2),
          ...(notes.length === 0 ? [] : ['# Notes', ...notes]),
        ]
        return answer(pluralize(rules.length, 'rule'), output.join('\n\n'))
      }),
  })

const SEND_AGAIN = '\nIf the rules say what is meant, send the same again in another message.'

const PARSE_FIRST =
  '# Notes\n\nparse-rules refused the last rules, so these were compared with nothing: add-rules may write them. To rewrite a file, mend what parse-rules said, call it, then this tool again.'

/** Takes sentences for the set of rules that they fit best, or answers what is wrong with them. */
const takeSentences = async (
  session: SessionRules,
  rules: Array<string>,
  mode: Mode | undefined,
  messageID: string | undefined,
): Promise<ToolAnswer> => {
  const compared = session.toFormat().map((set) => {
    const under: Array<string> = []
    for (const one of set.restated) for (const rule of one.rules) under[rule] ??= one.under
    const { issues, withoutReason, fit } = compareMeaning(set.parsed, rules, under)
    const lost = compareSource(set.restated, set.parsed ?? [], rules)
    return { set, withoutReason, fit: Math.round(4 * fit), doubts: [...issues, ...lost] }
  })
  // Files with like rules differ in their words by little: then the doubts decide.
  const { set, doubts, withoutReason } = compared.reduce((best, one) =>
    (one.fit - best.fit || best.doubts.length - one.doubts.length) > 0 ? one : best
  )
  const formIssues = [
    ...await blockIssues(rules, hasSources(set)),
    ...(mode === undefined ? [] : modeIssues(rules, mode, withoutReason)),
  ]
  const issues = [...formIssues, ...doubts]
  if (issues.length === 0 || formIssues.length === 0 && session.isMeant(rules, messageID)) {
    session.takeFormatted(set, { rules, mode })
    const note = session.isParseRefused ? [PARSE_FIRST] : []
    return answer(pluralize(rules.length, 'rule'), [JSON.stringify({ rules }, null, 2), ...note].join('\n\n'))
  }
  session.refuseFormatted(rules, set, messageID)
  return refusal('not as parsed', issues, formIssues.length > 0 ? '' : SEND_AGAIN)
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
    prepare: (args, context) => prepare(sessions, 'format-rules', args, context),
    advice: [CORRECT_SOME],
    onInvalid: ({ sessionID }) => inOrder(sessionID, async () => sessions.of(sessionID).refuseFormatted()),
    execute: ({ rules: { rules }, mode }, { sessionID, messageID }) =>
      inOrder(sessionID, () => takeSentences(sessions.of(sessionID), rules, mode, messageID)),
  })
