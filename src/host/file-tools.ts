/** The host's tools that work on files, and how their arguments name them (OpenCode 1.18). */

/** The tools that change files, each in its own way. */
export const WRITING_TOOLS: ReadonlySet<string> = new Set(['write', 'edit', 'apply_patch'])

const ONE_FILE_TOOLS = new Set(['read', 'write', 'edit', 'multiedit'])
const PATCH_TOOLS = new Set(['apply_patch', 'patch'])

/** The head of a section of a patch: what is done, and the file. */
export const PATCH_HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/

/** Where a section of a patch moves its file. */
export const PATCH_MOVE = /^\*\*\* Move to: (.+)$/

/** The files that a patch names, moved ones by both their names. */
const filesOfPatch = (patchText: string): Array<string> =>
  patchText.split('\n').flatMap((line) => {
    const name = PATCH_HEADER.exec(line.trimEnd())?.[2] ?? PATCH_MOVE.exec(line.trimEnd())?.[1]
    return name === undefined ? [] : [name.trim()]
  })

/** Whether a call is one of a patch. */
export const isPatch = (tool: string): boolean => PATCH_TOOLS.has(tool)

/** The files that a call reads or changes, as its arguments name them; none where it is no such call. */
export const filesOfCall = (tool: string, args: Record<string, unknown>): Array<string> => {
  const { filePath, patchText } = args
  if (isPatch(tool)) return typeof patchText === 'string' ? filesOfPatch(patchText) : []
  return ONE_FILE_TOOLS.has(tool) && typeof filePath === 'string' && filePath !== '' ? [filePath] : []
}
