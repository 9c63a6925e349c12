import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'
import * as z from 'zod'
import { appendRules } from '../append.ts'
import { hostViewOf } from '../host/instruction-files.ts'
import { throwRefusal } from '../host/permissions.ts'
import { namedPaths } from '../instructions/named-paths.ts'
import { pairsOf } from '../meaning/contradictions.ts'
import { compareMeaning } from '../meaning/meaning.ts'
import { isInside, resolvePath } from '../paths/boundary.ts'
import { FormatResponseSchema, ModeSchema, ParseResponseSchema } from '../rule-schema.ts'
import { fail, type Result } from '../safe.ts'
import { markName } from '../text/hidden-characters.ts'
import { formatIssues } from '../validate.ts'
import { shownTo } from '../writing/discovered-files.ts'
import type { WriteContext } from '../writing/write-context.ts'
import { inCallOrder } from './call-order.ts'
import {
  answer,
  count,
  defineTool,
  json,
  optional,
  path,
  paths,
  plain,
  type ToolAnswer,
} from './define-tool.ts'
import {
  ADD_RULES_ARG,
  FILE_ARG,
  FORMATTED_RULES_ARG,
  MODE_ARG,
  PARSED_RULES_ARG,
  RESTORE_ARG,
  REWRITE_FILES_ARG,
  REWRITE_RULES_ARG,
} from './descriptions.ts'
import type { DiscoverToolOptions } from './discover-rules.ts'
import { modeIssues } from './mode.ts'
import { pairsNote } from './notes.ts'
import type { PipelineState } from './pipeline-state.ts'
import { restoreFiles } from './restore-files.ts'
import { rewriteFiles } from './rewrite-files.ts'
import { type RulesToWrite, rulesToWrite } from './rules-to-write.ts'

export { createDiscoverTool, type DiscoverToolOptions } from './discover-rules.ts'

/** What parse-rules is made from. */
export type ParseRulesToolOptions = { description: string; sessions?: PipelineState }
/** What format-rules is made from. */
export type FormatRulesToolOptions = { description: string; sessions?: PipelineState }
/** What rewrite-rules is made from. */
export type RewriteToolOptions = DiscoverToolOptions & { sessions?: PipelineState }
/** What add-rules is made from. */
export type AddToolOptions = Omit<RewriteToolOptions, 'config'>

/** Makes parse-rules, which checks the rules that the model made of the text (sat-plan.md). */
export const createParseRulesTool = ({ description, sessions }: ParseRulesToolOptions): ToolDefinition =>
  defineTool({
    description,
    args: { rules: json(ParseResponseSchema, PARSED_RULES_ARG) },
    execute: async ({ rules }, { sessionID }) => {
      sessions?.rememberParsed(sessionID, rules.rules)
      const notes = pairsNote(rules.rules, pairsOf(rules.rules))
      const json = JSON.stringify(rules, null, 2)
      const output = notes.length === 0 ? json : [json, '# Notes', ...notes].join('\n\n')
      return answer(count(rules.rules.length, 'rule'), output)
    },
  })

const SEND_AGAIN = 'If the rules say what is meant, send the same again.'

/**
 * Makes format-rules, which checks the sentences that the model made of the rules (sat-plan.md): against the mode where
 * one is given, and against what parse-rules took in this session (spec.md, Modes and Meaning). Rules that were doubted
 * for their meaning alone are taken when they are sent again.
 */
export const createFormatRulesTool = ({ description, sessions }: FormatRulesToolOptions): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: json(FormatResponseSchema, FORMATTED_RULES_ARG),
      mode: optional(plain(ModeSchema, MODE_ARG)),
    },
    onInvalid: ({ sessionID }) => sessions?.rememberFormatted(sessionID, undefined),
    execute: async ({ rules: { rules }, mode }, { sessionID }) => {
      const { issues: doubts, withoutReason } = compareMeaning(sessions?.parsed(sessionID), rules)
      const formIssues = mode === undefined ? [] : modeIssues(rules, mode, withoutReason)
      const isMeant = doubts.length === 0 || sessions?.wasDoubted(sessionID, rules) === true
      if (formIssues.length === 0 && isMeant) {
        sessions?.rememberFormatted(sessionID, { rules, mode, withoutReason })
        return answer(count(rules.length, 'rule'), JSON.stringify({ rules }, null, 2))
      }
      sessions?.rememberFormatted(sessionID, undefined)
      if (!isMeant) sessions?.rememberDoubted(sessionID, rules)
      const issues = [...formIssues, ...(isMeant ? [] : doubts)]
      const said = formatIssues('Schema validation failed:', issues)
      return answer('not as parsed', formIssues.length > 0 ? said : `${said}\n${SEND_AGAIN}`)
    },
  })

