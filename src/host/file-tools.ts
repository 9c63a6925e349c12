/** The host's tools that work on files, and how their arguments name them (OpenCode 1.18). */

/** The tools that change files, each in its own way. */
export const WRITING_TOOLS: ReadonlySet<string> = new Set(['write', 'edit', 'apply_patch'])

const ONE_FILE_TOOLS = new Set(['read', 'write', 'edit', 'multiedit'])
const PATCH_TOOLS = new Set(['apply_patch', 'patch'])

/** The first line of a section of a patch: `*** Update File: src/a.ts`. */
export const PATCH_HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/

/** The line of a section of a patch that moves its file: `*** Move to: src/b.ts`. */
export const PATCH_MOVE = /^\*\*\* Move to: (.+)$/

/** Lists the files that a patch names, a moved one by its old and its new name. */
const filesOfPatch = (patchText: string): Array<string> =>
  patchText.split('\n').flatMap((line) => {
    const name = PATCH_HEADER.exec(line.trimEnd())?.[2] ?? PATCH_MOVE.exec(line.trimEnd())?.[1]
    return name === undefined ? [] : [name.trim()]
  })

/** Whether a tool applies a patch. */
export const isPatch = (tool: string): boolean => PATCH_TOOLS.has(tool)

/** Lists the files that a call reads or changes, as its arguments name them; none for any other tool. */
export const filesOfCall = (tool: string, args: Record<string, unknown>): Array<string> => {
  const { filePath, patchText } = args
  if (isPatch(tool)) return typeof patchText === 'string' ? filesOfPatch(patchText) : []
  return ONE_FILE_TOOLS.has(tool) && typeof filePath === 'string' && filePath !== '' ? [filePath] : []
}
