/** What the stories of format on save share: what the model is shown of its calls, and the host that formats. */
import { existsSync } from 'node:fs'
import { eventually } from '../harness/eventually.ts'
import {
  type Part,
  type Project,
  type ProjectOptions,
  type Session,
  sharedHost,
  type Turn,
} from '../harness/host.ts'
import { callsIn, type ModelRequest } from '../harness/model.ts'

export { edit, write } from './calls.ts'

/** The arguments of the calls that a request shows the model, in order; with a file, of those on it. */
export const argsIn = (request: ModelRequest, file = ''): Array<Record<string, string>> =>
  callsIn(request).map(({ args }) => args as Record<string, string>)
    .filter(({ filePath }) => file === '' || filePath?.endsWith(`/${file}`))

/** What the model was last shown of its own calls, after a turn. */
export const seen = (turn: Pick<Turn, 'requests'>, file?: string): Array<Record<string, string>> =>
  argsIn(turn.requests.at(-1)!, file)

/** The same, of each call only the text that it puts into a file. */
export const seenTexts = (turn: Pick<Turn, 'requests'>, file?: string): Array<string | undefined> =>
  seen(turn, file).map(({ content, newString }) => content ?? newString)

/** The words of a result below the host's own. */
export const noteBelow = (output: string): string => output.split('\n\n').slice(1).join('\n\n')

/** The changed lines of the diff that the person sees of each call. */
export const diffsOf = ({ tools }: Pick<Turn, 'tools'>): Array<Array<string>> =>
  tools.map(({ state }) => String(state.metadata!['diff']).match(/^[+-](?![+-]).*/gm) ?? [])

/** A session's calls as the host has stored them. */
export const callsOf = async (session: Pick<Session, 'messages'>): Promise<Array<Part>> =>
  (await session.messages()).flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool')

/** Their arguments. */
export const stored = async (session: Pick<Session, 'messages'>): Promise<Array<Record<string, unknown>>> =>
  (await callsOf(session)).map(({ state }) => state!.input)

const projectWith = async (config: Record<string, unknown>, options: ProjectOptions = {}): Promise<Project> =>
  // Undo needs snapshots, and these a repository.
  (await sharedHost()).project({ config, git: config['snapshot'] === true, ...options })

/** A session in a project with its own config. */
export const startWith = async (
  config: Record<string, unknown>,
  options: ProjectOptions = {},
): Promise<{ project: Project; session: Session }> => {
  const project = await projectWith(config, options)
  return { project, session: await project.session() }
}

/** Waits until there is a file. */
export const reached = (project: Project, file: string): Promise<boolean> =>
  eventually(() => existsSync(project.path(file)), (isThere) => isThere, `There is no ${file}`)

/** Waits until a file has a text. */
export const says = (project: Project, file: string, text: string): Promise<string> =>
  eventually(() => project.read(file), (now) => now === text, `${file} does not say ${text}`)

/** Stops the running turn of a session, as a person does: not in the moment in which the host stores that a call runs. */
export const abort = async ({ id, project }: Session): Promise<void> => {
  await Bun.sleep(500)
  await project.http('POST', `/session/${id}/abort`)
}

/** Takes back what the last turn of a session did. */
export const undo = async (session: Session): Promise<void> => {
  const asked = (await session.messages()).findLast(({ info }) => info.role === 'user')!
  await session.project.http('POST', `/session/${session.id}/revert`, { messageID: asked.info.id })
}

const projects = new Map<string, Promise<Project>>()

/** A session of a model in the one project of a config: what each story writes there has names of its own. */
export const startBeside = async (
  config: Record<string, unknown>,
  files: Record<string, string> = {},
  model = 'm',
): Promise<{ project: Project; session: Session }> => {
  const key = JSON.stringify(config)
  if (!projects.has(key)) projects.set(key, projectWith(config))
  const project = await projects.get(key)!
  for (const [path, text] of Object.entries(files)) project.write(path, text)
  const session = await project.session()
  return { project, session: { ...session, turn: (...told) => session.turnAs({ model }, ...told) } }
}