const NOTHING_DISCOVERED =
  'No files were discovered yet. Call discover-rules first, then call this tool again.'

/** Gives the rules that a call writes, or the answer that says why it writes nothing. */
const rulesFor = (
  verb: 'write' | 'add',
  given: Parameters<typeof rulesToWrite>[0],
  { discovered, sessions }: Pick<RewriteToolOptions, 'discovered' | 'sessions'>,
  { sessionID }: ToolContext,
): Result<RulesToWrite, ToolAnswer> => {
  if (shownTo(discovered, sessionID).paths().length === 0) {
    return fail(answer('discover first', NOTHING_DISCOVERED))
  }
  const toWrite = rulesToWrite(given, sessions?.formatted(sessionID))
  if (toWrite.error !== null) return fail(answer('no rules', toWrite.error))
  return toWrite.data.rules.length === 0
    ? fail(answer('no rules', `There are no rules to ${verb}, so nothing was written.`))
    : toWrite
}

const RULES_AND_BACKUP =
  'Give either "rules" to write or "restore" to bring back a backup, not both. Nothing was written.'

/** Makes rewrite-rules, which replaces what is in instruction files by rules, or brings a backup back (sat-plan.md). */
export const createRewriteTool = (
  { description, directory, discovered, sessions, config }: RewriteToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: optional(json(FormatResponseSchema, REWRITE_RULES_ARG)),
      files: optional(paths(REWRITE_FILES_ARG)),
      mode: optional(plain(ModeSchema)),
      restore: optional(plain(z.string(), RESTORE_ARG)),
    },
    execute: async ({ restore, ...args }, context) => {
      const backup = restore?.trim()
      if (args.rules !== undefined && args.rules.rules.length > 0 && backup !== undefined) {
        return answer('invalid arguments', RULES_AND_BACKUP)
      }
      const call = { context, directory, discovered }
      if (backup !== undefined) {
        return inCallOrder(call, (writeContext) => restoreFiles(writeContext, args.files, backup))
      }
      const toWrite = rulesFor('write', args, { discovered, sessions }, context)
      if (toWrite.error !== null) return toWrite.error
      const host = hostViewOf(context, config?.())
      const meant = { directory: context.directory ?? directory, filesArg: args.files, host }
      return inCallOrder(call, (writeContext) => rewriteFiles(writeContext, toWrite.data, meant))
    },
  })

/** Makes add-rules, which adds rules after what is in an instruction file (sat-plan.md). */
export const createAddTool = (
  { description, directory, discovered, sessions }: AddToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: optional(json(FormatResponseSchema, ADD_RULES_ARG)),
      file: optional(path(FILE_ARG)),
      mode: optional(plain(ModeSchema)),
    },
    execute: async ({ file, ...args }, context) => {
      const toWrite = rulesFor('add', args, { discovered, sessions }, context)
      if (toWrite.error !== null) return toWrite.error
      return inCallOrder({ context, directory, discovered }, (writeContext) =>
        addToFile(writeContext, toWrite.data, file))
    },
  })

const CHANGED_BEFORE =
  'The rules stand after a text that discover-rules has not shown as it is now: call discover-rules to see the whole.'

// The host names the person's global file first. Where no file is named, a rule belongs into the project.
const firstOf = ({ discovered, place }: WriteContext): string => {
  const paths = discovered.paths()
  return paths.find((path) => isInside(place, path)) ?? paths[0] ?? ''
}

const ONE_FILE = 'Nothing was added: "file" names more than one file. Call add-rules once for each.'

const addToFile = async (
  writeContext: WriteContext,
  { rules, mode, notes }: RulesToWrite,
  file: string | Array<string> | undefined,
): Promise<ToolAnswer> => {
  const { directory } = writeContext.place
  const named = await namedPaths(directory, file ?? [firstOf(writeContext)])
  const [spelling = ''] = named.data ?? []
  if (named.error !== null || named.data.length > 1) return answer('nothing added', ONE_FILE)
  const target = resolvePath(directory, spelling)
  if (target.error !== null) return answer('nothing added', `Nothing was added: ${target.error}`)
  const added = await appendRules({ filePath: target.data, rules, mode, writeContext })
  if (added.status !== 'success') {
    throwRefusal([added])
    return answer('nothing added', `Nothing was added to ${markName(target.data)}: ${added.error}`)
  }
  const said = `Added ${rules.length} rule(s) to ${markName(target.data)}`
  const unknown = added.isKnown ? [] : [CHANGED_BEFORE]
  return answer(count(rules.length, 'rule'), [said, ...unknown, ...notes].join('\n\n'), {
    files: [target.data],
  })
}
