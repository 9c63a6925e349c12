import type { ToolDefinition } from '@opencode-ai/plugin'
import { basename, relative } from 'node:path'
import * as z from 'zod'
import { buildTable, toTableRow } from '../compare.ts'
import { type InstructionFile, readInstructionFile } from '../discover.ts'
import { contains, isInside, withSlashes } from '../paths/boundary.ts'
import { realPathOf, realPathOr } from '../paths/real-path.ts'
import { resolveFiles } from '../resolve.ts'
import { processFile, type Rewritten } from '../rewrite.ts'
import { FormatResponseSchema, ModeSchema } from '../rule-schema.ts'
import { ok, type Result } from '../safe.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { inFence } from '../text/quoted-name.ts'
import { throwRefusal } from '../writing/ask-permission.ts'
import type { Unwritten } from '../writing/write.ts'
import { inCallOrder, type Writer } from './call-order.ts'
import { answer, argument, defineTool, paths, type ToolAnswer } from './define-tool.ts'
import { ARGUMENTS } from './descriptions.ts'
import type { DiscoverToolOptions } from './discover-rules.ts'
import { list } from './notes.ts'
import { hasSources } from './pipeline-state.ts'
import { restoreFiles } from './restore-files.ts'
import {
  filesOf,
  filesOfSources,
  type GivenRules,
  type RulesToWrite,
  rulesToWrite,
} from './rules-to-write.ts'
import { unsaidOf } from './unsaid-lines.ts'
import { lossIn, wholeQuestion } from './whole-replacement.ts'

/** The answer of a writer before discovery. */
export const NOTHING_DISCOVERED = answer(
  'discover first',
  'No files were discovered yet. Call discover-rules first, then call this tool again.',
)

const RULES_AND_BACKUP =
  'Give either "rules" to write or "restore" to bring back a backup, not both. Nothing was written.'

/** Finds the files to rewrite. A folder is listed only if a file in it was discovered. */
const filesToRewrite = (
  { workspace, discovered, find }: Writer,
  filesArg: string | Array<string> | undefined,
): Promise<Result<Array<InstructionFile>>> =>
  resolveFiles(workspace.directory, filesArg, {
    find,
    mayList: async (folder) => {
      const realFolder = await realPathOr(folder)
      const isKnown = discovered.paths().some((path) => contains(realFolder, path))
      return isKnown ? null : 'discover-rules has not shown any file there'
    },
    // A file outside the project is read only after the person allowed it.
    read: async (path) => {
      const realPath = await realPathOf(path)
      return isInside(workspace, realPath) ? readInstructionFile(path) : { path, content: '', realPath }
    },
  })

/** A file that was rewritten, and the rules that it got. */
type Written = Exclude<Rewritten, Unwritten> & RulesToWrite & { firstBackup: string | null }

type NameOf = (path: string) => string

/** Gives what names files apart: their names, or their paths in the project where two have the same name. */
const namerOf = (paths: Array<string>, { workspace: { directory } }: Writer): NameOf =>
  new Set(paths.map((path) => basename(path))).size === paths.length
    ? (path) => basename(path)
    : (path) => withSlashes(relative(directory, path))

const [MOST_LINES, HEADER_LINES] = [60, 2]

/** Gives the diff of what was written, cut after its first lines; empty where nothing changed. */
const diffOf = async (written: Array<Written>, nameOf: NameOf): Promise<string> => {
  const { formatDiff } = await import('../text/hunks.ts')
  const lines = written.filter(({ before, after }) => before !== after).flatMap(({ path, before, after }) =>
    formatDiff(nameOf(path), before, after, 0).trimEnd().split('\n')
  )
  const most = MOST_LINES + HEADER_LINES
  const more = lines.length > most ? [`… and ${lines.length - most} more lines`] : []
  return [...lines.slice(0, most), ...more].join('\n')
}

