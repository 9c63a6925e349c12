import type { ToolDefinition } from '@opencode-ai/plugin'
import * as z from 'zod'
import { appendRules } from '../append.ts'
import { isInside, resolvePath } from '../boundary.ts'
import { inTurn } from '../in-turn.ts'
import { meaningIssues } from '../meaning.ts'
import { modeIssues } from '../mode.ts'
import { FormatResponseSchema, ModeSchema, ParseResponseSchema } from '../rule-schema.ts'
import type { RulesInWork } from '../rules-in-work.ts'
import { formatIssues } from '../validate.ts'
import type { Door } from '../write-file.ts'
import { answer, count, defineTool, json, path, paths } from './define-tool.ts'
import {
  FILE_ARG,
  FORMATTED_RULES_ARG,
  MODE_ARG,
  PARSED_RULES_ARG,
  RESTORE_ARG,
  REWRITE_FILES_ARG,
  SAME_MODE_ARG,
  SAME_RULES_ARG,
} from './descriptions.ts'
import { type DiscoverToolOptions, hostViewOf } from './discover.ts'
import { doorOf, PermissionRefused } from './door.ts'
import { restoreFiles } from './restore.ts'
import { rewriteFiles } from './rewrite-files.ts'
import { rulesToWrite } from './rules-to-write.ts'

export { createDiscoverTool, type DiscoverToolOptions } from './discover.ts'

export type ParseRulesToolOptions = { description: string; sessions?: RulesInWork }
export type FormatRulesToolOptions = { description: string; sessions?: RulesInWork }
export type RewriteToolOptions = DiscoverToolOptions & { sessions?: RulesInWork }
export type AddToolOptions = {
  description: string
  directory: string
  discovered: Set<string>
  sessions?: RulesInWork
}

/** parse-rules: checks the rules that the model made of the text (sat-plan.md). */
export const createParseRulesTool = ({ description, sessions }: ParseRulesToolOptions): ToolDefinition =>
  defineTool({
    description,
    args: { rules: json(ParseResponseSchema, PARSED_RULES_ARG) },
    execute: async ({ rules }, { sessionID }) => {
      sessions?.rememberParsed(sessionID, rules.rules)
      return answer(count(rules.rules.length, 'rule'), JSON.stringify(rules, null, 2))
    },
  })

/**
 * format-rules: checks the sentences that the model made of the rules (sat-plan.md), against the mode where one is
 * given and against what parse-rules took in this session (spec.md, Modes and Meaning).
 */
export const createFormatRulesTool = ({ description, sessions }: FormatRulesToolOptions): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: json(FormatResponseSchema, FORMATTED_RULES_ARG),
      mode: ModeSchema.describe(MODE_ARG).optional(),
    },
    onInvalid: ({ sessionID }) => sessions?.rememberFormatted(sessionID, undefined),
    execute: async ({ rules: { rules }, mode }, { sessionID }) => {
      const parsed = sessions?.parsed(sessionID)
      const issues = [
        ...(mode === undefined ? [] : modeIssues(rules, mode)),
        ...(parsed === undefined ? [] : meaningIssues(parsed, rules)),
      ]
      const isValid = issues.length === 0
      sessions?.rememberFormatted(sessionID, isValid ? { rules, mode } : undefined)
      return isValid
        ? answer(count(rules.length, 'rule'), JSON.stringify({ rules }, null, 2))
        : answer('not as parsed', formatIssues('Schema validation failed:', issues))
    },
  })

const NOTHING_DISCOVERED =
  'No files were discovered yet. Call discover-rules first, then call this tool again.'

const RULES_AND_BACKUP =
  'Give either "rules" to write or "restore" to bring back a backup, not both. Nothing was written.'

/** rewrite-rules: replaces what is in instruction files by the rules, or brings a backup back (sat-plan.md). */
export const createRewriteTool = (
  { description, directory, discovered, sessions, config }: RewriteToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: json(FormatResponseSchema, SAME_RULES_ARG).optional(),
      files: paths(REWRITE_FILES_ARG).optional(),
      mode: ModeSchema.describe(SAME_MODE_ARG).optional(),
      restore: z.string().describe(RESTORE_ARG).optional(),
    },
    execute: async ({ restore, ...args }, context) => {
      // A blank text in an optional argument means that it is left out.
      const backup = restore?.trim() ?? ''
      if (args.rules !== undefined && args.rules.rules.length > 0 && backup !== '') {
        return answer('invalid arguments', RULES_AND_BACKUP)
      }
      if (discovered.size === 0) return answer('discover first', NOTHING_DISCOVERED)
      const door = doorOf(context, directory, discovered)
      // The calls of one message run at once; a session's writers go in the order in which they were made.
      if (backup !== '') return inTurn(context.sessionID, () => restoreFiles(door, args.files, backup))
      const toWrite = rulesToWrite(args, sessions?.formatted(context.sessionID))
      if (toWrite.error !== null) return answer('no rules', toWrite.error)
      if (toWrite.data.rules.length === 0) {
        return answer('no rules', 'There are no rules to write, so nothing was written.')
      }
      const host = hostViewOf(context, config?.())
      const meant = { directory: context.directory ?? directory, filesArg: args.files, host }
      return inTurn(context.sessionID, () => rewriteFiles(door, toWrite.data, meant))
    },
  })

/** add-rules: adds rules after what is in an instruction file (sat-plan.md). */
export const createAddTool = (
  { description, directory, discovered, sessions }: AddToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: json(FormatResponseSchema, SAME_RULES_ARG).optional(),
      file: path(FILE_ARG).optional(),
      mode: ModeSchema.describe(SAME_MODE_ARG).optional(),
    },
    execute: async ({ file, ...args }, context) => {
      const [first] = discovered
      if (first === undefined) return answer('discover first', NOTHING_DISCOVERED)
      const toWrite = rulesToWrite(args, sessions?.formatted(context.sessionID))
      if (toWrite.error !== null) return answer('no rules', toWrite.error)
      const { rules, mode, notes } = toWrite.data
      if (rules.length === 0) return answer('no rules', 'There are no rules to add, so nothing was written.')
      const door = doorOf(context, directory, discovered)
      const target = resolvePath(door.place.directory, file ?? firstInside(door) ?? first)
      if (target.error !== null) return answer('nothing added', `Nothing was added: ${target.error}`)
      const added = await inTurn(
        context.sessionID,
        () => appendRules({ filePath: target.data, rules, mode, door }),
      )
      if (added.status === 'success') {
        const said = `Added ${rules.length} rule(s) to ${target.data}`
        return answer(count(rules.length, 'rule'), [said, ...notes].join('\n\n'))
      }
      if (added.thrown !== undefined) throw new PermissionRefused(added.thrown)
      return answer('nothing added', `Nothing was added to ${target.data}: ${added.error}`)
    },
  })

// The host names the person's global file first; without a word a project's rule belongs into the project.
const firstInside = ({ discovered, place }: Door): string | undefined =>
  [...discovered].find((path) => isInside(place, path))
