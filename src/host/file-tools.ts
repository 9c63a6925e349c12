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

/** Lists the files that a patch names; a moved file by both paths. With `isNewOnly`, only added files and new paths. */
const filesOfPatch = (patchText: unknown, isNewOnly: boolean): Array<string> =>
  String(patchText ?? '').split('\n').flatMap((line) => {
    const [, kind, path] = PATCH_HEADER.exec(line.trimEnd()) ?? []
    const name = path ?? PATCH_MOVE.exec(line.trimEnd())?.[1]
    return isNewOnly && kind && kind !== 'Add' ? [] : name?.trim() ?? []
  })

/**
 * Lists the files that a call's arguments name; none if the tool does not work on files.
 *
 * @param isNewOnly whether to list, of a patch, only the files that it adds and the new paths of files that it moves
 */
export const filesOfCall = (tool: string, args: unknown, isNewOnly = false): Array<string> => {
  const { filePath, patchText } = Object(args) as Record<string, unknown>
  if (isPatch(tool)) return filesOfPatch(patchText, isNewOnly)
  return ONE_FILE_TOOLS.has(tool) && typeof filePath === 'string' && filePath !== '' ? [filePath] : []
}

/** Whether an edit has an empty `oldString`: the host then creates a file with the new text. */
const isEditOfNothing = (tool: string, args: unknown): boolean =>
  tool === 'edit' && Object(args).oldString === ''

/** Lists the files that a call may create. */
export const filesToAdd = (tool: string, args: unknown): Array<string> =>
  tool === 'write' || isPatch(tool) || isEditOfNothing(tool, args) ? filesOfCall(tool, args, true) : []