/** Gives the diff as the model reads it, without the name of the only file. */
const changedLines = (diff: string, { length }: Array<Written>): Array<string> =>
  diff === '' ? [] : [inFence(diff.split('\n').slice(length > 1 ? 0 : HEADER_LINES).join('\n'), 'diff')]

/** Names the rules whose words stood in their place already. */
const unchangedNote = ({ unchanged }: Written): Array<string> => {
  const numbers = list(unchanged.map((rule) => `${rule + 1}`))
  if (numbers === '') return []
  return [
    unchanged.length === 1
      ? `Rule ${numbers} says what stands there already.`
      : `Rules ${numbers} say what stands there already.`,
  ]
}

/** Notes what a wholly replaced file lost and where its backup is, or why it was not written. */
const notesOn = (result: Written | Unwritten): Array<string> => {
  const path = markName(result.path)
  if (result.status !== 'success') return [`Not written: ${path}: ${result.error}`]
  if (result.backup === null) return [`Nothing was written to ${path}: it says this already.`]
  const { firstBackup } = result
  const first = firstBackup === result.backup
    ? []
    : [`As it was before this session: ${markName(firstBackup!)}`]
  const backup = [`Backup of ${path}: ${markName(result.backup)}`, ...first].join('\n')
  if (result.sources !== undefined) return [...unchangedNote(result), backup]
  const loss = { path: result.path, ...unsaidOf(result.before, result.after) }
  const lost = `${
    lossIn(loss)
  }. The backup has them, and /restore-rules brings the file back. Tell the person.`
  return loss.lines.length === 0 ? [backup] : [lost, backup]
}

/** Writes to a file the rules that were chosen for it; they are used up where they have sources. */
const write = async (
  writer: Writer,
  file: InstructionFile,
  chosen: Result<RulesToWrite>,
): Promise<Written | Unwritten> => {
  if (chosen.error !== null) return { status: 'refused', path: file.path, error: chosen.error }
  const { record, sources } = chosen.data
  // What the model parses next in the same message belongs to another file.
  record.messageID = undefined
  const result = await processFile({ file, writeContext: writer, ...chosen.data })
  if (result.status !== 'success') return result
  const { path, realPath = path } = file
  if (sources === undefined) writer.session.forgetWritten(realPath)
  else writer.session.storeWritten(record, realPath)
  const { firstBackups } = writer.session
  const firstBackup = firstBackups.get(realPath) ?? result.backup
  if (firstBackup !== null) firstBackups.set(realPath, firstBackup)
  return { ...result, ...chosen.data, firstBackup }
}

/** Notes which files still wait for format-rules. */
const waitingNote = ({ session }: Writer): Array<string> => {
  const waiting = session.records.filter((record) => hasSources(record) && record.texts === undefined)
  return waiting.length === 0
    ? []
    : [`Not written: ${list(waiting.map(filesOf))}: format-rules has not taken the rules of it yet.`]
}

type Choice = { file: InstructionFile; chosen: Result<RulesToWrite> }

/** Writes one file after the other. Meanwhile no other call writes the same rules, since a question may stay open. */
const writeAll = async (writer: Writer, choices: Array<Choice>): Promise<Array<Written | Unwritten>> => {
  const records = choices.flatMap(({ chosen: { data } }) => data?.sources ? [data.record] : [])
  for (const record of records) record.state = 'writing'
  try {
    const results: Array<Written | Unwritten> = []
    for (const { file, chosen } of choices) results.push(await write(writer, file, chosen))
    return results
  } finally {
    for (const record of records) if (record.state === 'writing') record.state = 'open'
  }
}

/**
 * Puts into words what was written, and what was not.
 *
 * @param isAll whether all that format-rules took was to be written
 */
