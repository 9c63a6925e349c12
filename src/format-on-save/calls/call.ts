import { resolve } from 'node:path'
import { BYTE_ORDER_MARK } from '../../text/read.ts'
import { applySection, parsePatch, type PatchSection, rewritePatch } from './apply-patch.ts'
import { type Applied, applyEdit, applyWrite, type Edit, locateEdit } from './edits.ts'

/** The present text of each change of a call; null for one that the call's arguments cannot hold. */
export type Texts = Array<string | null>

/** One file that a call changes. */
export type ChangedFile = {
  /** Where the file is after the call, absolute, and where it was before it. */
  path: string
  from: string
  /** Applies the call to the file's text before it, as the host does; null where the result is not sure. */
  apply(before: string | null): Applied | null
  /** Finds the changes in the file after the call, where the host applied it differently; null where they are not sure. */
  locate?(before: string, raw: string): Applied | null
}

/** A call of one of the host's tools that change files. */
export type Call = {
  files: Array<ChangedFile>
  /** Makes the arguments that produce the present files, from the texts of each file, by its path. */
  withTexts(texts: Map<string, Texts>): Record<string, string>
}

/** A call on one file, with one argument that holds its text. */
const textCall = (file: ChangedFile, argument: string, mark = ''): Call => ({
  files: [file],
  withTexts: (texts): Record<string, string> => {
    const text = texts.get(file.path)?.[0]
    return typeof text === 'string' ? { [argument]: mark + text } : {}
  },
})

const writeCall = (path: string, content: string): Call => {
  const mark = content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const apply = (before: string | null) => applyWrite(before, content.slice(mark.length))
  return textCall({ path, from: path, apply }, 'content', mark)
}

const editCall = (path: string, edit: Edit): Call => {
  const apply = (before: string | null) => applyEdit(before, edit)
  const locate = (before: string, raw: string) =>
    edit.replaceAll ? null : locateEdit(before, raw, edit.newString)
  return textCall({ path, from: path, apply, locate }, 'newString')
}

const pathAfter = (directory: string, { path, moveTo }: PatchSection): string =>
  resolve(directory, moveTo ?? path)

const patchedFile = (directory: string, section: PatchSection): ChangedFile => ({
  path: pathAfter(directory, section),
  from: resolve(directory, section.path),
  apply: (before) => applySection(section, before),
})

const patchCall = (directory: string, patchText: string): Call => {
  const sections = parsePatch(patchText).filter(({ kind }) => kind !== 'delete')
  const files = new Map<string, ChangedFile>()
  for (const section of sections) {
    const file = patchedFile(directory, section)
    // Of several sections on one file, the host applies each to the original text.
    const isShared = files.has(file.path)
    files.set(file.path, isShared ? { ...file, apply: () => null } : file)
  }
  return {
    files: [...files.values()],
    withTexts: (texts) => {
      const changed = sections.flatMap((section) => {
        const now = texts.get(pathAfter(directory, section))
        return now ? [{ section, texts: now }] : []
      })
      return { patchText: rewritePatch(patchText, changed) }
    },
  }
}

/** Reads a call from its tool and arguments; null where it changes no file that SAT knows of. */
export const readCall = (tool: string, args: Record<string, unknown>, directory: string): Call | null => {
  const { filePath, content, oldString, newString, replaceAll, patchText } = args
  if (tool === 'apply_patch') return typeof patchText === 'string' ? patchCall(directory, patchText) : null
  if (typeof filePath !== 'string') return null
  const path = resolve(directory, filePath)
  if (tool === 'write') return typeof content === 'string' ? writeCall(path, content) : null
  if (tool !== 'edit' || typeof oldString !== 'string' || typeof newString !== 'string') return null
  return editCall(path, { oldString, newString, replaceAll: replaceAll === true })
}
