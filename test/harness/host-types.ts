/** The types of `host.ts`: a host, its projects, their sessions, and the turns that a story plays. */
import type { ModelRequest, ScriptedModel, Step } from './model.ts'

export type HostOptions = {
  /** The plugins of the host's global config; default: the checkout. */
  plugin?: Array<unknown>
  /** The config of each project in a fresh folder; a key in the project's own config replaces the same key here. */
  projectConfig?: Record<string, unknown>
  env?: Record<string, string>
  /** The home folder of an earlier host; default: a fresh folder. */
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

/** The state of a tool call: its arguments and its answer. */
export type ToolState = {
  status: 'pending' | 'running' | 'completed' | 'error'
  input: Record<string, unknown>
  output?: string
  error?: string
  title?: string
  metadata?: Record<string, unknown>
}

/** A part of a message, as the host stores it. */
export type Part = {
  id: string
  messageID: string
  type: string
  text?: string
  synthetic?: boolean
  metadata?: Record<string, unknown>
  tool?: string
  state?: ToolState
}

/** A message of the person or the model, as the host stores it. */
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

/** What one message of the person led to. */
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
