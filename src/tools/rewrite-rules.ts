import type { ToolDefinition } from '@opencode-ai/plugin'
import * as z from 'zod'
import { buildTable, type FileResult, toTableRow } from '../compare.ts'
import {
  findInstructions,
  type FoundInstructions,
  type InstructionFile,
  readInstructionFile,
} from '../discover.ts'
import { hostViewOf } from '../host/instruction-files.ts'
import { contains, isInside } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { resolveFiles } from '../resolve.ts'
import { processFile } from '../rewrite.ts'
import { FormatResponseSchema, ModeSchema } from '../rule-schema.ts'
import { ok, type Result } from '../safe.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { codeName } from '../text/quoted-name.ts'
import { throwRefusal } from '../writing/ask-permission.ts'
import type { WriteContext } from '../writing/write-context.ts'
import { inCallOrder } from './call-order.ts'
import { answer, defineTool, json, optional, paths, plain, type ToolAnswer } from './define-tool.ts'
import { OWN_RULES_SHOWN, RESTORE_ARG, REWRITE_FILES_ARG } from './descriptions.ts'
import type { DiscoverToolOptions } from './discover-rules.ts'
import { inCode, list } from './notes.ts'
import type { PipelineState, SessionRules } from './pipeline-state.ts'
import { restoreFiles } from './restore-files.ts'
import { filesOfSources, type GivenRules, rulesForFile, type RulesToWrite } from './rules-to-write.ts'

/** What rewrite-rules is made from. */
export type RewriteToolOptions = DiscoverToolOptions & { sessions: PipelineState }

/** Makes the answer of a writer before discovery. */
export const nothingDiscovered = (): ToolAnswer =>
  answer(
    'discover first',
    'No files were discovered yet. Call discover-rules first, then call this tool again.',
  )

/** The argument `mode` of a writer. format-rules names the modes; naming them again would cost tokens in each request. */
export const SAME_MODE = { ...plain(ModeSchema), shown: z.string() }

const RULES_AND_BACKUP =
  'Give either "rules" to write or "restore" to bring back a backup, not both. Nothing was written.'

/** The files that a call rewrites: those that it names, or else all that the host loads in the session's directory. */
type FilesToRewrite = {
  directory: string
  filesArg: string | Array<string> | undefined
  find: () => Promise<FoundInstructions>
}

/** Finds the files to rewrite. A folder outside the project is listed only if a file in it was discovered. */
const filesToRewrite = (
  { place, discovered }: WriteContext,
  { directory, filesArg, find }: FilesToRewrite,
): Promise<Result<Array<InstructionFile>>> =>
  resolveFiles(directory, filesArg, {
    find,
    mayList: async (folder) => {
      const realFolder = await realPathOr(folder)
      const isKnown = isInside(place, realFolder)
        || discovered.paths().some((path) => contains(realFolder, path))
      return isKnown ? null : 'discover-rules has not shown any file there'
    },
    read: async (path) => {
      const realPath = await realPathOr(path)
      // A file outside the project is read only after the person allowed it.
      return isInside(place, realPath) ? readInstructionFile(path) : { path, content: '', realPath }
    },
  })

/** A file that was written, and the rules that it got; or one that was not. */
type Written = FileResult & { status: 'success' } & RulesToWrite
type Failed = Exclude<FileResult, { status: 'success' }>

/** Notes what of a wholly replaced file its rules do not say. */
const lostNote = async ({ path, before, after, backup }: Written): Promise<Array<string>> => {
  const { unsaidOf } = await import('./unsaid.ts')
  const { lines, names } = unsaidOf(before, after)
  if (lines.length === 0 && names.length === 0) return []
  const named = names.length === 0 ? '' : `, with ${list(names.map(inCode))}`
  const kept = backup === null ? '' : '; the backup has them, and /restore-rules brings the file back'
  const lost = pluralize(lines.length, 'line')
  return [`${lost} of ${codeName(path)} are in no rule${named}${kept}. Tell the person.`]
}

