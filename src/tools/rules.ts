import type { ToolDefinition } from '@opencode-ai/plugin'
import type { Issue } from '../json/issues.ts'
import { compareSource } from '../meaning/compare-with-file.ts'
import { compareMeaning } from '../meaning/compare-with-parsed.ts'
import { forceOf } from '../meaning/force.ts'
import { FormatResponseSchema, type Mode, ModeSchema, ParseResponseSchema } from '../rule-schema.ts'
import { pluralize } from '../text/pluralize.ts'
import { formatIssues } from '../validate.ts'
import { shownTo } from '../writing/shown-files.ts'
import { inOrder } from './call-order.ts'
import { answer, argument, defineTool, type ToolAnswer } from './define-tool.ts'
import { SCHEMAS } from './descriptions.ts'
import type { DiscoverToolOptions } from './discover-rules.ts'
import { findFile } from './find-file.ts'
import { modeIssues } from './mode.ts'
import { pairsNote, remainingNote, unsourcedNote } from './notes.ts'
import type { PipelineToolOptions, SessionRules } from './pipeline-state.ts'

export { createAddTool } from './add-rules.ts'
export { createDiscoverTool, type DiscoverToolOptions } from './discover-rules.ts'
export { createRewriteTool } from './rewrite-rules.ts'

const refusal = (title: string, issues: Array<Issue>, goOn = ''): ToolAnswer =>
  answer(title, formatIssues('Schema validation failed:', issues) + goOn)

/** Makes parse-rules, which checks the rules that the model made of a text, and finds the words that they restate. */
export const createParseRulesTool = (
  { description, sessions, discovered }: PipelineToolOptions & Pick<DiscoverToolOptions, 'discovered'>,
): ToolDefinition =>
  defineTool({
    description,
    args: { rules: argument(ParseResponseSchema, SCHEMAS.parsedRules) },
    onInvalid: ({ sessionID }) => inOrder(sessionID, async () => sessions.of(sessionID).refuseParsed()),
    execute: ({ rules: { rules } }, { sessionID, messageID }) =>
      inOrder(sessionID, async () => {
        const session = sessions.of(sessionID)
        const found = await findFile(shownTo(discovered, sessionID), rules)
        if (found.error !== null) {
          session.refuseParsed()
          return refusal('sources not found', found.error)
        }
        const { files, text } = found.data
        session.takeParsed({ parsed: rules, messageID, files, restated: text?.restated() ?? [] })
        const notes = [
          ...(text ? remainingNote(text.remaining((sentence) => forceOf(sentence) === 'order')) : []),
          ...unsourcedNote(text?.unsourced() ?? [], rules),
          ...pairsNote(rules),
        ]
        const output = [
          JSON.stringify({ rules }, null, 2),
          ...(notes.length === 0 ? [] : ['# Notes', ...notes]),
        ]
        return answer(pluralize(rules.length, 'rule'), output.join('\n\n'))
      }),
  })

const SEND_AGAIN = '\nIf the rules say what is meant, send the same again.'

const PARSE_AGAIN =
  '\nparse-rules refused the last rules: if these sentences stand for those, call parse-rules first.'

/** Takes sentences for the set of rules that they fit best, or answers what is wrong with them. */
const takeSentences = (session: SessionRules, rules: Array<string>, mode: Mode | undefined): ToolAnswer => {
  const compared = session.toFormat().map((set) => {
    const { issues, withoutReason } = compareMeaning(set.parsed, rules)
    const lost = compareSource(set.restated, set.parsed ?? [], rules)
    return { set, withoutReason, doubts: [...issues, ...lost] }
  })
  const { set, doubts, withoutReason } = compared.reduce((best, one) =>
    one.doubts.length < best.doubts.length ? one : best
  )
  const formIssues = mode === undefined ? [] : modeIssues(rules, mode, withoutReason)
  const isAccepted = doubts.length === 0 || !session.isParseRefused && session.isRefused(rules)
  if (formIssues.length === 0 && isAccepted) {
    session.takeFormatted(set, { rules, mode })
    return answer(pluralize(rules.length, 'rule'), JSON.stringify({ rules }, null, 2))
  }
  session.refuseFormatted(rules, set)
  const goOn = formIssues.length > 0 ? '' : session.isParseRefused ? PARSE_AGAIN : SEND_AGAIN
  return refusal('not as parsed', [...formIssues, ...(isAccepted ? [] : doubts)], goOn)
}

/**
 * Makes format-rules, which checks the sentences that the model made of the rules: against the mode where one is given,
 * against what parse-rules took, and against the words of the file. Rules that were doubted only for their meaning are
 * accepted when they are sent again.
 */
export const createFormatRulesTool = ({ description, sessions }: PipelineToolOptions): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: argument(FormatResponseSchema, SCHEMAS.formattedRules),
      mode: argument(ModeSchema, SCHEMAS.mode),
    },
    onInvalid: ({ sessionID }) => inOrder(sessionID, async () => sessions.of(sessionID).refuseFormatted()),
    execute: ({ rules: { rules }, mode }, { sessionID }) =>
      inOrder(sessionID, async () => takeSentences(sessions.of(sessionID), rules, mode)),
  })
