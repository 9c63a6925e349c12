/**
 * Runs stories in the real OpenCode host with a scripted model: a story starts a project with files, plays turns of
 * tool calls, and reads the answers of the tools, the session, and the requests to the model.
 *
 * Most stories share one host (`sharedHost`). A story that needs an environment or a home of its own starts a host
 * (`startHost`) and stops it.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startHostProcess } from './host-process.ts'
import { type ModelRequest, type ScriptedModel, startModel, type Step } from './model.ts'

/** The path of the checkout, which is also the plugin. */
export const CHECKOUT = join(import.meta.dirname, '..', '..')

type HostOptions = {
  /** The plugins of the host's global config; default: the checkout. */
  plugin?: Array<unknown>
  /** The config of each fresh project; a key in the project's own config replaces the key here. */
  projectConfig?: Record<string, unknown>
  /** Additional environment variables. */
  env?: Record<string, string>
  /** The home folder, if a host is to start again in the same one; default: a fresh folder. */
  home?: string
}

export type Host = {
  url: string
  /** The host's environment, for programs that share its home and model. */
  env: Record<string, string>
  /** The host's home folder; `config`, `data`, `state` and `cache` in it are its XDG folders. */
  home: string
  model: ScriptedModel
  project(options?: ProjectOptions): Project
  stop(): Promise<void>
}

export type ProjectOptions = {
  /** The contents of files, by their paths in the project. */
  files?: Record<string, string | Uint8Array>
  /** The project's `opencode.json`. */
  config?: Record<string, unknown>
  /** Whether the folder is a git repository. Then the host calls git twenty times, which takes as long as a turn. */
  git?: boolean
  /** An existing folder instead of a fresh one. */
  directory?: string
}

export type Project = {
  directory: string
  path(relative: string): string
  read(relative: string): Promise<string>
  write(relative: string, text: string | Uint8Array): void
  /** Creates a session with the title `A story`, or another one. With `null`, the host asks the model for a title. */
  session(options?: { parentID?: string; title?: string | null }): Promise<Session>
  /** Returns an existing session by its id, after a restart or a fork. */
  resume(id: string): Session
  http<T = unknown>(method: string, path: string, body?: unknown): Promise<T>
}

type ToolState = {
  status: 'pending' | 'running' | 'completed' | 'error'
  input: Record<string, unknown>
  output?: string
  error?: string
  title?: string
  metadata?: Record<string, unknown>
}

export type Part = {
  id: string
  messageID: string
  type: string
  text?: string
  synthetic?: boolean
  metadata?: Record<string, unknown>
  tool?: string
  callID?: string
  state?: ToolState
}

export type Message = {
  info: {
    id: string
    role: 'user' | 'assistant'
    /** Milliseconds since 1970. */
    time: { created: number }
    agent?: string
    model?: { providerID: string; modelID: string; variant?: string }
  }
  parts: Array<Part>
}

export type Turn = {
  /** The tool parts of this turn, in the order of the calls. */
  tools: Array<Part & { state: ToolState }>
  /** The answer to each call: its output, or the error that the model reads. */
  outputs: Array<string>
  /** The requests of this turn, without those of the host for titles and summaries. */
  requests: Array<ModelRequest>
  /** The last text of the model. */
  text: string
}

export type Session = {
  id: string
  project: Project
  /** Sends `prompt` and plays `steps`; resolves at the end of the turn. */
  turn(prompt: string, ...steps: Array<Step>): Promise<Turn>
  /** Like `turn`, with another agent or model than the default ones, or with further parts of the message. */
  turnAs(
    options: { agent?: string; model?: string; parts?: Array<Record<string, unknown>> },
    prompt: string,
    ...steps: Array<Step>
  ): Promise<Turn>
  messages(): Promise<Array<Message>>
  /** The requests of all turns of this session. */
  requests(): Array<ModelRequest>
}

const HOST_VERSION =
  (createRequire(import.meta.url)('opencode-ai/package.json') as { version: string }).version

