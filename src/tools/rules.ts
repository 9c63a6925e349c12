import type { ToolDefinition } from '@opencode-ai/plugin'
import { z } from 'zod'
import { appendRules } from '../append.ts'
import { buildTable, type FileResult, toTableRow } from '../compare.ts'
import type { InstructionFile } from '../discover.ts'
import { readFilePaths } from '../discover.ts'
import { resolveFiles } from '../resolve.ts'
import { processFile } from '../rewrite.ts'
import { FormatResponseSchema, ModeSchema, ParseResponseSchema } from '../rule-schema.ts'
import { answer, count, defineTool, json } from './define-tool.ts'
import {
  FILE_ARG,
  FILES_ARG,
  FORMATTED_RULES_ARG,
  MODE_ARG,
  PARSED_RULES_ARG,
  REWRITE_FILES_ARG,
  SAME_RULES_ARG,
} from './descriptions.ts'

export type DiscoverToolOptions = { description: string; directory: string; discovered: Set<string> }
export type ParseRulesToolOptions = { description: string }
export type FormatRulesToolOptions = { description: string }
export type RewriteToolOptions = { description: string; directory: string; discovered: Set<string> }
export type AddToolOptions = { description: string; directory: string; discovered: Set<string> }

const toSection = ({ path, content, error }: InstructionFile): string =>
  `## ${path}\n\n${error === undefined ? content : `Error: could not read this file: ${error}`}`

/** discover-rules: reads the instruction files and remembers that they were shown (sat-plan.md). */
export const createDiscoverTool = (
  { description, directory, discovered }: DiscoverToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: { files: z.string().describe(FILES_ARG).optional() },
    execute: async (args) => {
      const files = await resolveFiles(directory, args.files)
      if (files.error !== null) return answer('no files', files.error)
      for (const file of files.data) if (file.error === undefined) discovered.add(file.path)
      return answer(count(files.data.length, 'file'), files.data.map(toSection).join('\n\n---\n\n'))
    },
  })

/** parse-rules: checks the rules that the model made of the text (sat-plan.md). */
export const createParseRulesTool = ({ description }: ParseRulesToolOptions): ToolDefinition =>
  defineTool({
    description,
    args: { rules: json(ParseResponseSchema, PARSED_RULES_ARG) },
    execute: async ({ rules }) => answer(count(rules.rules.length, 'rule'), JSON.stringify(rules, null, 2)),
  })

/** format-rules: checks the sentences that the model made of the rules (sat-plan.md). */
export const createFormatRulesTool = ({ description }: FormatRulesToolOptions): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: json(FormatResponseSchema, FORMATTED_RULES_ARG),
      mode: ModeSchema.describe(MODE_ARG).optional(),
    },
    execute: async ({ rules }) => answer(count(rules.rules.length, 'rule'), JSON.stringify(rules, null, 2)),
  })

const NOTHING_DISCOVERED =
  'No files were discovered yet. Call discover-rules first, then call this tool again.'

const notDiscovered = (path: string): string =>
  `${path} was not discovered. Call discover-rules first (with this path in "files" if it shows other files), then call this tool again.`

const failureNotes = (results: Array<FileResult>): Array<string> =>
  results.flatMap((result) => result.status === 'success' ? [] : [`${result.path}: ${result.error}`])

/** rewrite-rules: replaces what is in instruction files by the rules (sat-plan.md). */
export const createRewriteTool = (
  { description, directory, discovered }: RewriteToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: json(FormatResponseSchema, SAME_RULES_ARG),
      files: z.string().describe(REWRITE_FILES_ARG).optional(),
      mode: ModeSchema.describe(MODE_ARG).optional(),
    },
    execute: async ({ rules: { rules }, files: filesArg, mode }) => {
      if (discovered.size === 0) return answer('discover first', NOTHING_DISCOVERED)
      if (rules.length === 0) {
        return answer('no rules', 'There are no rules to write, so nothing was written.')
      }
      const files = await resolveFiles(directory, filesArg)
      if (files.error !== null) return answer('no files', files.error)
      const results: Array<FileResult> = []
      for (const file of files.data) {
        results.push(
          discovered.has(file.path) || file.error !== undefined
            ? await processFile({ file, rules, mode })
            : { status: 'readError', path: file.path, error: notDiscovered(file.path) },
        )
      }
      const written = results.filter(({ status }) => status === 'success').length
      const notes = failureNotes(results)
      if (written > 1) notes.push(`The same rules were written to ${written} files.`)
      return answer(
        `${count(written, 'file')}, ${count(rules.length, 'rule')}`,
        [buildTable(results.map(toTableRow)), ...notes].join('\n\n'),
      )
    },
  })

/** add-rules: adds rules after what is in an instruction file (sat-plan.md). */
export const createAddTool = ({ description, directory, discovered }: AddToolOptions): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: json(FormatResponseSchema, SAME_RULES_ARG),
      file: z.string().describe(FILE_ARG).optional(),
      mode: ModeSchema.describe(MODE_ARG).optional(),
    },
    execute: async ({ rules: { rules }, file, mode }) => {
      const [first] = discovered
      if (first === undefined) return answer('discover first', NOTHING_DISCOVERED)
      if (rules.length === 0) return answer('no rules', 'There are no rules to add, so nothing was written.')
      const [target] = await readFilePaths(directory, [file ?? first])
      if (!target || !discovered.has(target.path)) {
        return answer('discover first', notDiscovered(target?.path ?? file ?? first))
      }
      const added = await appendRules({ filePath: target.path, rules, mode })
      return added.status === 'success'
        ? answer(count(rules.length, 'rule'), `Added ${rules.length} rule(s) to ${target.path}`)
        : answer('nothing added', `Nothing was added to ${target.path}: ${added.error}`)
    },
  })
