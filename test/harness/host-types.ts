import type { ModelRequest, ScriptedModel, Step } from './model.ts'

export type HostOptions = {
  /** Default: SAT from this checkout. */
  plugin?: Array<unknown>
  /** Default entries for the `config` of each project whose options name no `directory`. */
  projectConfig?: Record<string, unknown>
  env?: Record<string, string>
  /** Default: a fresh folder. */
  home?: string
}

export type Host = {
  url: string
  env: Record<string, string>
  home: string
  model: ScriptedModel
  project(options?: ProjectOptions): Project
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type ProjectOptions = {
  files?: Record<string, string | Uint8Array>
  config?: Record<string, unknown>
  /** Makes the folder a git repository. */
  git?: boolean
  /** Default: a fresh folder. */
  directory?: string
}

export type Project = {
  directory: string
  path(relative: string): string
  read(relative: string): Promise<string>
  write(relative: string, text: string | Uint8Array): void
  /** If the title is `null`, the host asks the model for a title. */
  session(options?: { parentID?: string; title?: string | null }): Promise<Session>
  resume(id: string): Session
  http<T = unknown>(method: string, path: string, body?: unknown): Promise<T>
}

export type ToolState = {
  status: 'pending' | 'running' | 'completed' | 'error'
  input: Record<string, unknown>
  output?: string
  error?: string
  title?: string
  metadata?: Record<string, unknown>
}

export type Part = {
  type: string
  text?: string
  synthetic?: boolean
  metadata?: Record<string, unknown>
  tool?: string
  state?: ToolState
}

export type Message = {
  info: {
    id: string
    role: 'user' | 'assistant'
    time: { created: number }
    agent?: string
    model?: { providerID: string; modelID: string; variant?: string }
  }
  parts: Array<Part>
}

export type Turn = {
  tools: Array<Part & { state: ToolState }>
  outputs: Array<string>
  /** Without errands (requests for a title or a summary). */
  requests: Array<ModelRequest>
  text: string
}

export type Session = {
  id: string
  project: Project
  turn(prompt: string, ...steps: Array<Step>): Promise<Turn>
  turnAs(
    options: { agent?: string; model?: string; parts?: Array<Record<string, unknown>> },
    prompt: string,
    ...steps: Array<Step>
  ): Promise<Turn>
  messages(): Promise<Array<Message>>
  /** Without errands. */
  requests(): Array<ModelRequest>
}
