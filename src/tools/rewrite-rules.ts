/** The tool rewrite-rules: replaces words of a file (sources) or its whole text with rules, and restores files. */
import type { ToolDefinition } from '@opencode-ai/plugin'
import * as z from 'zod'
import { type InstructionFile, readInstructionFile } from '../discover.ts'
import { contains, isInProject } from '../paths/boundary.ts'
import { pathExists, realPathOf, realPathOrSelf } from '../paths/real-path.ts'
import { resolveFiles } from '../resolve.ts'
import { processFile } from '../rewrite.ts'
import { FormatResponseSchema, ModeSchema } from '../rule-schema.ts'
import { ok, type Result } from '../safe.ts'
import { throwIfRefused } from '../writing/ask-host.ts'
import { runWriterInTurn, type WriterContext } from './call-order.ts'
import { type Replacement, replacementQuestion } from './confirm-replacement.ts'
import { answer, argument, defineTool, pathsArgument, type ToolAnswer } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import type { DiscoverToolOptions } from './pipeline-state.ts'
import { restoreFiles } from './restore-files.ts'
import { type Outcome, rewriteAnswer } from './rewrite-answer.ts'
import { filesOfSources, type RuleArguments, type RulesToWrite, rulesToWrite } from './rules-to-write.ts'

export const NOTHING_DISCOVERED = answer(
  'discover first',
  'No files were discovered yet. Call discover-rules first, then call this tool again.',
)

const RULES_AND_BACKUP =
  'Give either "rules" to write or "restore" to bring back a backup, not both. Nothing was written.'

export const createRewriteTool = (options: DiscoverToolOptions): ToolDefinition =>
  defineTool({
    description: options.description,
    args: {
      rules: argument(FormatResponseSchema.optional().describe(ARGUMENTS.rulesToRewrite)),
      files: pathsArgument(ARGUMENTS.filesToRewrite),
      mode: argument(ModeSchema.optional()),
      restore: argument(z.string().optional().describe(ARGUMENTS.restore)),
    },
    execute: ({ rules, files, mode, restore }, context) =>
      runWriterInTurn(options, context, async (writer) => {
        if (restore === undefined) {
          if (writer.discovered.paths().length === 0) return NOTHING_DISCOVERED
          return rewriteFiles(writer, { rules: rules?.rules, mode }, files)
        }
        if (rules?.rules.length) return answer('invalid arguments', RULES_AND_BACKUP)
        // A restore undoes rewrites, so the same rules may be written again.
        writer.session.forgetWritten()
        writer.session.firstBackups.clear()
        const restored = await restoreFiles(writer, restore.trim(), files)
        writer.show(restored.output)
        return restored
      }),
  })

const rewriteFiles = async (
  writer: WriterContext,
  args: RuleArguments,
  filesArg?: string | Array<string>,
): Promise<ToolAnswer> => {
  // Without `filesArg` and sources, `named.data` is undefined, and the files that the host loads are rewritten.
  const named = filesArg === undefined ? filesOfSources(writer.session, args) : ok(filesArg)
  if (named.error !== null) return answer('no rules', named.error)
  const files = await filesToRewrite(writer, named.data)
  if (files.error !== null) {
    const advice = named.data === undefined ? 'OpenCode loads no file here, so name one in "files". ' : ''
    return answer('no files', advice + files.error)
  }
  // Chooses rules for all files before the first write, because `rulesToWrite` skips rules written to another file.
  const choices = files.data.map((file): Choice => {
    const { path, realPath = path } = file
    return { file, chosen: rulesToWrite(writer.session, args, realPath) }
  })
  const refusals = choices.flatMap(({ chosen }) => chosen.error ?? [])
  if (refusals.length === choices.length) return answer('no rules', refusals[0]!)
  const question = await replacementQuestion(writer, choices.flatMap(wholeReplacement))
  if (question !== null) return answer('not replaced yet', question)
  const results = await writeAll(writer, choices)
  if (results.every(({ status }) => status !== 'success')) throwIfRefused(results)
  return rewriteAnswer(writer, results, filesArg === undefined && args.rules === undefined)
}

const filesToRewrite = (
  { workspace, discovered, find }: WriterContext,
  filesArg: string | Array<string> | undefined,
): Promise<Result<Array<InstructionFile>>> =>
  resolveFiles(workspace.directory, filesArg, {
    find,
    mayList: async (folder) => {
      const realFolder = await realPathOrSelf(folder)
      const hasDiscovered = discovered.paths().some((path) => contains(realFolder, path))
      return hasDiscovered ? null : 'discover-rules has not shown any file there'
    },
    // A file outside the project is read only after the person has allowed it.
    read: async (path) => {
      const realPath = await realPathOf(path)
      return isInProject(workspace, realPath) ? readInstructionFile(path) : { path, content: '', realPath }
    },
  })

type Choice = { file: InstructionFile; chosen: Result<RulesToWrite> }

const wholeReplacement = ({ file, chosen: { data } }: Choice): Array<Replacement> => {
  const isWhole = data !== null && data.sources === undefined && file.error === undefined
  return isWhole ? [{ file, rules: data.rules }] : []
}

const writeAll = async (writer: WriterContext, choices: Array<Choice>): Promise<Array<Outcome>> => {
  const records = choices.flatMap(({ chosen: { data } }) => data?.sources === undefined ? [] : [data.record])
  for (const record of records) record.state = 'writing'
  try {
    const results: Array<Outcome> = []
    for (const choice of choices) results.push(await writeOne(writer, choice))
    return results
  } finally {
    for (const record of records.filter(({ state }) => state === 'writing')) record.state = 'open'
  }
}

const writeOne = async (writer: WriterContext, { file, chosen }: Choice): Promise<Outcome> => {
  const { path, realPath = path } = file
  if (chosen.error !== null) return { status: 'refused', path, error: chosen.error }
  const { record, sources } = chosen.data
  // A record without sources makes room for later rules of the same message (see `storeParsed`).
  record.messageID = undefined
  const result = await processFile({ file, writeContext: writer, ...chosen.data })
  if (result.status !== 'success') return result
  const { session } = writer
  if (sources === undefined) session.forgetWritten(realPath)
  else session.storeWritten(record, realPath)
  const firstBackup = session.firstBackups.get(realPath) ?? result.backup
  if (firstBackup !== null) session.firstBackups.set(realPath, firstBackup)
  const isKept = firstBackup !== null && await pathExists(firstBackup)
  return { ...result, ...chosen.data, firstBackup: isKept ? firstBackup : null }
}
