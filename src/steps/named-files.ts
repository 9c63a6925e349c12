/** Lists the files that a message part names. The part is an attachment or a tool call. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOfCall, filesToCreate, isPatch } from '../host/file-tools.ts'
import { type CompletedCall, isCompletedCall, type MessagePart, RULES_FIRST } from '../host/message-parts.ts'
import { safe } from '../safe.ts'

type FilePart = Extract<MessagePart, { type: 'file' }>

// SAT's own tools that list, in the metadata of their results, the files that they read or wrote.
const OWN_TOOLS = new Set(['discover-rules', 'rewrite-rules', 'add-rules'])

// Maps a search tool to the pattern of a result line that names a file.
const FOUND_FILE: Record<string, RegExp> = {
  // Matches `/p/a.ts`, but not `No files found` or a message in parentheses.
  glob: /^(?![(]|No files found$)(.+)$/,
  // Matches `/p/a.ts:`, but not `Found 2 matches:` or an indented match.
  grep: /^(?! |Found \d)(.+):$/,
}

// A list of more files is ignored, because the model works on only some of them.
const MAX_FOUND = 20

const noneIfMany = (files: Array<unknown>): Array<unknown> => files.length > MAX_FOUND ? [] : files

const filesOfCompleted = ({ tool, state }: CompletedCall): Array<unknown> => {
  // Another plugin may have removed the metadata.
  const { files, display } = Object(state.metadata)
  const isReadOfFolder = Object(display).type === 'directory'
  if (isReadOfFolder) return []
  const found = FOUND_FILE[tool]
  // Splits the output, because the flag `m` would let `^` and `$` match at a lone carriage return inside a line.
  if (found) return noneIfMany(state.output.split('\n').flatMap((line) => found.exec(line)?.[1] ?? []))
  if (OWN_TOOLS.has(tool)) return Array.isArray(files) ? noneIfMany(files) : []
  // The metadata of a patch lists the changed files. The arguments list only the planned changes.
  if (isPatch(tool) && Array.isArray(files)) {
    return files.flatMap((file) => [Object(file).filePath, Object(file).movePath])
  }
  return filesOfCall(tool, state.input)
}

const fileOfUrl = (url: string): string | undefined =>
  url.startsWith('file:') ? safe(() => fileURLToPath(url)).data ?? undefined : undefined

const fileOfAttachment = (part: FilePart, worktree: string): string | undefined => {
  const { mime, url, filename, source } = part
  if (mime === 'application/x-directory') return undefined
  if (url.startsWith('file:')) return fileOfUrl(url)
  // The name of an attachment is the path that the person gave, relative to the worktree.
  const name = source && 'path' in source ? source.path : filename
  return name === undefined ? undefined : resolve(worktree, name)
}

/** Lists the files that a part names. The values may have any type, because a model or plugin may have written them. */
export const namedFiles = (part: MessagePart, worktree: string): Array<unknown> => {
  if (part.type === 'file') return [fileOfAttachment(part, worktree)]
  if (isCompletedCall(part)) return filesOfCompleted(part)
  // SAT refused this call, so that the model first sees the rules for the files that the call is to create.
  const isRefused = part.type === 'tool' && part.state.status === 'error'
    && part.state.error.includes(RULES_FIRST)
  return isRefused ? filesToCreate(part.tool, part.state.input) : []
}

/** Lists the files whose text a part contains: the files that a call read or wrote, or an attached file. */
export const filesWithContent = (part: MessagePart): Array<string> => {
  if (isCompletedCall(part)) return filesOfCall(part.tool, part.state.input)
  const path = part.type === 'file' && fileOfUrl(part.url)
  return path ? [path] : []
}
