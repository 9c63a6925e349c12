import type { ToolDefinition } from '@opencode-ai/plugin'
import * as z from 'zod'
import { hostViewOf } from '../host/instruction-files.ts'
import type { Issue } from '../json/issues.ts'
import { compareSource } from '../meaning/compare-with-file.ts'
import { pairsOf } from '../meaning/contradictions.ts'
import { forceOf } from '../meaning/force.ts'
import { compareMeaning } from '../meaning/meaning.ts'
import {
  FormatResponseSchema,
  type Mode,
  ModeSchema,
  ParseResponseSchema,
  sourcesOf,
} from '../rule-schema.ts'
import { pluralize } from '../text/pluralize.ts'
import { formatIssues } from '../validate.ts'
import { shownTo } from '../writing/shown-files.ts'
import { addToFile, ownFile } from './add-to-file.ts'
import { inCallOrder, inOrder } from './call-order.ts'
import { answer, defineTool, json, optional, paths, plain, type ToolAnswer } from './define-tool.ts'
import {
  FILE_ARG,
  FORMATTED_RULES_SHOWN,
  MODE_ARG,
  OPTIONAL_RULES_SHOWN,
  OWN_RULES_SHOWN,
  PARSED_RULES_SHOWN,
  RESTORE_ARG,
  REWRITE_FILES_ARG,
} from './descriptions.ts'
import type { DiscoverToolOptions } from './discover-rules.ts'
import { findFile } from './find-file.ts'
import { modeIssues } from './mode.ts'
import { pairsNote, remainingNote } from './notes.ts'
import type { PipelineState, RuleSet, SessionRules } from './pipeline-state.ts'
import { restoreFiles } from './restore-files.ts'
import { rewriteFiles } from './rewrite-files.ts'
import { rulesToAdd } from './rules-to-write.ts'

export { createDiscoverTool, type DiscoverToolOptions } from './discover-rules.ts'

/** What the tools between discovery and writing are made from. */
export type PipelineToolOptions = { description: string; sessions: PipelineState }
/** What parse-rules is made from. */
export type ParseRulesToolOptions = PipelineToolOptions & Pick<DiscoverToolOptions, 'discovered'>
/** What rewrite-rules is made from. */
export type RewriteToolOptions = DiscoverToolOptions & { sessions: PipelineState }
/** What add-rules is made from. */
export type AddToolOptions = RewriteToolOptions

const refusal = (title: string, issues: Array<Issue>, goOn = ''): ToolAnswer =>
  answer(title, formatIssues('Schema validation failed:', issues) + goOn)

