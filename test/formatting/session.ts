import { eventually } from '../harness/eventually.ts'
import { type Project, type ProjectOptions, type Session, sharedHost, writeInto } from '../harness/host.ts'
import type { Call } from '../harness/model.ts'

const callOn = (tool: string, project: Project, file: string, args: object): Call => ({
  tool,
  args: { filePath: project.path(file), ...args },
})

export const read = (project: Project, file: string): Call => callOn('read', project, file, {})
export const write = (project: Project, file: string, content: string): Call =>
  callOn('write', project, file, { content })
export const edit = (project: Project, file: string, oldString: string, newString: string): Call =>
  callOn('edit', project, file, { oldString, newString })
export const patch = (...lines: Array<string>) => ({
  tool: 'apply_patch',
  args: { patchText: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') },
})
export const bash = (command: string) => ({ tool: 'bash', args: { command, description: 'runs' } })

type Config = Record<string, unknown>

export const startProject = async (config: Config, options: ProjectOptions = {}) => {
  // An undo needs snapshots, and snapshots need a repository.
  const git = config['snapshot'] === true
  const project = (await sharedHost()).project({ config, git, ...options })
  return { project, session: await project.session() }
}

const sharedProjects = new Map<string, Project>()

/** Stories with the same config share a project, so each must use its own file names. */
export const startShared = async (config: Config, files: Record<string, string> = {}, model = 'm') => {
  const host = await sharedHost()
  const key = JSON.stringify(config)
  const project = sharedProjects.get(key) ?? host.project({ config })
  sharedProjects.set(key, project)
  writeInto(project.directory, files)
  const session = await project.session()
  const turn: Session['turn'] = (...played) => session.turnAs({ model }, ...played)
  return { project, session: { ...session, turn } }
}

/** Waits until a file is there and, if `text` is given, has this text. */
export const waitForFile = (project: Project, file: string, text?: string): Promise<string | null> =>
  eventually(
    () => project.read(file).catch(() => null),
    (current) => current !== null && current === (text ?? current),
    `${file} does not exist, or its text is not ${text}`,
  )

export const abort = async ({ id, project }: Session, turn: Promise<unknown>): Promise<void> => {
  // The host must first store the model's calls.
  await Bun.sleep(500)
  await project.http('POST', `/session/${id}/abort`)
  await turn
}

export const undo = async (session: Session): Promise<void> => {
  const message = (await session.messages()).findLast(({ info }) => info.role === 'user')!
  await session.project.http('POST', `/session/${session.id}/revert`, { messageID: message.info.id })
}
