/** Computes, from the arguments of a tool call of the host, which files the call reads or changes, and how. */
import { resolve } from 'node:path'
import { bomOf, withoutBom } from '../text/read.ts'
import { type Applied, applyEdit, applyWrite, replacedText } from './edits.ts'
import { applySection, parsePatch, rewritePatch } from './patch-text.ts'

/** The new text for each of the `changes` in `Applied`, or null to keep the call's own text. */
export type ChangeTexts = Array<string | null>

/** A file that a call reads or changes, with the absolute paths before (`from`) and after the call (`path`). */
export type CallTarget = {
  path: string
  from: string
  /** Applies the call as the host does. `before` is null if there is no file. Returns null if unsure of the result. */
  apply(before: string | null): Applied | null
  /** Returns the changed arguments that make the call write `texts`. */
  withTexts(texts: ChangeTexts): Record<string, string>
}

type Args = Record<string, unknown>

/** `argument` is the name of the argument that contains the new text, or `''` for a `read`. */
const textFile = (path: string, argument: string, apply: CallTarget['apply'], bom = ''): CallTarget => ({
  path,
  from: path,
  apply,
  withTexts: ([text]): Record<string, string> => typeof text === 'string' ? { [argument]: bom + text } : {},
})

const patchedFiles = (directory: string, patchText: string): Array<CallTarget> => {
  const sections = parsePatch(patchText)
  const files = new Map<string, CallTarget>()
  for (const section of sections.filter(({ kind }) => kind !== 'delete')) {
    const path = resolve(directory, section.moveTo ?? section.path)
    // The host applies each section to the original text, so several sections for one file have no certain result.
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

/** Lists the files that a call reads or changes. If SAT does not track the tool, the list is empty. */
export const targetsOf = (tool: string, args: Args, directory: string): Array<CallTarget> => {
  const { filePath, content, oldString, newString, replaceAll, patchText } = args
  if (tool === 'apply_patch') return typeof patchText === 'string' ? patchedFiles(directory, patchText) : []
  if (typeof filePath !== 'string') return []
  const path = resolve(directory, filePath)
  if (tool === 'read') return [textFile(path, '', (raw) => raw === null ? null : { raw, changes: [] })]
  if (tool === 'write' && typeof content === 'string') {
    return [textFile(path, 'content', (before) => applyWrite(before, withoutBom(content)), bomOf(content))]
  }
  if (tool !== 'edit' || typeof oldString !== 'string' || typeof newString !== 'string') return []
  const edit = { oldString, newString, replaceAll: replaceAll === true }
  return [textFile(path, 'newString', (before) => applyEdit(before, edit))]
}

export const fileOf = (
  { tool, args, path }: { tool: string; args: Args; path: string },
  directory: string,
): CallTarget | undefined => targetsOf(tool, args, directory).find((file) => file.path === path)

/** The result of a call for a file, before any formatting. */
export type Replayed = {
  /** Null if the result is not certain. */
  applied: Applied | null
  /** The call's arguments, in which `replayCall` may have corrected `oldString` to the text that the host replaced. */
  args: Args
  file: CallTarget
}

/** Applies a call to `before`. If an `edit` replaced a text that only resembles its `oldString`, finds this text. */
export const replayCall = (
  { tool, args, file }: Pick<Replayed, 'args' | 'file'> & { tool: string },
  before: string | null,
  after: string | null | undefined,
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
