/** The host's tools that work on files, and the arguments that name the files (OpenCode 1.18). */

/** The tools that change files, each in its own way. */
export const WRITING_TOOLS: ReadonlySet<string> = new Set(['write', 'edit', 'apply_patch'])

const ONE_FILE_TOOLS = new Set(['read', 'write', 'edit', 'multiedit'])
const PATCH_TOOLS = new Set(['apply_patch', 'patch'])

/** The first line of a section of a patch: `*** Update File: src/a.ts`. */
export const PATCH_HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/

/** The line of a section of a patch that moves its file: `*** Move to: src/b.ts`. */
export const PATCH_MOVE = /^\*\*\* Move to: (.+)$/

/** Whether a tool applies a patch. */
export const isPatch = (tool: string): boolean => PATCH_TOOLS.has(tool)

/** Lists the files that a patch names; a moved file by both names. With `isAdded`, only the new names. */
const filesOfPatch = (patchText: unknown, isAdded: boolean): Array<string> =>
  String(patchText ?? '').split('\n').flatMap((line) => {
    const [, kind, path] = PATCH_HEADER.exec(line.trimEnd()) ?? []
    const name = path ?? PATCH_MOVE.exec(line.trimEnd())?.[1]
    return isAdded && kind && kind !== 'Add' ? [] : name?.trim() ?? []
  })

/** Lists the files that a call's arguments name; none if the tool does not work on files. */
export const filesOfCall = (tool: string, args: unknown, isAdded = false): Array<string> => {
  const { filePath, patchText } = Object(args) as Record<string, unknown>
  if (isPatch(tool)) return filesOfPatch(patchText, isAdded)
  return ONE_FILE_TOOLS.has(tool) && typeof filePath === 'string' && filePath !== '' ? [filePath] : []
}

/** Whether an edit replaces nothing: the host then creates a file with the new text. */
const isEditOfNothing = (tool: string, args: unknown): boolean =>
  tool === 'edit' && Object(args).oldString === ''

/** Lists the files that a call may create. */
export const filesToAdd = (tool: string, args: unknown): Array<string> =>
  tool === 'write' || isPatch(tool) || isEditOfNothing(tool, args) ? filesOfCall(tool, args, true) : []
