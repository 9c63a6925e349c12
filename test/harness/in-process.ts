/**
 * Runs stories without the host, for tools to which it adds nothing: the same projects, sessions and turns as in
 * `host.ts`, in milliseconds. The calls of a turn are passed to the plugin's tools, as the host passes them.
 *
 * Grants every permission that the host grants by default. Features of the host itself throw here (permissions from a
 * config, other agents, truncated answers, commands, events, requests to a model): such a story uses `host.ts`.
 */
import type { Config, Hooks, PluginInput, ToolContext } from '@opencode-ai/plugin'
import { mkdtempSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import SAT from '../../sat.ts'
import {
  fillProject,
  folderOf,
  type Host,
  type Message,
  type Project,
  type ProjectOptions,
  type Session,
  toTurn,
} from './host.ts'
import type { Call, ModelRequest, Reply } from './model.ts'

export type { Project, Session, Turn } from './host.ts'

// The plugin runs in this process; bunfig.toml gives it a home of its own.
const HOME = homedir()

/** Creates a function that replaces a feature of the host and throws. */
const needsHost = (feature: string) => (): never => {
  throw new Error(`${feature}: this story needs the real host, see host.ts`)
}

type Workspace = { directory: string; worktree: string }

/** Loads the plugin for a project, as the host does before the project's first session. */
const load = async (workspace: Workspace, config: ProjectOptions['config'] = {}): Promise<Hooks> => {
  if (config['permission'] || config['plugin']) needsHost('a config with permissions or plugins')()
  const input: Partial<PluginInput> = { client: {} as PluginInput['client'], ...workspace }
  // Without requests to a model, no rules can be delivered.
  const hooks = await SAT(input as PluginInput, { rules: false })
  await hooks.config?.(config as Config)
  return hooks
}

/** Grants what the host grants by default. */
const ask: ToolContext['ask'] = async ({ permission }) => {
  if (permission === 'external_directory') needsHost('a question to the person')()
}

type SessionWorkspace = Workspace & { sessionID: string }

type ToolPart = Message['parts'][number]

let lastId = 0

/** Runs one call; returns its part as the host stores it. */
const run = async (
  { tool = {} }: Hooks,
  workspace: SessionWorkspace,
  messageID: string,
  call: Call,
): Promise<ToolPart> => {
  const definition = tool[call.tool] ?? needsHost(`the tool ${call.tool}`)()
  const input = typeof call.args === 'string' ? JSON.parse(call.args) : call.args ?? {}
  const callID = call.id ?? `call_${++lastId}`
  const part = { id: callID, messageID, type: 'tool', tool: call.tool, callID }
  const context = {
    ...workspace,
    messageID,
    callID,
    agent: 'build',
    abort: new AbortController().signal,
    ask,
  }
  try {
    const result = await definition.execute(
      input,
      { ...context, metadata: () => {} } as unknown as ToolContext,
    )
    const answer = typeof result === 'string' ? { title: '', output: result, metadata: {} } : result
    return { ...part, state: { status: 'completed', input, ...answer } }
  } catch (thrown) {
    if (String(thrown).includes('needs the real host')) throw thrown
    return { ...part, state: { status: 'error', input, error: String(thrown) } }
  }
}

/** Creates the request that a step reads: the answers of the tools so far. */
const toRequest = (session: string, history: Array<Message>): ModelRequest => ({
  session,
  kind: 'turn',
  model: 'm',
  tools: [],
  messages: toTurn(history, []).outputs.map((content) => ({ role: 'tool', content })),
})

/** Runs the calls of a reply in parallel, as one message of the model. */
const play = async (hooks: Hooks, workspace: SessionWorkspace, reply: Reply): Promise<Message> => {
  const id = `msg_${++lastId}`
  const info = { id, role: 'assistant' as const, time: { created: Date.now() } }
  if (typeof reply === 'string') return { info, parts: [{ id, messageID: id, type: 'text', text: reply }] }
  return { info, parts: await Promise.all([reply].flat().map((call) => run(hooks, workspace, id, call))) }
}

const toSession = (hooks: Hooks, project: Project, workspace: SessionWorkspace): Session => {
  const history: Array<Message> = []
  return {
    id: workspace.sessionID,
    project,
    messages: async () => history,
    requests: needsHost('a request to the model'),
    turnAs: needsHost('a turn with an agent or a model'),
    turn: async (_, ...steps) => {
      const start = history.length
      for (const step of steps) {
        const reply = typeof step === 'function' ? await step(toRequest(workspace.sessionID, history)) : step
        history.push(await play(hooks, workspace, reply))
      }
      return toTurn(history.slice(start), [])
    },
  }
}

const toProject = (options: ProjectOptions = {}): Project => {
  const directory = options.directory ?? realpathSync(mkdtempSync(join(HOME, 'project-')))
  const { git = true, config } = options
  fillProject(directory, { ...options, git })
  const workspace = { directory, worktree: git ? directory : '/' }
  let hooks: Promise<Hooks> | undefined
  const project: Project = {
    ...folderOf(directory),
    http: needsHost('a call of the API'),
    resume: needsHost('a session of an earlier host'),
    session: async ({ parentID } = {}) => {
      const plugin = await (hooks ??= load(workspace, config))
      const id = `ses_${++lastId}`
      const event = { type: 'session.created', properties: { info: { id, parentID } } }
      await plugin.event?.({ event } as Parameters<NonNullable<Hooks['event']>>[0])
      return toSession(plugin, project, { ...workspace, sessionID: id })
    },
  }
  return project
}

/** Returns projects whose sessions call the plugin's tools in this process. `home` contains backups and global files. */
export const inProcess = async (): Promise<Pick<Host, 'home' | 'project'>> => ({
  home: HOME,
  project: toProject,
})
