/** Lists the files that a message part (an attachment or a tool call) names. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOfCall, filesToCreate, isPatch } from '../host/file-tools.ts'
import { type CompletedCall, isCompletedCall, type MessagePart, RULES_FIRST } from '../host/message-parts.ts'
import { safe } from '../safe.ts'

type FilePart = Extract<MessagePart, { type: 'file' }>

// These tools list their files in the metadata of their results.
const OWN_TOOLS = new Set(['discover-rules', 'rewrite-rules', 'add-rules'])

const FOUND_FILE: Record<string, RegExp> = {
  // Matches `/p/a.ts`, but not `No files found` or a message in parentheses.
  glob: /^(?![(]|No files found$)(.+)$/,
  // Matches `/p/a.ts:`, but not `Found 2 matches:` or an indented match.
  grep: /^(?! |Found \d)(.+):$/,
}

const MAX_FOUND = 20

const noneIfMany = (files: Array<unknown>): Array<unknown> => files.length > MAX_FOUND ? [] : files

const filesOfCompleted = ({ tool, state }: CompletedCall): Array<unknown> => {
  // Another plugin may have removed the metadata.
  const { files, display } = Object(state.metadata)
  const isReadOfFolder = Object(display).type === 'directory'
  if (isReadOfFolder) return []
  const found = FOUND_FILE[tool]
  // With the flag `m`, `^` and `$` would also match at a lone carriage return.
  if (found) return noneIfMany(state.output.split('\n').flatMap((line) => found.exec(line)?.[1] ?? []))
  if (OWN_TOOLS.has(tool)) return Array.isArray(files) ? noneIfMany(files) : []
  // The arguments of a patch list only the planned changes.
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
  // The name is the path that the person gave, relative to the worktree.
  const name = source && 'path' in source ? source.path : filename
  return name === undefined ? undefined : resolve(worktree, name)
}

/** Returns values of any type, because a model or plugin may have written them. */
export const namedFiles = (part: MessagePart, worktree: string): Array<unknown> => {
  if (part.type === 'file') return [fileOfAttachment(part, worktree)]
  if (isCompletedCall(part)) return filesOfCompleted(part)
  // Until the model has seen the rules for new files, SAT refuses the call that creates these files.
  const isRefused = part.type === 'tool' && part.state.status === 'error'
    && part.state.error.includes(RULES_FIRST)
  return isRefused ? filesToCreate(part.tool, part.state.input) : []
}

export const filesWithContent = (part: MessagePart): Array<string> => {
  if (isCompletedCall(part)) return filesOfCall(part.tool, part.state.input)
  const path = part.type === 'file' && fileOfUrl(part.url)
  return path ? [path] : []
}
