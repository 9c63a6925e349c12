/** Formats the answer of rewrite-rules: a table of files, a diff, then notes on each file. */
import { basename, relative } from 'node:path'
import { buildTable, toTableRow } from '../compare.ts'
import { withSlashes } from '../paths/boundary.ts'
import type { RewriteResult } from '../rewrite.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { inFence } from '../text/quoted-name.ts'
import type { Unwritten } from '../writing/write.ts'
import type { WriterContext } from './call-order.ts'
import { describeLoss } from './confirm-replacement.ts'
import { answer, type ToolAnswer } from './define-tool.ts'
import { joinFirst } from './notes.ts'
import { hasSources } from './pipeline-state.ts'
import { describeFiles, type RulesToWrite } from './rules-to-write.ts'
import { findUnsaid } from './unsaid-lines.ts'

type WrittenFile = Exclude<RewriteResult, Unwritten> & RulesToWrite & {
  /** The backup that the session's first rewrite of this file saved. Null if it was pruned or never saved. */
  firstBackup: string | null
}

export type Outcome = WrittenFile | Unwritten

const HEADER_LINES = 2
const MAX_DIFF_LINES = 60 + HEADER_LINES

/** `isForAllRules` is true if the call named neither rules nor files. */
export const rewriteAnswer = async (
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
  // The table names the file, so the diff of a single file needs no header.
  const diffForModel = diff.slice(written.length > 1 ? 0 : HEADER_LINES).join('\n')
  const output = [
    buildTable(results.map((result) => ({ ...toTableRow(result), file: nameOf(result.path) }))),
    ...(diff.length === 0 ? [] : [inFence(diffForModel, 'diff')]),
    ...results.flatMap(notesOn),
    ...(replacedWhole.length > 1 ? [`The same rules were written to ${replacedWhole.length} files.`] : []),
    // These notes begin with `Written:`, which would be wrong for an unchanged file.
    ...new Set(written.filter(({ backup }) => backup !== null).flatMap(({ notes }) => notes)),
    ...(isForAllRules ? unformattedNote(writer) : []),
  ]
  return answer(`${pluralize(written.length, 'file')}, ${pluralize(rulesCount, 'rule')}`, output.join('\n\n'))
}

type Namer = (path: string) => string

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

const BEFORE_FIRST_REWRITE = "Backup from before this session's first rewrite (since OpenCode started)"

const notesOn = (result: Outcome): Array<string> => {
  const path = markName(result.path)
  if (result.status !== 'success') return [`Not written: ${path}: ${result.error}`]
  const { backup, firstBackup } = result
  if (backup === null) return [`Nothing was written to ${path}: it already contains these rules.`]
  const contentNotes = result.sources === undefined ? lossNotes(result) : unchangedNotes(result)
  const first = firstBackup ?? backup
  const original = first === backup ? '' : `\n${BEFORE_FIRST_REWRITE}: ${markName(first)}`
  return [...contentNotes, `Backup of ${path}: ${markName(backup)}${original}`]
}

const lossNotes = ({ path, before, after }: WrittenFile): Array<string> => {
  const loss = { path, ...findUnsaid(before, after) }
  const howToRestore =
    'The backup contains these lines, and /restore-rules restores the file. Tell the person.'
  return loss.lines.length === 0 ? [] : [`${describeLoss(loss)}. ${howToRestore}`]
}

const unchangedNotes = ({ unchanged }: WrittenFile): Array<string> => {
  const numbers = joinFirst(unchanged.map((rule) => `${rule + 1}`))
  return numbers === ''
    ? []
    : [`Already in the file, word for word: ${unchanged.length === 1 ? 'rule' : 'rules'} ${numbers}.`]
}

const unformattedNote = ({ session }: WriterContext): Array<string> => {
  const unformatted = session.records.filter((record) => hasSources(record) && record.texts === undefined)
  const files = joinFirst(unformatted.map(describeFiles))
  return files === '' ? [] : [`Not written, because format-rules has not accepted the rules yet: ${files}.`]
}
