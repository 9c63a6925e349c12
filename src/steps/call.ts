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
  /** Returns the changed arguments with which the call writes `texts` instead: one text for each change of `apply`. */
  withTexts(texts: ChangeTexts): Record<string, string>
}

type Args = Record<string, unknown>

/**
 * A call, applied to its file as if no formatter ran. `args` are those sent; but if their `oldString` is not in the
 * file, it is the text that the host really replaced, if that is known.
 */
export type Replayed = { applied: Applied | null; args: Args; file: CallTarget }

/** Describes the file of a `read`, `write` or `edit`. `argument` names the text that the call writes, if any. */
const textFile = (path: string, argument: string, apply: CallTarget['apply'], bom = ''): CallTarget => ({
  path,
  from: path,
  apply,
  withTexts: ([text]): Record<string, string> => typeof text === 'string' ? { [argument]: bom + text } : {},
})

/** Lists the files of a patch, the deleted ones last; a file that is also written does not count as deleted. */
const patchedFiles = (directory: string, patchText: string): Array<CallTarget> => {
  const files = new Map<string, CallTarget>()
  const isDelete = ({ kind }: PatchSection) => kind === 'delete'
  const sections = parsePatch(patchText)
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

/** Applies a call to its file's text. If `oldString` is not there, derives from `after` what the host replaced. */
export const replayCall = (
  { tool, args, file }: { tool: string; args: Args; file: CallTarget },
  /** Null if there is no file. If the file cannot be read as text, `before` is null, and `after` is undefined. */
  texts: { before: string | null; after: string | null | undefined },
  directory: string,
): Replayed => {
  const { before, after } = texts
  const { oldString, newString } = args
  const applied = file.apply(before)
  const asSent = { applied, args, file }
  if (applied || typeof oldString !== 'string' || typeof newString !== 'string') return asSent
  const replaced = typeof after === 'string' ? replacedText(before ?? '', after, newString) : null
  if (replaced === null) return asSent
  const exactArgs = { ...args, oldString: replaced }
  const exactFile = fileOf({ tool, args: exactArgs, path: file.path }, directory) ?? file
  return { applied: exactFile.apply(before), args: exactArgs, file: exactFile }
}
