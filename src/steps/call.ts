/** Computes, from the arguments of a tool call of the host, which files the call reads or changes, and how. */
import { resolve } from 'node:path'
import { bomOf, withoutBom } from '../text/read.ts'
import { type Applied, applyEdit, applyWrite, replacedText } from './edits.ts'
import { applySection, parsePatch, rewritePatch } from './patch-text.ts'

/** The texts that a call is to write, one for each change that `apply` lists. Null keeps the call's own text. */
export type ChangeTexts = Array<string | null>

/** A file that a call reads or changes. Both paths are absolute; they differ only if a patch moves the file. */
export type CallTarget = {
  /** The path after the call. */
  path: string
  /** The path before the call. */
  from: string
  /** Applies the call to the file's text (null: no file) as the host does; returns null if the result is uncertain. */
  apply(before: string | null): Applied | null
  /** Returns the changed arguments with which the call writes `texts`. */
  withTexts(texts: ChangeTexts): Record<string, string>
}

type Args = Record<string, unknown>

/** Describes the file of a `read`, `write` or `edit`. `argument` is the key of the new text: `''` for a `read`. */
const textFile = (path: string, argument: string, apply: CallTarget['apply'], bom = ''): CallTarget => ({
  path,
  from: path,
  apply,
  withTexts: ([text]): Record<string, string> => typeof text === 'string' ? { [argument]: bom + text } : {},
})

/** Lists each file of a patch once. If one section writes a file and another deletes it, it counts as written. */
const patchedFiles = (directory: string, patchText: string): Array<CallTarget> => {
  const sections = parsePatch(patchText)
  const files = new Map<string, CallTarget>()
  for (const section of sections.filter(({ kind }) => kind !== 'delete')) {
    const path = resolve(directory, section.moveTo ?? section.path)
    // The host applies each section to the original text, so the result of several sections on one file is not certain.
    const isRepeated = files.has(path)
    files.set(path, {
      path,
      from: resolve(directory, section.path),
      apply: (before) => isRepeated ? null : applySection(section, before),
      withTexts: (texts) => ({ patchText: rewritePatch(patchText, section, texts) }),
    })
  }
  for (const deletion of sections.filter(({ kind }) => kind === 'delete')) {
    const path = resolve(directory, deletion.path)
    if (!files.has(path)) files.set(path, { path, from: path, apply: () => null, withTexts: () => ({}) })
  }
  return [...files.values()]
}

/** Lists the files that a call reads or changes. Returns an empty list for a tool that SAT does not track. */
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

/** Finds the file at a path among the files of a call. */
export const fileOf = (
  { tool, args, path }: { tool: string; args: Args; path: string },
  directory: string,
): CallTarget | undefined => targetsOf(tool, args, directory).find((file) => file.path === path)

/** The result of a call for a file, before any formatting. */
export type Replayed = {
  /** Null if the result is not certain. */
  applied: Applied | null
  /** The arguments of the call; in an `edit`, `oldString` is the text that the host replaced, if SAT can find it. */
  args: Args
  /** The call's file, computed from `args`. */
  file: CallTarget
}

/** Null stands for a missing file. If a file cannot be read as text, `before` is null and `after` is undefined. */
type Texts = { before: string | null; after: string | null | undefined }

/**
 * Applies a call to its file's text. If the `oldString` of an `edit` is not in the file, the host may have
 * replaced similar text. Then finds that text by comparing `before` with `after`, and applies the edit to it.
 */
export const replayCall = (
  { tool, args, file }: { tool: string; args: Args; file: CallTarget },
  { before, after }: Texts,
  directory: string,
): Replayed => {
  const asSent = { applied: file.apply(before), args, file }
  const { oldString, newString } = args
  const isEdit = typeof oldString === 'string' && typeof newString === 'string'
  if (asSent.applied || !isEdit || typeof after !== 'string') return asSent
  const replaced = replacedText(before ?? '', after, newString)
  if (replaced === null) return asSent
  const exactArgs = { ...args, oldString: replaced }
  const exactFile = fileOf({ tool, args: exactArgs, path: file.path }, directory) ?? file
  return { applied: exactFile.apply(before), args: exactArgs, file: exactFile }
}
