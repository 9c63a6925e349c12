/** The host's tools that work on files, and the arguments that name the files (OpenCode 1.18). */

/** The tools that change files. */
export const WRITING_TOOLS: ReadonlySet<string> = new Set(['write', 'edit', 'apply_patch'])

const ONE_FILE_TOOLS = new Set(['read', 'write', 'edit', 'multiedit'])
const PATCH_TOOLS = new Set(['apply_patch', 'patch'])

/** Matches the first line of a section of a patch: `*** Update File: src/a.ts`. */
export const PATCH_HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/

/** Matches the line of a section that moves its file: `*** Move to: src/b.ts`. */
export const PATCH_MOVE = /^\*\*\* Move to: (.+)$/

/** Whether a tool applies a patch. */
export const isPatch = (tool: string): boolean => PATCH_TOOLS.has(tool)

/** A file that a call names, and whether the call may create it. */
type NamedFile = { path: string; isNew: boolean }

/** Lists the files that a patch names; a moved file by both paths. */
const filesOfPatch = (patchText: unknown): Array<NamedFile> =>
  String(patchText ?? '').split('\n').flatMap((line) => {
    const [, kind, path] = PATCH_HEADER.exec(line.trimEnd()) ?? []
    const newPath = kind === 'Add' ? path : PATCH_MOVE.exec(line.trimEnd())?.[1]
    const name = newPath ?? path
    return name === undefined ? [] : [{ path: name.trim(), isNew: newPath !== undefined }]
  })

const namedFiles = (tool: string, args: unknown): Array<NamedFile> => {
  const { filePath, oldString, patchText } = Object(args) as Record<string, unknown>
  if (isPatch(tool)) return filesOfPatch(patchText)
  if (!ONE_FILE_TOOLS.has(tool) || typeof filePath !== 'string' || filePath === '') return []
  // If `oldString` is empty, the host creates the file.
  return [{ path: filePath, isNew: tool === 'write' || (tool === 'edit' && oldString === '') }]
}

/** Lists the files that a call's arguments name; none if the tool does not work on files. */
export const filesOfCall = (tool: string, args: unknown): Array<string> =>
  namedFiles(tool, args).map(({ path }) => path)

/** Lists the files that a call may create. */
export const filesToAdd = (tool: string, args: unknown): Array<string> =>
  namedFiles(tool, args).filter(({ isNew }) => isNew).map(({ path }) => path)
