/** Lists the files that a message part names: a call of the host's or SAT's own tools, or an attachment. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOfCall, filesToCreate, isPatch } from '../host/file-tools.ts'
import { isCompletedCall, type MessagePart, RULES_FIRST } from '../host/message-parts.ts'
import { safe } from '../safe.ts'

type ToolPart = Extract<MessagePart, { type: 'tool' }>
type FilePart = Extract<MessagePart, { type: 'file' }>

// In the metadata of its result, each lists the files that it read or wrote.
const OWN_TOOLS = new Set(['discover-rules', 'rewrite-rules', 'add-rules'])

// A line of a result that names a file is `/p/a.ts` (of glob) or `/p/a.ts:` (of grep). The lookaheads skip messages.
const SEARCHES: Record<string, RegExp> = {
  glob: /^(?![(]|No files found$)(.+)$/,
  grep: /^(?! |Found \d)(.+):$/,
}

// If a list has more files, the model chooses some of them and does not work on the rest.
const MAX_FOUND = 20

const pathsOfPatchedFile = (file: unknown): Array<unknown> => [Object(file).filePath, Object(file).movePath]

const noneIfMany = (files: Array<unknown>): Array<unknown> => files.length > MAX_FOUND ? [] : files

const filesOfTool = ({ tool, state }: ToolPart): Array<unknown> => {
  // SAT refused this call, so that the model first sees the rules which the new files bring in.
  if (state.status === 'error' && state.error.includes(RULES_FIRST)) return filesToCreate(tool, state.input)
  if (state.status !== 'completed') return []
  // Another plugin may have removed the metadata.
  const { files, display } = Object(state.metadata)
  if (Object(display).type === 'directory') return []
  const search = SEARCHES[tool]
  // No flag `m`: `^` and `$` would then match at a lone carriage return inside a line.
  if (search) return noneIfMany(state.output.split('\n').flatMap((line) => search.exec(line)?.[1] ?? []))
  if (OWN_TOOLS.has(tool)) return Array.isArray(files) ? noneIfMany(files) : []
  // The metadata of a patch lists the files that it changed; its arguments only say what it was to do.
  if (isPatch(tool) && Array.isArray(files)) return files.flatMap((file) => pathsOfPatchedFile(file))
  return filesOfCall(tool, state.input)
}

const fileOfUrl = (url: string): string | undefined =>
  url.startsWith('file:') ? safe(() => fileURLToPath(url)).data ?? undefined : undefined

const fileOfAttachment = (
  { mime, url, filename, source }: FilePart,
  worktree: string,
): string | undefined => {
  if (mime === 'application/x-directory') return undefined
  if (url.startsWith('file:')) return fileOfUrl(url)
  // The host names an attachment as the person did, relative to the worktree.
  const name = source && 'path' in source ? source.path : filename
  return name === undefined ? undefined : resolve(worktree, name)
}

/** Lists the files that a part names, as it names them; a model or plugin may have written values of any type. */
export const namedFiles = (part: MessagePart, worktree: string): Array<unknown> => {
  if (part.type === 'tool') return filesOfTool(part)
  return part.type === 'file' ? [fileOfAttachment(part, worktree)] : []
}

/** Lists the files whose text a part contains: those that a call read or wrote, or an attached file. */
export const filesWithContent = (part: MessagePart): Array<string> => {
  if (isCompletedCall(part)) return filesOfCall(part.tool, part.state.input)
  const path = part.type === 'file' && fileOfUrl(part.url)
  return path ? [path] : []
}
