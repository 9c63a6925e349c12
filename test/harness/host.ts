/**
 * Runs stories in the real OpenCode host. A story creates a project with files, and plays turns: a scripted model makes
 * the calls that the story lists. Then it reads the answers, the stored messages and the requests to the model.
 * Most stories share a host (`sharedHost`); one that needs its own environment or home starts a host (`startHost`).
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillHome, hostEnv, skipPluginInstall, writeInto } from './host-home.ts'
import { startHostProcess } from './host-process.ts'
import type {
  Host,
  HostOptions,
  Message,
  Part,
  Project,
  ProjectOptions,
  Session,
  ToolState,
  Turn,
} from './host-types.ts'
import { type ModelRequest, type ScriptedModel, startModel } from './model.ts'

export { OFFLINE, PATCH_MODEL, writeInto } from './host-home.ts'
export type * from './host-types.ts'

/** The path of the checkout, which is also the plugin. */
export const CHECKOUT = join(import.meta.dirname, '..', '..')

/** Creates the function that calls the host's API for the project in `directory`. */
const apiOf = (url: string, directory: string): Project['http'] => async (method, path, body) => {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', 'x-opencode-directory': encodeURIComponent(directory) },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Returns the answer to a call: its output, or the error that the model reads. */
export const outputOf = ({ state }: { state: ToolState }): string => state.output ?? state.error ?? ''

/** Creates a turn from the messages that the turn added to its session, and from its requests. */
export const toTurn = (added: Array<Message>, requests: Array<ModelRequest>): Turn => {
  const tools = added.flatMap((message) => message.parts)
    .filter((part): part is Part & { state: ToolState } => part.type === 'tool')
  const last = added.findLast((message) => message.info.role === 'assistant')
  return {
    tools,
    outputs: tools.map(outputOf),
    requests,
    text: last?.parts.map((part) => part.type === 'text' ? part.text ?? '' : '').join('') ?? '',
  }
}

/** Returns the session of a project with this id, which already exists in the host. */
const sessionOf = (model: ScriptedModel, project: Project, id: string): Session => {
  const messages = () => project.http<Array<Message>>('GET', `/session/${id}/message`)
  const requests = () => model.requests.filter((request) => request.session === id && request.kind === 'turn')
  const turnAs: Session['turnAs'] = async ({ agent, model: modelID = 'm', parts = [] }, prompt, ...steps) => {
    const requestsBefore = requests().length
    const startTime = Date.now()
    model.script(id, steps)
    await project.http('POST', `/session/${id}/message`, {
      agent,
      model: { providerID: 'fake', modelID },
      parts: [{ type: 'text', text: prompt }, ...parts],
    })
    // A step may be a function of the story: an error that it threw fails the story here.
    model.throwStepError(id)
    const added = (await messages()).filter(({ info }) => info.time.created >= startTime)
    return toTurn(added, requests().slice(requestsBefore))
  }
  return { id, project, messages, requests, turnAs, turn: (prompt, ...steps) => turnAs({}, prompt, ...steps) }
}

/** Creates the members of a project that need only its folder. */
export const folderOf = (directory: string): Pick<Project, 'directory' | 'path' | 'read' | 'write'> => ({
  directory,
  path: (relative) => join(directory, relative),
  read: (relative) => Bun.file(join(directory, relative)).text(),
  write: (relative, text) => writeInto(directory, { [relative]: text }),
})

/** Writes the files of a project into its folder, and makes it a repository if asked. */
export const fillProject = (directory: string, { files = {}, config, git = false }: ProjectOptions): void => {
  writeInto(directory, files)
  // Matches `a/.opencode` in `a/.opencode/rules/b.md`: the host would install packages into each such folder.
  const configFolders = Object.keys(files).flatMap((path) => /^(?:.*\/)?\.opencode(?=\/)/.exec(path) ?? [])
  for (const folder of new Set(configFolders)) skipPluginInstall(join(directory, folder))
  if (config) writeInto(directory, { 'opencode.json': JSON.stringify(config, null, 2) })
  if (!git) return
  const initialized = Bun.spawnSync(['git', 'init', '-q'], { cwd: directory })
  if (!initialized.success) throw new Error(`git init failed: ${initialized.stderr}`)
}

/** Returns the project of a host in an existing folder. */
const projectOf = ({ url, model }: Pick<Host, 'url' | 'model'>, directory: string): Project => {
  const project: Project = {
    ...folderOf(directory),
    http: apiOf(url, directory),
    session: async ({ title = 'A story', ...body } = {}) => {
      // The host asks the model for a title if there is none.
      const options = { ...body, title: title ?? undefined }
      const { id } = await project.http<{ id: string }>('POST', '/session', options)
      return sessionOf(model, project, id)
    },
    resume: (id) => sessionOf(model, project, id),
  }
  return project
}

/** Creates a host with a scripted model. `start` returns the host's address, and the function that ends the host. */
const createHost = async (options: HostOptions, start: typeof startHostProcess): Promise<Host> => {
  const model = startModel()
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sat-host-')))
  const home = options.home ?? join(scratch, 'home')
  fillHome(home, options.plugin ?? [CHECKOUT])
  const env = hostEnv(home, model, options)
  const { url, end } = await start(home, env, scratch)
  const stop = async () => {
    await end()
    model.stop()
  }
  const project = (content: ProjectOptions = {}): Project => {
    const isFresh = content.directory === undefined
    const directory = content.directory ?? realpathSync(mkdtempSync(join(scratch, 'project-')))
    const config = isFresh && options.projectConfig && { ...options.projectConfig, ...content.config }
    fillProject(directory, config ? { ...content, config } : content)
    return projectOf({ url, model }, directory)
  }
  return { url, env, home, model, project, stop }
}

/** Starts a host with its own scripted model and, by default, a fresh home. */
export const startHost = (options: HostOptions = {}): Promise<Host> => createHost(options, startHostProcess)

/** Prepares a host without a process. As for a person, the process starts with the terminal (`openTerminal`). */
export const prepareTerminalHost = (options: HostOptions = {}): Promise<Host> =>
  createHost(options, async (_home, _env, scratch) => {
    // This server only finds a free port, which the terminal then uses.
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const url = server.url.origin
    await server.stop(true)
    return { url, end: async () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }) }
  })

let shared: Promise<Host> | undefined

/**
 * Returns the host that stories share; it ends with the test run. SAT is not in its global config but in that of each
 * project, so a story can replace it there (`plugin`): SAT with options, from another path, or not at all (`[]`).
 */
export const sharedHost = (): Promise<Host> => (shared ??= startHost({
  plugin: [],
  projectConfig: { plugin: [CHECKOUT] },
  // Formatters run in the project's folder, so the ones that it has installed come first.
  env: { PATH: `node_modules/.bin:${process.env['PATH'] ?? ''}` },
}))
