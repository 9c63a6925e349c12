/** What the stories of format on save share: calls, what the model is shown of them, and the host that formats. */
import { existsSync } from 'node:fs'
import { type Project, type ProjectOptions, type Session, sharedHost, type Turn } from '../harness/host.ts'
import { type Call, callsIn, type ModelRequest } from '../harness/model.ts'

export const write = (project: Project, file: string, content: string): Call => ({
  tool: 'write',
  args: { filePath: project.path(file), content },
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

/** The arguments of the calls that a request shows the model, in order. */
export const argsIn = (request: ModelRequest): Array<Record<string, string>> =>
  callsIn(request).map(({ args }) => args as Record<string, string>)

/** The same of the calls on one file. */
export const argsOn = (request: ModelRequest, file: string): Array<Record<string, string>> =>
  argsIn(request).filter(({ filePath }) => filePath?.endsWith(`/${file}`))

/** What the model was last shown of its own calls, after a turn; with a file, of those on it. */
export const seen = (turn: Turn, file?: string): Array<Record<string, string>> =>
  file === undefined ? argsIn(turn.requests.at(-1)!) : argsOn(turn.requests.at(-1)!, file)

/** The same, of each call only the text that it puts into a file. */
export const seenTexts = (turn: Turn, file?: string): Array<string | undefined> =>
  seen(turn, file).map(({ content, newString }) => content ?? newString)

/** What the calls of a turn on one file answered. */
export const outputsOn = ({ tools, outputs }: Turn, file: string): Array<string> =>
  outputs.filter((_, index) => String(tools[index]!.state.input['filePath']).endsWith(`/${file}`))

/** The arguments of a session's calls as the host has stored them. */
export const stored = async (session: Session): Promise<Array<Record<string, unknown>>> =>
  (await session.messages()).flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool')
    .map(({ state }) => state!.input)

type Started = { project: Project; session: Session }

const projectWith = async (config: Record<string, unknown>, options: ProjectOptions = {}): Promise<Project> =>
  // Undo needs snapshots, and these a repository.
  (await sharedHost()).project({ config, git: config['snapshot'] === true, ...options })

/** A session in a project with its own config. */
export const startWith = async (
  config: Record<string, unknown>,
  options: ProjectOptions = {},
): Promise<Started> => {
  const project = await projectWith(config, options)
  return { project, session: await project.session() }
}

/** Waits until there is a file. */
export const reached = async (project: Project, file: string): Promise<void> => {
  while (!existsSync(project.path(file))) await Bun.sleep(20)
}

/** Stops the running turn of a session, as a person does: not in the moment in which the host stores that a call runs. */
export const abort = async ({ id, project }: Session): Promise<void> => {
  await Bun.sleep(500)
  await project.http('POST', `/session/${id}/abort`)
}

/** Plays a turn that the person stops after its call, while a command runs. */
export const playEnded = async (session: Session, call: Call): Promise<void> => {
  const command = `touch ${session.id}; sleep 30`
  const going = session.turn('go', call, { tool: 'bash', args: { command, description: 'waits' } })
  await reached(session.project, session.id)
  await abort(session)
  await going
}

/** Takes back what the last turn of a session did. */
export const undo = async (session: Session): Promise<void> => {
  const asked = (await session.messages()).findLast(({ info }) => info.role === 'user')!
  await session.project.http('POST', `/session/${session.id}/revert`, { messageID: asked.info.id })
}

const shared = new Map<string, Promise<Project>>()

/** A session in the one project of a config: what each story writes there has names of its own. */
export const startBeside = async (
  config: Record<string, unknown>,
  files: Record<string, string> = {},
): Promise<Started> => {
  const key = JSON.stringify(config)
  if (!shared.has(key)) shared.set(key, projectWith(config))
  const project = await shared.get(key)!
  for (const [path, text] of Object.entries(files)) project.write(path, text)
  return { project, session: await project.session() }
}
