import { relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { contains, type Place } from '../boundary.ts'
import { safe } from '../safe.ts'
import type { EntryPart } from './history.ts'

type ToolPart = Extract<EntryPart, { type: 'tool' }>
type FilePart = Extract<EntryPart, { type: 'file' }>

/** Where a session is: the host's words for it, and the same with links resolved. */
export type Places = { given: Place; real: Place }

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const filesOfPatch = ({ files }: { files?: unknown }, patchText: unknown): Array<unknown> =>
  Array.isArray(files)
    ? files.flatMap((file: unknown) => {
      const { filePath, movePath } = Object(file)
      return [filePath, movePath]
    })
    : isText(patchText)
    ? [...patchText.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)].map((found) =>
      found[1]
    )
    : []

const filesOfTool = ({ tool, state }: ToolPart): Array<unknown> => {
  if (state.status !== 'completed') return []
  const { filePath, patchText } = state.input
  const isFolder = Object(state.metadata['display']).type === 'directory'
  if (['read', 'write', 'edit', 'multiedit'].includes(tool)) return isFolder ? [] : [filePath]
  return tool === 'apply_patch' || tool === 'patch' ? filesOfPatch(state.metadata, patchText) : []
}

// The host names an attachment as the person did, which is relative to the worktree.
const fileOfAttachment = ({ mime, url, filename, source }: FilePart, worktree: string): unknown => {
  if (mime === 'application/x-directory') return undefined
  if (url.startsWith('file:')) return safe(() => fileURLToPath(url)).data
  const name = source && 'path' in source ? source.path : filename
  return name === undefined ? undefined : resolve(worktree, name)
}

/** Whether a part of a message will say no more than it says now. */
export const isSettled = (part: EntryPart): boolean =>
  part.type !== 'tool' || part.state.status === 'completed' || part.state.status === 'error'

/**
 * The files that a part of a message is about: what a tool read, wrote, edited or patched, or what a person attached.
 * They are given relative to the worktree and with `/`; what lies outside of it is left out.
 */
export const touchedFiles = (part: EntryPart, { given, real }: Places): Array<string> => {
  const named = part.type === 'tool'
    ? filesOfTool(part)
    : part.type === 'file'
    ? [fileOfAttachment(part, given.worktree)]
    : []
  return [...new Set(named.filter(isText))].flatMap((name) => {
    const path = resolve(given.directory, name)
    const within = contains(given.directory, path)
      ? resolve(real.directory, relative(given.directory, path))
      : path
    const root = [real.worktree, given.worktree].find((worktree) => contains(worktree, within))
    return root === undefined ? [] : [relative(root, within).split(sep).join('/')]
  })
}