const toNotes = async (written: Array<Written>, failed: Array<Failed>): Promise<Array<string>> => {
  const whole = written.filter(({ sources }) => sources === undefined)
  return [
    ...(await Promise.all(whole.map(lostNote))).flat(),
    ...failed.map(({ path, error }) => `Not written: ${markName(path)}: ${error}`),
    ...written.flatMap(({ path, backup }) =>
      backup === null ? [] : [`Backup of ${markName(path)}: ${markName(backup)}`]
    ),
    ...(whole.length > 1 ? [`The same rules were written to ${whole.length} files.`] : []),
    ...new Set(written.flatMap(({ notes }) => notes)),
  ]
}

/**
 * Writes to each file the rules that belong to it: those whose sources stand in it, or else rules without sources.
 *
 * @throws PermissionRefused where a permission was refused and nothing was written
 */
export const rewriteFiles = async (
  writeContext: WriteContext,
  session: SessionRules,
  given: GivenRules,
  meant: FilesToRewrite,
): Promise<ToolAnswer> => {
  const filesArg = meant.filesArg === undefined ? filesOfSources(session, given) : ok(meant.filesArg)
  if (filesArg.error !== null) return answer('no rules', filesArg.error)
  const files = await filesToRewrite(writeContext, { ...meant, filesArg: filesArg.data })
  if (files.error !== null) return answer('no files', files.error)
  const chosen = files.data.map((file) => ({
    file,
    toWrite: rulesForFile(session, given, file.realPath ?? file.path),
  }))
  const [refusal] = chosen.map(({ toWrite }) => toWrite.error)
  if (refusal && chosen.every(({ toWrite }) => toWrite.error !== null)) return answer('no rules', refusal)
  // The sets are used up: what the model sends next in the same message belongs to another file.
  for (const { toWrite } of chosen) {
    if (toWrite.data?.set !== undefined) toWrite.data.set.messageID = undefined
  }
  const results: Array<Written | Failed> = []
  for (const { file, toWrite } of chosen) results.push(await write(writeContext, session, file, toWrite))
  const written = results.filter((result) => result.status === 'success')
  const failed = results.filter((result) => result.status !== 'success')
  if (written.length === 0) throwRefusal(failed)
  const amount = written.reduce((sum, { rulesCount }) => sum + rulesCount, 0)
  return answer(
    `${pluralize(written.length, 'file')}, ${pluralize(amount, 'rule')}`,
    [buildTable(results.map(toTableRow)), ...await toNotes(written, failed)].join('\n\n'),
    { files: written.map(({ path }) => path) },
  )
}

const write = async (
  writeContext: WriteContext,
  session: SessionRules,
  file: InstructionFile,
  toWrite: Result<RulesToWrite>,
): Promise<Written | Failed> => {
  if (toWrite.error !== null) return { status: 'refused', path: file.path, error: toWrite.error }
  const { set, sources } = toWrite.data
  const result = await processFile({ file, writeContext, ...toWrite.data })
  if (result.status !== 'success') return result
  // The sources are gone from the file: the next change is parsed again.
  if (sources !== undefined) session.sets = session.sets.filter((one) => one !== set)
  return { ...result, ...toWrite.data }
}

/**
 * Makes rewrite-rules, which puts rules in the place of their sources, or of all that a file says where they have none,
 * or brings a backup back.
 */
export const createRewriteTool = (
  { description, sessions, config, ...options }: RewriteToolOptions,
): ToolDefinition =>
  defineTool({
    description,
    args: {
      rules: optional(json(FormatResponseSchema, OWN_RULES_SHOWN)),
      files: optional(paths(REWRITE_FILES_ARG)),
      mode: optional(SAME_MODE),
      restore: optional(plain(z.string(), RESTORE_ARG)),
    },
    execute: ({ rules, files: filesArg, mode, restore }, context) =>
      inCallOrder(options, context, async (writeContext) => {
        if (restore !== undefined) {
          return rules?.rules.length
            ? answer('invalid arguments', RULES_AND_BACKUP)
            : restoreFiles(writeContext, filesArg, restore.trim())
        }
        if (writeContext.discovered.paths().length === 0) return nothingDiscovered()
        const { directory = options.directory } = context
        const find = () => findInstructions(directory, hostViewOf(context, config?.()))
        const session = sessions.of(context.sessionID)
        return rewriteFiles(writeContext, session, { rules: rules?.rules, mode }, {
          directory,
          filesArg,
          find,
        })
      }),
  })
