/** Plays stories as `host.ts` does, but calls SAT's tools without the host, in milliseconds. */
import type { Config, Hooks, PluginInput, ToolContext } from '@opencode-ai/plugin'
import { mkdtempSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import SAT from '../../sat.ts'
import type { Project as HostProject, ProjectOptions, Turn as HostTurn } from './host-types.ts'
import { fillProject, folderOf, outputOf } from './host.ts'
import type { Call, ModelRequest, Step } from './model.ts'

export type Project = Pick<HostProject, 'directory' | 'path' | 'read' | 'write'> & {
  session(): Promise<Session>
}

type Turn = Pick<HostTurn, 'tools' | 'outputs'>

export type Session = { turn(prompt: string, ...steps: Array<Step>): Promise<Turn> }

// `own-home.ts`, which bunfig.toml preloads, has replaced the home folder with a temporary folder.
const HOME = homedir()

class NeedsHost extends Error {
  constructor(feature: string) {
    super(`${feature}: this story needs the real host, see host.ts`)
  }
}

const succeed = async () => ({ data: {} })

const CLIENT = {
  _client: { patch: succeed },
  app: { log: succeed },
  session: { messages: async () => ({ data: [] }), message: async () => ({}), get: succeed, prompt: succeed },
}

export const startPlugin = (
  { directory, worktree = directory }: { directory: string; worktree?: string },
  options: Parameters<typeof SAT>[1],
): Promise<Hooks> =>
  // SAT runs only once for each client object, so each call of this function passes a new object.
  SAT({ client: { ...CLIENT }, directory, worktree } as unknown as PluginInput, options)

type Workspace = { directory: string; worktree: string }

const load = async (workspace: Workspace, config: ProjectOptions['config'] = {}): Promise<Hooks> => {
  if (config['permission'] || config['plugin']) throw new NeedsHost('a config with permissions or plugins')
  // No request is made here, so SAT need not read rule files.
  const hooks = await startPlugin(workspace, { rules: false })
  await hooks.config?.(config as Config)
  return hooks
}

let lastId = 0

type ToolPart = Turn['tools'][number]

const runCall = async (hooks: Hooks, context: Partial<ToolContext>, call: Call): Promise<ToolPart> => {
  const definition = hooks.tool?.[call.tool]
  if (!definition) throw new NeedsHost(`the tool ${call.tool}`)
  const input = typeof call.args === 'string' ? JSON.parse(call.args) : call.args ?? {}
  const callID = call.id ?? `call_${++lastId}`
  const part = { type: 'tool', tool: call.tool }
  try {
    const result = await definition.execute(input, { ...context, callID } as unknown as ToolContext)
    const answer = typeof result === 'string' ? { title: '', output: result, metadata: {} } : result
    return { ...part, state: { status: 'completed', input, ...answer } }
  } catch (thrown) {
    if (thrown instanceof NeedsHost) throw thrown
    return { ...part, state: { status: 'error', input, error: String(thrown) } }
  }
}

const startSession = (hooks: Hooks, workspace: Workspace): Session => {
  const contextOfSession: Partial<ToolContext> = {
    ...workspace,
    sessionID: `ses_${++lastId}`,
    agent: 'build',
    abort: new AbortController().signal,
    metadata: () => {},
    ask: async ({ permission }) => {
      if (permission === 'external_directory') throw new NeedsHost('a question to the person')
    },
  }
  return {
    turn: async (_, ...steps) => {
      const tools: Turn['tools'] = []
      for (const step of steps) {
        const reply = typeof step === 'function' ? await step({} as ModelRequest) : step
        if (typeof reply === 'string') continue
        const context = { ...contextOfSession, messageID: `msg_${++lastId}` }
        tools.push(...await Promise.all([reply].flat().map((call) => runCall(hooks, context, call))))
      }
      return { tools, outputs: tools.map(outputOf) }
    },
  }
}

const createProject = (options: ProjectOptions = {}): Project => {
  const directory = options.directory ?? realpathSync(mkdtempSync(join(HOME, 'project-')))
  const { git = true, config } = options
  fillProject(directory, { ...options, git })
  const workspace = { directory, worktree: git ? directory : '/' }
  let hooks: Promise<Hooks> | undefined
  return {
    ...folderOf(directory),
    session: async () => startSession(await (hooks ??= load(workspace, config)), workspace),
  }
}

/** `home` is the home folder, which contains SAT's backups (in `state/opencode-sat/backups`). */
export const inProcess = async () => ({ home: HOME, project: createProject })
