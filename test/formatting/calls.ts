/** The calls that a scripted model makes on files. */
import type { Project } from '../harness/host.ts'
import type { Call } from '../harness/model.ts'

export const write = (project: Project, file: string, content: string): Call => ({
  tool: 'write',
  args: { filePath: project.path(file), content },
})

export const read = (project: Project, file: string): Call => ({
  tool: 'read',
  args: { filePath: project.path(file) },
})

export const edit = (
  project: Project,
  file: string,
  oldString: string,
  newString: string,
  more = {},
): Call => ({
  tool: 'edit',
  args: { filePath: project.path(file), oldString, newString, ...more },
})

/** A call with one patch of these lines. */
export const patch = (...lines: Array<string>): Call => ({
  tool: 'apply_patch',
  args: { patchText: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') },
})
