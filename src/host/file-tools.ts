/** Lists the host's tools that work on files, and finds the files named in the arguments of a call. */

export const WRITING_TOOLS: ReadonlySet<string> = new Set(['write', 'edit', 'apply_patch'])

// An older history may contain calls of `multiedit` and `patch`, which OpenCode 1.18 lacks.
const ONE_FILE_TOOLS = new Set(['read', 'write', 'edit', 'multiedit'])
const PATCH_TOOLS = new Set(['apply_patch', 'patch'])

export const PATCH_HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/

export const PATCH_MOVE = /^\*\*\* Move to: (.+)$/

export const isPatch = (tool: string): boolean => PATCH_TOOLS.has(tool)

type NamedFile = { path: string; mayCreate: boolean }

const filesOfPatch = (patchText: unknown): Array<NamedFile> =>
  String(patchText ?? '').split('\n').map((line) => line.trimEnd()).flatMap((line) => {
    const [, kind, path] = PATCH_HEADER.exec(line) ?? ['', 'Move', PATCH_MOVE.exec(line)?.[1]]
    return path === undefined ? [] : [{ path: path.trim(), mayCreate: kind === 'Add' || kind === 'Move' }]
  })

const namedFiles = (tool: string, args: unknown): Array<NamedFile> => {
  const { filePath, oldString, patchText } = Object(args) as Record<string, unknown>
  if (isPatch(tool)) return filesOfPatch(patchText)
  if (!ONE_FILE_TOOLS.has(tool) || typeof filePath !== 'string' || filePath === '') return []
  // An edit without old text creates the file.
  return [{ path: filePath, mayCreate: tool === 'write' || (tool === 'edit' && oldString === '') }]
}

/** Returns an empty list if the tool does not work on files. */
export const filesOfCall = (tool: string, args: unknown): Array<string> =>
  namedFiles(tool, args).map(({ path }) => path)

export const filesToCreate = (tool: string, args: unknown): Array<string> =>
  namedFiles(tool, args).filter(({ mayCreate }) => mayCreate).map(({ path }) => path)
