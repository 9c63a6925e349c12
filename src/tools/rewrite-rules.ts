/** The tool rewrite-rules: puts rules in place of their sources (words of a file) or of whole files; restores files. */
import type { ToolDefinition } from '@opencode-ai/plugin'
import { basename, relative } from 'node:path'
import * as z from 'zod'
import { buildTable, toTableRow } from '../compare.ts'
import { type InstructionFile, readInstructionFile } from '../discover.ts'
import { contains, isInProject, withSlashes } from '../paths/boundary.ts'
import { realPathOf, realPathOrSelf } from '../paths/real-path.ts'
import { resolveFiles } from '../resolve.ts'
import { processFile, type RewriteResult } from '../rewrite.ts'
import { FormatResponseSchema, ModeSchema } from '../rule-schema.ts'
import { ok, type Result } from '../safe.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { inFence } from '../text/quoted-name.ts'
import { throwIfRefused } from '../writing/ask-host.ts'
import type { Unwritten } from '../writing/write.ts'
import { runWriterInTurn, type WriterContext } from './call-order.ts'
import { describeLoss, type Replacement, replacementQuestion } from './confirm-replacement.ts'
import { answer, argument, defineTool, pathsArgument, type ToolAnswer } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import { joinFirst } from './notes.ts'
import { type DiscoverToolOptions, hasSources } from './pipeline-state.ts'
import { restoreFiles } from './restore-files.ts'
import type { RuleArguments, RulesToWrite } from './rules-to-write.ts'
import { describeFiles, filesOfSources, rulesToWrite } from './rules-to-write.ts'
import { findUnsaid } from './unsaid-lines.ts'

/** The answer to a session that was shown no file. */
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
        // To restore a file that the call names, discover-rules need not be called first.
        const namesFileToRestore = restore !== undefined && files !== undefined
        if (writer.discovered.paths().length === 0 && !namesFileToRestore) return NOTHING_DISCOVERED
        if (restore === undefined) return rewriteFiles(writer, { rules: rules?.rules, mode }, files)
        if (rules?.rules.length) return answer('invalid arguments', RULES_AND_BACKUP)
        // A restore undoes what was written, so the same rules may be written again.
        writer.session.forgetWritten()
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
  // For rules without sources, `filesOfSources` names no files. Then the files that the host loads are rewritten.
  const named = filesArg === undefined ? filesOfSources(writer.session, args) : ok(filesArg)
  if (named.error !== null) return answer('no rules', named.error)
  const files = await filesToRewrite(writer, named.data)
  if (files.error !== null) {
    const advice = named.data === undefined ? 'OpenCode loads no file here, so name one in "files". ' : ''
    return answer('no files', advice + files.error)
  }
  // Choose for all files before the first write: once a record is written, `rulesToWrite` no longer finds it.
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
  return toAnswer(writer, results, filesArg === undefined && args.rules === undefined)
}

const filesToRewrite = (
  { workspace, discovered, find }: WriterContext,
  filesArg: string | Array<string> | undefined,
): Promise<Result<Array<InstructionFile>>> =>
  resolveFiles(workspace.directory, filesArg, {
    find,
    // Here, nobody is asked before a folder is listed, so discover-rules must have shown a file in it.
    mayList: async (folder) => {
      const realFolder = await realPathOrSelf(folder)
      const hasDiscovered = discovered.paths().some((path) => contains(realFolder, path))
      return hasDiscovered ? null : 'discover-rules has not shown any file there'
    },
    // A file outside the project is read only once the person has allowed it.
    read: async (path) => {
      const realPath = await realPathOf(path)
      return isInProject(workspace, realPath) ? readInstructionFile(path) : { path, content: '', realPath }
    },
  })

/** A file, and the rules that a call writes to it; or why it writes none. */
type Choice = { file: InstructionFile; chosen: Result<RulesToWrite> }

const wholeReplacement = ({ file, chosen: { data } }: Choice): Array<Replacement> => {
  const isWhole = data !== null && data.sources === undefined && file.error === undefined
  return isWhole ? [{ file, rules: data.rules }] : []
}

/** A file that was written or says this already, and the rules of the call for it. */
type WrittenFile = Exclude<RewriteResult, Unwritten> & RulesToWrite & {
  /** The backup from before the session's first rewrite; null if no rewrite changed the file. */
  firstBackup: string | null
}

type Outcome = WrittenFile | Unwritten

/** Writes one file after the other. Meanwhile, rules with sources are `writing`, so that no other call writes them. */
const writeAll = async (writer: WriterContext, choices: Array<Choice>): Promise<Array<Outcome>> => {
  const records = choices.flatMap(({ chosen: { data } }) => data?.sources === undefined ? [] : [data.record])
  for (const record of records) record.state = 'writing'
  try {
    const results: Array<Outcome> = []
    for (const choice of choices) results.push(await writeOne(writer, choice))
    return results
  } finally {
    for (const record of records) if (record.state === 'writing') record.state = 'open'
  }
}

