import { resolve } from 'node:path'
import { bomOf, withoutBom } from '../text/read.ts'
import { type Applied, applyEdit, applyWrite, replacedText } from './edits.ts'
import { applySection, parsePatch, rewritePatch } from './patch-text.ts'

/** The present text of each change of a call; null for one that the call's arguments cannot hold. */
export type Texts = Array<string | null>

/** One file that a call of the host's tools reads or changes. */
export type ChangedFile = {
  /** Where the file is after the call, absolute, and where it was before it. */
  path: string
  from: string
  /** Applies the call to the file's text before it, as the host does; null where the result is not sure. */
  apply(before: string | null): Applied | null
  /** Makes the arguments with which the call writes other texts into the file, one for each change. */
  withTexts(texts: Texts): Record<string, string>
}

/** The file of a call one argument of which holds the text, after the byte-order mark that the model gave it. */
const textFile = (path: string, argument: string, apply: ChangedFile['apply'], mark = ''): ChangedFile => ({
  path,
  from: path,
  apply,
  withTexts: ([text]): Record<string, string> => typeof text === 'string' ? { [argument]: mark + text } : {},
})

const writtenFile = (path: string, content: string): ChangedFile =>
  textFile(path, 'content', (before) => applyWrite(before, withoutBom(content)), bomOf(content))

const patchedFiles = (directory: string, patchText: string): Array<ChangedFile> => {
  const files = new Map<string, ChangedFile>()
  const sections = parsePatch(patchText)
  for (const section of sections.filter(({ kind }) => kind !== 'delete')) {
    const path = resolve(directory, section.moveTo ?? section.path)
    // Of several sections on one file, the host applies each to the original text.
    const isShared = files.has(path)
    files.set(path, {
      path,
      from: resolve(directory, section.path),
      apply: (before) => isShared ? null : applySection(section, before),
      withTexts: (texts) => ({ patchText: rewritePatch(patchText, section, texts) }),
    })
  }
  for (const section of sections.filter(({ kind }) => kind === 'delete')) {
    const path = resolve(directory, section.path)
    if (!files.has(path)) files.set(path, { path, from: path, apply: () => null, withTexts: () => ({}) })
  }
  return [...files.values()]
}

/** Lists the files of a call from its tool and arguments; none where it names none that SAT knows. A read changes nothing. */
export const readCall = (
  tool: string,
  args: Record<string, unknown>,
  directory: string,
): Array<ChangedFile> => {
  const { filePath, content, oldString, newString, replaceAll, patchText } = args
  if (tool === 'apply_patch') return typeof patchText === 'string' ? patchedFiles(directory, patchText) : []
  if (typeof filePath !== 'string') return []
  const path = resolve(directory, filePath)
  if (tool === 'read') return [textFile(path, '', (raw) => raw === null ? null : { raw, changes: [] })]
  if (tool === 'write') return typeof content === 'string' ? [writtenFile(path, content)] : []
  if (tool !== 'edit' || typeof oldString !== 'string' || typeof newString !== 'string') return []
  const edit = { oldString, newString, replaceAll: replaceAll === true }
  return [textFile(path, 'newString', (before) => applyEdit(before, edit))]
}

/** Gives the file of a call at a path, as `readCall` lists it. */
export const fileOf = (
  { tool, args, path }: { tool: string; args: Record<string, unknown>; path: string },
  directory: string,
): ChangedFile | undefined => readCall(tool, args, directory).find((file) => file.path === path)

/** Gives the arguments of an `edit` whose place the host found in a way of its own with the text that it replaced. */
export const exactArgs = (
  args: Record<string, unknown>,
  before: string,
  after: string,
): Record<string, unknown> => {
  const { oldString, newString } = args
  const isEdit = typeof oldString === 'string' && typeof newString === 'string'
  const replaced = isEdit ? replacedText(before, after, newString) : null
  return replaced === null ? args : { ...args, oldString: replaced }
}
