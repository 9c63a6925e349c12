/** Computes, from the arguments of a tool call of the host, which files the call reads or changes, and how. */
import { resolve } from 'node:path'
import { bomOf, withoutBom } from '../text/read.ts'
import { type Applied, applyEdit, applyWrite, replacedText } from './edits.ts'
import { applySection, parsePatch, type PatchSection, rewritePatch } from './patch-text.ts'

/** For each range that a call wrote, the formatted text; null to leave the call's own text. */
export type ChangeTexts = Array<string | null>

/** A file that a call reads or changes. */
export type CallTarget = {
  /** The absolute path after the call. */
  path: string
  /** The absolute path before the call. */
  from: string
  /** Applies the call to the file's text, as the host does; returns null if the result is not certain. */
  apply(before: string | null): Applied | null
  /** Returns the arguments to change so that the call writes `texts`: one text for each change that `apply` lists. */
  withTexts(texts: ChangeTexts): Record<string, string>
}

type Args = Record<string, unknown>

/**
 * What a call does to a file, without any formatter. If the host replaced text that is only similar to `oldString`,
 * `args` contains the replaced text as `oldString` (if SAT can find it), and `file` is made from these `args`.
 */
export type Replayed = { applied: Applied | null; args: Args; file: CallTarget }

/** Describes the file of a `read`, `write` or `edit`. `argument` names the text that the call writes, if any. */
const textFile = (path: string, argument: string, apply: CallTarget['apply'], bom = ''): CallTarget => ({
  path,
  from: path,
  apply,
  withTexts: ([text]): Record<string, string> => typeof text === 'string' ? { [argument]: bom + text } : {},
})

/** Lists the files of a patch, each once. */
const patchedFiles = (directory: string, patchText: string): Array<CallTarget> => {
  const files = new Map<string, CallTarget>()
  const isDelete = ({ kind }: PatchSection) => kind === 'delete'
  const sections = parsePatch(patchText)
  // Deletions come last, because a file that another section writes does not count as deleted.
  const deletionsLast = [...sections.filter((section) => !isDelete(section)), ...sections.filter(isDelete)]
  for (const section of deletionsLast) {
    const target = isDelete(section) ? section.path : section.moveTo ?? section.path
    const path = resolve(directory, target)
    // The host applies each section to the original text, so the result of several sections on one file is not certain.
    const isRepeated = files.has(path)
    if (isRepeated && isDelete(section)) continue
    files.set(path, {
      path,
      from: resolve(directory, section.path),
      apply: (before) => isRepeated ? null : applySection(section, before),
      withTexts: (texts) => ({ patchText: rewritePatch(patchText, section, texts) }),
    })
  }
  return [...files.values()]
}

/** Lists the files that a call reads or changes, by its arguments; none for a tool that SAT does not track. */
export const targetsOf = (tool: string, args: Args, directory: string): Array<CallTarget> => {
  const { filePath, content, oldString, newString, replaceAll, patchText } = args
  if (tool === 'apply_patch') return typeof patchText === 'string' ? patchedFiles(directory, patchText) : []
  if (typeof filePath !== 'string') return []
  const path = resolve(directory, filePath)
  if (tool === 'read') return [textFile(path, '', (raw) => raw === null ? null : { raw, changes: [] })]
  if (tool === 'write') {
    if (typeof content !== 'string') return []
    return [textFile(path, 'content', (before) => applyWrite(before, withoutBom(content)), bomOf(content))]
  }
  if (tool !== 'edit' || typeof oldString !== 'string' || typeof newString !== 'string') return []
  const edit = { oldString, newString, replaceAll: replaceAll === true }
  return [textFile(path, 'newString', (before) => applyEdit(before, edit))]
}

/** Finds the file at a path among those of a call. */
export const fileOf = (
  { tool, args, path }: { tool: string; args: Args; path: string },
  directory: string,
): CallTarget | undefined => targetsOf(tool, args, directory).find((file) => file.path === path)

/** Applies a call to its file's text. If `oldString` is not in it, finds by `after` the text that the host replaced. */
export const replayCall = (
  { tool, args, file }: { tool: string; args: Args; file: CallTarget },
  /** Null if there is no file. If the file cannot be read as text, `before` is null, and `after` is undefined. */
  { before, after }: { before: string | null; after: string | null | undefined },
  directory: string,
): Replayed => {
  const { oldString, newString } = args
  const asSent = { applied: file.apply(before), args, file }
  const isEdit = typeof oldString === 'string' && typeof newString === 'string'
  if (asSent.applied || !isEdit) return asSent
  const replaced = typeof after === 'string' ? replacedText(before ?? '', after, newString) : null
  if (replaced === null) return asSent
  const exactArgs = { ...args, oldString: replaced }
  const exactFile = fileOf({ tool, args: exactArgs, path: file.path }, directory) ?? file
  return { applied: exactFile.apply(before), args: exactArgs, file: exactFile }
}