const writeOne = async (writer: WriterContext, { file, chosen }: Choice): Promise<Outcome> => {
  const { path, realPath = path } = file
  if (chosen.error !== null) return { status: 'refused', path, error: chosen.error }
  const { record, sources } = chosen.data
  // Records without sources from one message are kept together, but the next one replaces this one, which is done.
  record.messageID = undefined
  const result = await processFile({ file, writeContext: writer, ...chosen.data })
  if (result.status !== 'success') return result
  const { session } = writer
  // A file that was replaced as a whole no longer has the rules that were written to it before.
  if (sources === undefined) session.forgetWritten(realPath)
  else session.storeWritten(record, realPath)
  const firstBackup = session.firstBackups.get(realPath) ?? result.backup
  if (firstBackup !== null) session.firstBackups.set(realPath, firstBackup)
  return { ...result, ...chosen.data, firstBackup }
}

const HEADER_LINES = 2
const MAX_DIFF_LINES = 60 + HEADER_LINES

const toAnswer = async (
  writer: WriterContext,
  results: Array<Outcome>,
  isForAllRules: boolean,
): Promise<ToolAnswer> => {
  const written = results.filter((result) => result.status === 'success')
  const replacedWhole = written.filter(({ sources }) => sources === undefined)
  const rulesCount = written.reduce((sum, result) => sum + result.rulesCount, 0)
  const nameOf = createNamer(results.map(({ path }) => path), writer)
  const diff = await diffOf(written, nameOf)
  const refusals = results.filter(({ status }) => status !== 'success').flatMap(notesOn)
  writer.show([diff.join('\n'), ...refusals].filter(Boolean).join('\n\n'))
  // If only one file was written, the model gets the diff without its header, because the table names the file.
  const diffForModel = diff.slice(written.length > 1 ? 0 : HEADER_LINES).join('\n')
  const output = [
    buildTable(results.map((result) => ({ ...toTableRow(result), file: nameOf(result.path) }))),
    ...(diff.length === 0 ? [] : [inFence(diffForModel, 'diff')]),
    ...results.flatMap(notesOn),
    ...(replacedWhole.length > 1 ? [`The same rules were written to ${replacedWhole.length} files.`] : []),
    // A file that said all this already has no `backup`, and its notes would say that rules were written.
    ...new Set(written.filter(({ backup }) => backup !== null).flatMap(({ notes }) => notes)),
    ...(isForAllRules ? unformattedNote(writer) : []),
  ]
  return answer(`${pluralize(written.length, 'file')}, ${pluralize(rulesCount, 'rule')}`, output.join('\n\n'))
}

type Namer = (path: string) => string

// Names files by their base names, unless two have the same.
const createNamer = (paths: Array<string>, { workspace }: WriterContext): Namer =>
  new Set(paths.map((path) => basename(path))).size === paths.length
    ? (path) => basename(path)
    : (path) => withSlashes(relative(workspace.directory, path))

const diffOf = async (written: Array<WrittenFile>, nameOf: Namer): Promise<Array<string>> => {
  const { formatDiff } = await import('../text/hunks.ts')
  const lines = written.filter(({ before, after }) => before !== after).flatMap(({ path, before, after }) =>
    formatDiff(nameOf(path), before, after, 0).trimEnd().split('\n')
  )
  const more = lines.length - MAX_DIFF_LINES
  return more > 0 ? [...lines.slice(0, MAX_DIFF_LINES), `… and ${more} more lines`] : lines
}

const notesOn = (result: Outcome): Array<string> => {
  const path = markName(result.path)
  if (result.status !== 'success') return [`Not written: ${path}: ${result.error}`]
  const { backup, firstBackup } = result
  if (backup === null) return [`Nothing was written to ${path}: it says this already.`]
  const contentNotes = result.sources === undefined ? lossNotes(result) : unchangedNotes(result)
  const first = firstBackup ?? backup
  const beforeSession = first === backup ? '' : `\nAs it was before this session: ${markName(first)}`
  return [...contentNotes, `Backup of ${path}: ${markName(backup)}${beforeSession}`]
}

const lossNotes = ({ path, before, after }: WrittenFile): Array<string> => {
  const loss = { path, ...findUnsaid(before, after) }
  const howToRestore = 'The backup has them, and /restore-rules brings the file back. Tell the person.'
  return loss.lines.length === 0 ? [] : [`${describeLoss(loss)}. ${howToRestore}`]
}

const unchangedNotes = ({ unchanged }: WrittenFile): Array<string> => {
  const numbers = joinFirst(unchanged.map((rule) => `${rule + 1}`))
  return numbers === '' ? [] : [`Already in the file, in these words: rule ${numbers}.`]
}

const unformattedNote = ({ session }: WriterContext): Array<string> => {
  const unformatted = session.records.filter((record) => hasSources(record) && record.texts === undefined)
  const files = joinFirst(unformatted.map(describeFiles))
  return files === '' ? [] : [`Not written: ${files}: format-rules has not accepted its rules yet.`]
}