/** The names of the model. To `gpt-5.2`, the host offers `apply_patch` instead of `edit` and `write`. */
const MODELS = ['m', 'gpt-5.2']

const hostConfig = (model: ScriptedModel) => ({
  model: 'fake/m',
  small_model: 'fake/m',
  share: 'disabled',
  autoupdate: false,
  provider: {
    fake: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: model.url, apiKey: 'none' },
      models: Object.fromEntries(
        MODELS.map((name) => [name, { name, tool_call: true, limit: { context: 200_000, output: 8_000 } }]),
      ),
    },
  },
})

/** Makes every registry unreachable, without retries: no test may need a download. */
export const OFFLINE = {
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_fetch_retries: '0',
  npm_config_audit: 'false',
}

/** Creates the environment of a host, which contains nothing of the person who runs the test. */
const hostEnv = (home: string, model: ScriptedModel, options: HostOptions): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_DATA_HOME: join(home, 'data'),
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CACHE_HOME: join(home, 'cache'),
  // The host unpacks native libraries there, 5 MB at each start.
  TMPDIR: join(home, 'tmp'),
  TMP: join(home, 'tmp'),
  TEMP: join(home, 'tmp'),
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  // Without this list, the host reads its built-in list of all providers for every project: two seconds.
  OPENCODE_MODELS_PATH: join(home, 'models.json'),
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  // The host would search each project and its parent folders for skills of other agents.
  OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
  // The host's index of file names watches each project as long as the host lives. Linux allows a user 128 watchers; if
  // none is left, the first turn of the next host waits forever.
  OPENCODE_DISABLE_FFF: '1',
  // Little code runs often enough in a story to be worth optimizing.
  BUN_JSC_useFTLJIT: '0',
  BUN_JSC_useConcurrentGC: '0',
  BUN_JSC_numberOfGCMarkers: '1',
  ...OFFLINE,
  OPENCODE_CONFIG_CONTENT: JSON.stringify(hostConfig(model)),
  ...options.env,
})

/** Writes files into a folder, by their paths in it. */
export const writeInto = (directory: string, files: Record<string, string | Uint8Array>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
}

/**
 * Makes a config folder look as if the plugins' SDK were installed in it. Otherwise, the host would install the SDK with
 * npm before the first session, which takes ten seconds or more. SAT does not need the SDK.
 */
const skipPluginInstall = (configFolder: string): void => {
  const dependencies = { '@opencode-ai/plugin': HOST_VERSION }
  writeInto(configFolder, {
    'package.json': JSON.stringify({ dependencies }),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: { '': { dependencies } } }),
    '.gitignore': 'node_modules\npackage.json\npackage-lock.json\n.gitignore\n',
  })
  mkdirSync(join(configFolder, 'node_modules'), { recursive: true })
}

/** Returns the function that calls the host's API for the project in a directory. */
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

/** Creates a turn from the messages that it added to its session, and from its requests. */
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

/** Returns the session of a project by its id. */
const sessionOf = (model: ScriptedModel, project: Project, id: string): Session => {
  const messages = () => project.http<Array<Message>>('GET', `/session/${id}/message`)
  const requests = () => model.requests.filter((request) => request.session === id && request.kind === 'turn')
  const turnAs: Session['turnAs'] = async ({ agent, model: modelID = 'm', parts = [] }, prompt, ...steps) => {
    const requestCount = requests().length
    const start = Date.now()
    model.script(id, steps)
    await project.http('POST', `/session/${id}/message`, {
      agent,
      model: { providerID: 'fake', modelID },
      parts: [{ type: 'text', text: prompt }, ...parts],
    })
    model.throwStepError(id)
    const added = (await messages()).filter(({ info }) => info.time.created >= start)
    return toTurn(added, requests().slice(requestCount))
  }
  return { id, project, messages, requests, turnAs, turn: (prompt, ...steps) => turnAs({}, prompt, ...steps) }
}

/** Creates the members of a project that concern its files. */
export const folderOf = (directory: string): Pick<Project, 'directory' | 'path' | 'read' | 'write'> => ({
  directory,
  path: (relative) => join(directory, relative),
  read: (relative) => Bun.file(join(directory, relative)).text(),
  write: (relative, text) => writeInto(directory, { [relative]: text }),
})