/** Makes parse-rules, which checks the rules that the model made of a text, and finds the words that they restate. */
export const createParseRulesTool = (
  { description, sessions, discovered }: ParseRulesToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: { rules: json(ParseResponseSchema, PARSED_RULES_SHOWN) },
    onInvalid: ({ sessionID }) => sessions.of(sessionID).refuseParsed(),
    execute: ({ rules: { rules } }, { sessionID, messageID }) =>
      inOrder(sessionID, async () => {
        const session = sessions.of(sessionID)
        const isSourced = rules.some((rule) => sourcesOf(rule).length > 0)
        const found = isSourced ? await findFile(shownTo(discovered, sessionID), rules) : null
        if (found !== null && found.error !== null) {
          session.refuseParsed()
          return refusal('sources not found', found.error)
        }
        const file = found?.data
        session.takeParsed({
          rules,
          messageID,
          files: file?.files ?? [],
          restated: file?.text.restated() ?? [],
        })
        const notes = [
          ...(file === undefined
            ? []
            : remainingNote(file.text.remaining((sentence) => forceOf(sentence) === 'order'))),
          ...pairsNote(rules, pairsOf(rules)),
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

/** Compares sentences with each set that they may be about; gives the set that they fit best. */
const bestSet = (sets: Array<RuleSet>, rules: Array<string>) =>
  sets.map((set) => {
    const { issues, withoutReason } = compareMeaning(set.parsed?.rules, rules)
    const lost = compareSource(set.parsed?.restated ?? [], set.parsed?.rules ?? [], rules)
    return { set, withoutReason, doubts: [...issues, ...lost] }
  }).toSorted((one, other) => one.doubts.length - other.doubts.length)[0]

/** Takes sentences for the set of rules that they fit best, or answers what is wrong with them. */
const takeSentences = (session: SessionRules, rules: Array<string>, mode: Mode | undefined): ToolAnswer => {
  const { set, doubts = [], withoutReason } = bestSet(session.toFormat(), rules) ?? {}
  const formIssues = mode === undefined ? [] : modeIssues(rules, mode, withoutReason)
  const isAccepted = doubts.length === 0 || !session.isParseRefused && session.refusal(rules) === 'doubted'
  if (formIssues.length === 0 && isAccepted) {
    session.takeFormatted(set, { rules, mode, ...(withoutReason && { withoutReason }) })
    return answer(pluralize(rules.length, 'rule'), JSON.stringify({ rules }, null, 2))
  }
  session.refuseFormatted(set, { rules, isDoubted: doubts.length > 0 })
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
      rules: json(FormatResponseSchema, FORMATTED_RULES_SHOWN),
      mode: optional(plain(ModeSchema, MODE_ARG)),
    },
    onInvalid: ({ sessionID }) => {
      const session = sessions.of(sessionID)
      session.refuseFormatted(session.toFormat()[0])
    },
    execute: ({ rules: { rules }, mode }, { sessionID }) =>
      inOrder(sessionID, async () => takeSentences(sessions.of(sessionID), rules, mode)),
  })

const NOTHING_DISCOVERED =
  'No files were discovered yet. Call discover-rules first, then call this tool again.'

// format-rules names the modes; naming them here again would cost tokens in each request.
const sameMode = { ...plain(ModeSchema), shown: z.string() }

const RULES_AND_BACKUP =
  'Give either "rules" to write or "restore" to bring back a backup, not both. Nothing was written.'

/**
 * Makes rewrite-rules, which puts rules in the place of their sources, or of all that a file says where they have none,
 * or brings a backup back.
 */
export const createRewriteTool = (
  { description, directory, discovered, sessions, config }: RewriteToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: optional(json(FormatResponseSchema, OWN_RULES_SHOWN)),
      files: optional(paths(REWRITE_FILES_ARG)),
      mode: optional(sameMode),
      restore: optional(plain(z.string(), RESTORE_ARG)),
    },
    execute: ({ restore, files, ...given }, context) => {
      const backup = restore?.trim()
      const session = sessions.of(context.sessionID)
      const host = hostViewOf(context, config?.())
      return inCallOrder({ context, directory, discovered }, async (writeContext) => {
        if (backup !== undefined) {
          return (given.rules?.rules.length ?? 0) > 0
            ? answer('invalid arguments', RULES_AND_BACKUP)
            : restoreFiles(writeContext, files, backup)
        }
        if (writeContext.discovered.paths().length === 0) return answer('discover first', NOTHING_DISCOVERED)
        return rewriteFiles(writeContext, session, given, {
          directory: context.directory ?? directory,
          filesArg: files,
          host,
        })
      })
    },
  })

/** Makes add-rules, which adds rules after what is in an instruction file. */
export const createAddTool = (
  { description, directory, discovered, sessions, config }: AddToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: optional(json(FormatResponseSchema, OPTIONAL_RULES_SHOWN)),
      file: optional(paths(FILE_ARG)),
      mode: optional(sameMode),
    },
    execute: ({ file, ...given }, context) => {
      const host = hostViewOf(context, config?.())
      return inCallOrder({ context, directory, discovered }, async (writeContext) => {
        if (writeContext.discovered.paths().length === 0) return answer('discover first', NOTHING_DISCOVERED)
        const toAdd = rulesToAdd(sessions.of(context.sessionID), given)
        if (toAdd.error !== null) return answer('no rules', toAdd.error)
        return addToFile(writeContext, toAdd.data, file ?? await ownFile(writeContext, host))
      })
    },
  })
