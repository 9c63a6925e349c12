/** Serves a scripted model: an OpenAI-compatible server that plays the replies of a story and records each request. */

export type Call = {
  tool: string
  /** A string is sent unchanged, any other value as JSON. */
  args?: unknown
  /** The request's size, as the model reports it. */
  tokens?: number
  id?: string
}

type Reply = string | Call | Array<Call>

export type Step = Reply | ((request: ModelRequest) => Reply | Promise<Reply>)

export type ModelTool = { function: { name: string; description: string; parameters: object } }

export type ModelMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | Array<{ type: string; text?: string }> | null
  tool_calls?: Array<{ id: string; function: { name: string; arguments: string } }>
  tool_call_id?: string
}

export type ModelRequest = {
  session: string
  /** In an errand, the host asks for a title or a summary, without tools. */
  kind: 'turn' | 'errand'
  model: string
  messages: Array<ModelMessage>
  tools: Array<ModelTool>
}

export const textOf = ({ content }: ModelMessage): string =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n')

/** `output` is '' if the request has no result for the call. */
export type ShownCall = { tool: string; args: Record<string, unknown>; output: string }

export const callsIn = ({ messages }: Pick<ModelRequest, 'messages'>): Array<ShownCall> =>
  messages.flatMap(({ tool_calls = [] }) => tool_calls).map(({ id, function: { name, arguments: args } }) => {
    const result = messages.find(({ tool_call_id }) => tool_call_id === id)
    return { tool: name, args: JSON.parse(args), output: result ? textOf(result) : '' }
  })

const CHUNK = { id: 'scripted', object: 'chat.completion.chunk', created: 0, model: 'm' }

let callCount = 0

const toStream = (reply: Reply): string => {
  const calls = typeof reply === 'string' ? [] : [reply].flat()
  const tokens = Math.max(10, ...calls.map((call) => call.tokens ?? 0))
  const usage = { prompt_tokens: tokens, completion_tokens: 5, total_tokens: tokens + 5 }
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ ...CHUNK, choices: [{ index: 0, delta, finish_reason }], usage })}\n\n`
  const toolCalls = calls.map(({ id = `call_${++callCount}`, tool, args = {} }, index) => {
    const call = { name: tool, arguments: typeof args === 'string' ? args : JSON.stringify(args) }
    return { index, id, type: 'function', function: call }
  })
  const said = typeof reply === 'string' ? { content: reply } : { tool_calls: toolCalls }
  const end = chunk({}, typeof reply === 'string' ? 'stop' : 'tool_calls')
  return `${chunk({ role: 'assistant', ...said }, null)}${end}data: [DONE]\n\n`
}

type Scripts = {
  bySession: Map<string, Array<Step>>
  children: Array<{ words: string; steps: Array<Step> }>
  thrown: Map<string, unknown>
}

const scriptOf = ({ bySession, children }: Scripts, request: ModelRequest): Array<Step> => {
  const script = bySession.get(request.session)
  if (script) return script
  const index = children.findIndex(({ words }) =>
    request.messages.some((message) => message.role === 'user' && textOf(message).includes(words))
  )
  const steps = index < 0 ? [] : children.splice(index, 1)[0]!.steps
  bySession.set(request.session, steps)
  return steps
}

const answer = async (scripts: Scripts, request: ModelRequest): Promise<Reply> => {
  if (request.kind === 'errand') return 'A short text'
  const script = scriptOf(scripts, request)
  const step = script.shift() ?? 'Done.'
  if (typeof step !== 'function') return step
  try {
    return await step(request)
  } catch (thrown) {
    scripts.thrown.set(request.session, thrown)
    script.length = 0
    return 'A step of the script threw.'
  }
}

export type ScriptedModel = ReturnType<typeof startModel>

export const startModel = () => {
  const scripts: Scripts = { bySession: new Map(), children: [], thrown: new Map() }
  const requests: Array<ModelRequest> = []

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(incoming) {
      const session = incoming.headers.get('x-session-id') ?? ''
      const { model, messages, tools = [] } = (await incoming.json()) as ModelRequest
      const kind = tools.length > 0 ? 'turn' : 'errand'
      const request: ModelRequest = { session, kind, model, messages, tools }
      requests.push(request)
      const stream = toStream(await answer(scripts, request))
      return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
    },
  })

  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    script: (session: string, steps: Array<Step>): void =>
      void scripts.bySession.set(session, [...(scripts.bySession.get(session) ?? []), ...steps]),
    /** Adds the script of a subagent whose prompt will contain `words`. */
    scriptChild: (words: string, steps: Array<Step>): void => void scripts.children.push({ words, steps }),
    throwStepError: (session: string): void => {
      if (scripts.thrown.has(session)) throw scripts.thrown.get(session)
    },
    stop: (): void => void server.stop(true),
  }
}