/** Writes the files of a project into its folder, and makes it a repository if asked. */
export const fillProject = (directory: string, { files = {}, config, git = false }: ProjectOptions): void => {
  writeInto(directory, files)
  // Matches `a/.opencode` in `a/.opencode/rules/b.md`.
  const configFolders = Object.keys(files).flatMap((path) => /^(?:.*\/)?\.opencode(?=\/)/.exec(path) ?? [])
  for (const folder of new Set(configFolders)) skipPluginInstall(join(directory, folder))
  if (config) writeInto(directory, { 'opencode.json': JSON.stringify(config, null, 2) })
  if (!git) return
  const initialized = Bun.spawnSync(['git', 'init', '-q'], { cwd: directory })
  if (!initialized.success) throw new Error(`git init failed: ${initialized.stderr}`)
}

/** Writes the config of a host into its home. */
const fillHome = (home: string, plugin: Array<unknown>): void => {
  skipPluginInstall(join(home, 'config', 'opencode'))
  writeInto(home, {
    // Defaults that a project's own config may change. Git snapshots for undo take half of a turn's time; a story about
    // undo turns them on.
    'config/opencode/opencode.json': JSON.stringify({ plugin, snapshot: false }),
    'models.json': '{}',
    'tmp/.keep': '',
    // The screen would draw an animation sixty times a second.
    'state/opencode/kv.json': JSON.stringify({ animations_enabled: false }),
  })
}

/** Creates a host with a scripted model. `start` starts the process, or only chooses its address. */
const createHost = async (options: HostOptions, start: typeof startHostProcess): Promise<Host> => {
  const model = startModel()
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sat-host-')))
  const home = options.home ?? join(scratch, 'home')
  fillHome(home, options.plugin ?? [CHECKOUT])
  const env = hostEnv(home, model, options)
  const { url, end } = await start(home, env, scratch)
  const createProject = (projectOptions: ProjectOptions = {}): Project => {
    const directory = projectOptions.directory ?? realpathSync(mkdtempSync(join(scratch, 'project-')))
    const isFresh = projectOptions.directory === undefined
    const config = isFresh && options.projectConfig
      ? { ...options.projectConfig, ...projectOptions.config }
      : projectOptions.config
    fillProject(directory, { ...projectOptions, config })
    const project: Project = {
      ...folderOf(directory),
      http: apiOf(url, directory),
      session: async ({ title = 'A story', ...body } = {}) => {
        const created = { ...body, title: title ?? undefined }
        return sessionOf(model, project, (await project.http<{ id: string }>('POST', '/session', created)).id)
      },
      resume: (id) => sessionOf(model, project, id),
    }
    return project
  }
  const stop = async () => {
    await end()
    model.stop()
  }
  return { url, env, home, model, project: createProject, stop }
}

/** Starts a host with a fresh home and its own scripted model. */
export const startHost = (options: HostOptions = {}): Promise<Host> => createHost(options, startHostProcess)

/** Prepares a host that starts when the terminal is opened in one of its projects (`openTerminal`), as for a person. */
export const prepareTerminalHost = (options: HostOptions = {}): Promise<Host> =>
  createHost(options, async (_home, _env, scratch) => {
    // A server that stops at once finds a free port for the host of the terminal.
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const url = server.url.origin
    await server.stop(true)
    return { url, end: async () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }) }
  })

let shared: Promise<Host> | undefined

/**
 * Returns the host that stories share; it ends with the test run. Each project's own config lists SAT, so a project can
 * instead load SAT from another path, with options, or not at all (`plugin: []`).
 */
export const sharedHost = (): Promise<Host> => (shared ??= startHost({
  plugin: [],
  projectConfig: { plugin: [CHECKOUT] },
  // Formatters run in the project's folder, so the project's own installed ones come first.
  env: { PATH: `node_modules/.bin:${process.env['PATH'] ?? ''}` },
}))
