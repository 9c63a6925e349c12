import { resolve } from 'node:path'
import { BYTE_ORDER_MARK } from '../../text/read.ts'
import { type Applied, applyEdit, applyWrite, replacedText } from './edits.ts'
import { applySection, parsePatch, type PatchSection, rewritePatch } from './patch-text.ts'

/** The present text of each change of a call; null for one that the call's arguments cannot hold. */
export type Texts = Array<string | null>

/** One file that a call changes. */
export type ChangedFile = {
  /** Where the file is after the call, absolute, and where it was before it. */
  path: string
  from: string
  /** Applies the call to the file's text before it, as the host does; null where the result is not sure. */
  apply(before: string | null): Applied | null
}

/** A call of one of the host's tools that read or change files. */
export type Call = {
  files: Array<ChangedFile>
  /** Makes the arguments that write other texts into a file, one for each change. */
  withTexts(path: string, texts: Texts): Record<string, string>
}

/** A call on one file, one argument of which holds its text, after the byte-order mark that the model gave it. */
const textCall = (path: string, argument: string, apply: ChangedFile['apply'], mark = ''): Call => ({
  files: [{ path, from: path, apply }],
  withTexts: (_, [text]): Record<string, string> =>
    typeof text === 'string' ? { [argument]: mark + text } : {},
})

const writeCall = (path: string, content: string): Call => {
  const mark = content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  return textCall(path, 'content', (before) => applyWrite(before, content.slice(mark.length)), mark)
}

const patchCall = (directory: string, patchText: string): Call => {
  const sections = parsePatch(patchText).filter(({ kind }) => kind !== 'delete')
  const pathOf = ({ path, moveTo }: PatchSection) => resolve(directory, moveTo ?? path)
  const files = new Map<string, ChangedFile>()
  for (const section of sections) {
    const path = pathOf(section)
    // Of several sections on one file, the host applies each to the original text.
    const isShared = files.has(path)
    const apply = (before: string | null) => isShared ? null : applySection(section, before)
    files.set(path, { path, from: resolve(directory, section.path), apply })
  }
  return {
    files: [...files.values()],
    withTexts: (path, texts): Record<string, string> => {
      const section = sections.find((one) => pathOf(one) === path)
      return section ? { patchText: rewritePatch(patchText, section, texts) } : {}
    },
  }
}

/** Reads a call from its tool and arguments; null where it names no file that SAT knows of. A read changes nothing. */
export const readCall = (tool: string, args: Record<string, unknown>, directory: string): Call | null => {
  const { filePath, content, oldString, newString, replaceAll, patchText } = args
  if (tool === 'apply_patch') return typeof patchText === 'string' ? patchCall(directory, patchText) : null
  if (typeof filePath !== 'string') return null
  const path = resolve(directory, filePath)
  if (tool === 'read') return textCall(path, '', (raw) => raw === null ? null : { raw, changes: [] })
  if (tool === 'write') return typeof content === 'string' ? writeCall(path, content) : null
  if (tool !== 'edit' || typeof oldString !== 'string' || typeof newString !== 'string') return null
  const edit = { oldString, newString, replaceAll: replaceAll === true }
  return textCall(path, 'newString', (before) => applyEdit(before, edit))
}

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