const answerOn = async (
  writer: Writer,
  results: Array<Written | Unwritten>,
  isAll: boolean,
): Promise<ToolAnswer> => {
  const written = results.filter((result) => result.status === 'success')
  const alike = written.filter(({ sources }) => sources === undefined)
  const amount = written.reduce((sum, { rulesCount }) => sum + rulesCount, 0)
  const nameOf = namerOf(results.map(({ path }) => path), writer)
  const diff = await diffOf(written, nameOf)
  const refusals = results.filter((result) => result.status !== 'success').flatMap(notesOn)
  writer.show([diff, ...refusals].filter(Boolean).join('\n\n'))
  const output = [
    buildTable(results.map((result) => ({ ...toTableRow(result), file: nameOf(result.path) }))),
    ...changedLines(diff, written),
    ...results.flatMap(notesOn),
    ...(alike.length > 1 ? [`The same rules were written to ${alike.length} files.`] : []),
    ...new Set(written.filter(({ backup }) => backup !== null).flatMap(({ notes }) => notes)),
    ...(isAll ? waitingNote(writer) : []),
  ]
  return answer(`${pluralize(written.length, 'file')}, ${pluralize(amount, 'rule')}`, output.join('\n\n'))
}

/**
 * Writes to each file the rules that belong to it: those whose sources stand in it, or else rules without sources.
 *
 * @throws PermissionRefused where a permission was refused and nothing was written
 */
const rewriteFiles = async (
  writer: Writer,
  given: GivenRules,
  filesArg?: string | Array<string>,
): Promise<ToolAnswer> => {
  const named = filesArg === undefined ? filesOfSources(writer.session, given) : ok(filesArg)
  if (named.error !== null) return answer('no rules', named.error)
  const files = await filesToRewrite(writer, named.data)
  if (files.error !== null) {
    const goOn = named.data === undefined ? 'OpenCode loads no file here, so name one in "files". ' : ''
    return answer('no files', goOn + files.error)
  }
  // Chosen for all files before the first is written, since a set with sources is used up by then.
  const choices = files.data.map((file): Choice => {
    const { path, realPath = path } = file
    return { file, chosen: rulesToWrite(writer.session, given, realPath) }
  })
  const refusals = choices.flatMap(({ chosen }) => chosen.error ?? [])
  if (refusals.length === choices.length) return answer('no rules', refusals[0]!)
  const whole = choices.flatMap(({ file, chosen: { data } }) =>
    data === null || data.sources || file.error !== undefined ? [] : [{ file, rules: data.rules }]
  )
  const question = await wholeQuestion(writer, whole)
  if (question !== null) return answer('not replaced yet', question)
  const results = await writeAll(writer, choices)
  if (results.every(({ status }) => status !== 'success')) throwRefusal(results)
  return answerOn(writer, results, filesArg === undefined && given.rules === undefined)
}

/**
 * Makes rewrite-rules, which puts rules in the place of their sources, or of all that a file says where they have none,
 * or brings a backup back.
 */
export const createRewriteTool = (options: DiscoverToolOptions): ToolDefinition =>
  defineTool({
    description: options.description,
    args: {
      rules: argument(FormatResponseSchema.optional().describe(ARGUMENTS.rulesToRewrite)),
      files: paths(ARGUMENTS.filesToRewrite),
      mode: argument(ModeSchema.optional()),
      restore: argument(z.string().optional().describe(ARGUMENTS.restore)),
    },
    execute: ({ rules, files, mode, restore }, context) =>
      inCallOrder(options, context, async (writer) => {
        const mayBeShown = restore !== undefined && files !== undefined
        if (writer.discovered.paths().length === 0 && !mayBeShown) return NOTHING_DISCOVERED
        if (restore === undefined) return rewriteFiles(writer, { rules: rules?.rules, mode }, files)
        if (rules?.rules.length) return answer('invalid arguments', RULES_AND_BACKUP)
        writer.session.forgetWritten()
        const restored = await restoreFiles(writer, files, restore.trim())
        writer.show(restored.output)
        return restored
      }),
  })
