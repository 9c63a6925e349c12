/** Runs stories in the real OpenCode host: in each turn, a scripted model makes the calls that the story lists. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillHome, hostEnv, skipPluginInstall, writeInto } from './host-home.ts'
import { startHostProcess } from './host-process.ts'
import type { Host, HostOptions, Message, Project, ProjectOptions, Session, Turn } from './host-types.ts'
import { type ModelRequest, type ScriptedModel, startModel } from './model.ts'

export { OFFLINE, PATCH_MODEL, writeInto } from './host-home.ts'
export type * from './host-types.ts'

export const CHECKOUT = join(import.meta.dirname, '..', '..')

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

type ToolPart = Turn['tools'][number]

export const outputOf = ({ state }: ToolPart): string => state.output ?? state.error ?? ''

export const toTurn = (added: Array<Message>, requests: Array<ModelRequest>): Turn => {
  const tools = added.flatMap((message) => message.parts)
    .filter((part): part is ToolPart => part.type === 'tool')
  const last = added.findLast((message) => message.info.role === 'assistant')
  return {
    tools,
    outputs: tools.map(outputOf),
    requests,
    text: last?.parts.map((part) => part.type === 'text' ? part.text ?? '' : '').join('') ?? '',
  }
}

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
    model.throwStepError(id)
    const added = (await messages()).filter(({ info }) => info.time.created >= startTime)
    return toTurn(added, requests().slice(requestsBefore))
  }
  return { id, project, messages, requests, turnAs, turn: (prompt, ...steps) => turnAs({}, prompt, ...steps) }
}

export const folderOf = (directory: string): Pick<Project, 'directory' | 'path' | 'read' | 'write'> => ({
  directory,
  path: (relative) => join(directory, relative),
  read: (relative) => Bun.file(join(directory, relative)).text(),
  write: (relative, text) => writeInto(directory, { [relative]: text }),
})

export const fillProject = (directory: string, { files = {}, config, git = false }: ProjectOptions): void => {
  writeInto(directory, files)
  // Otherwise, the host would install packages into each `.opencode` folder.
  const configFolders = Object.keys(files).flatMap((path) => /^(?:.*\/)?\.opencode(?=\/)/.exec(path) ?? [])
  for (const folder of new Set(configFolders)) skipPluginInstall(join(directory, folder))
  if (config) writeInto(directory, { 'opencode.json': JSON.stringify(config, null, 2) })
  if (!git) return
  const initialized = Bun.spawnSync(['git', 'init', '-q'], { cwd: directory })
  if (!initialized.success) throw new Error(`git init failed: ${initialized.stderr}`)
}

const projectOf = ({ url, model }: Pick<Host, 'url' | 'model'>, directory: string): Project => {
  const project: Project = {
    ...folderOf(directory),
    http: apiOf(url, directory),
    session: async ({ title = 'A story', ...body } = {}) => {
      // A title of `null` becomes `undefined`, which JSON omits, so no title is sent.
      const options = { ...body, title: title ?? undefined }
      const { id } = await project.http<{ id: string }>('POST', '/session', options)
      return sessionOf(model, project, id)
    },
    resume: (id) => sessionOf(model, project, id),
  }
  return project
}

const createHost = async (options: HostOptions, start: typeof startHostProcess): Promise<Host> => {
  const model = startModel()
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sat-host-')))
  const home = options.home ?? join(scratch, 'home')
  fillHome(home, options.plugin ?? [CHECKOUT])
  const env = hostEnv(home, model, options.env)
  const { url, end } = await start(home, env, scratch)
  const stop = async () => {
    await end()
    model.stop()
  }
  const project = (content: ProjectOptions = {}): Project => {
    const directory = content.directory ?? realpathSync(mkdtempSync(join(scratch, 'project-')))
    // A folder that the story names may already have a config, so the default config is not added.
    const defaults = content.directory === undefined ? options.projectConfig : undefined
    fillProject(directory, defaults ? { ...content, config: { ...defaults, ...content.config } } : content)
    return projectOf({ url, model }, directory)
  }
  return { url, env, home, model, project, stop, [Symbol.asyncDispose]: stop }
}

/** Starts a separate host for a story that needs its own environment or home. */
export const startHost = (options: HostOptions = {}): Promise<Host> => createHost(options, startHostProcess)

/** Prepares a host without starting its process. `openTerminal` starts the process later. */
export const prepareTerminalHost = (options: HostOptions = {}): Promise<Host> =>
  createHost(options, async (_home, _env, scratch) => {
    // Finds a free port, which the terminal then uses.
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const url = server.url.origin
    await server.stop(true)
    return { url, end: async () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }) }
  })

let shared: Promise<Host> | undefined

/** Returns the host that stories share. Each project's config, not the home's, loads SAT, so a story can omit SAT. */
export const sharedHost = (): Promise<Host> => (shared ??= startHost({
  plugin: [],
  projectConfig: { plugin: [CHECKOUT] },
  env: { PATH: `node_modules/.bin:${process.env['PATH'] ?? ''}` },
}))
