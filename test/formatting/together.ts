/** Stories that share a session: turns that they begin at once are played as one, which costs the host as much as one. */
import { expect } from 'bun:test'
import type { Part, Project, Session, Turn } from '../harness/host.ts'
import { type Call, callsIn, type ModelRequest, type Step } from '../harness/model.ts'

/** A story's part of a shared session, which shows it nothing of the calls of others. */
export type SessionPart = Pick<Session, 'turn' | 'messages'>

/** A turn of one story; `ids` are those of all calls that the story sent. */
type TurnPart = { prompt: string; steps: Array<Step>; ids: Set<string>; thrown?: unknown }

/** How long a turn waits for those of other stories. */
const JOIN_MS = 100

let count = 0

/** A request without the calls of others. */
const ownIn = (request: ModelRequest, ids: Set<string>): ModelRequest => ({
  ...request,
  messages: request.messages.flatMap((message) => {
    const { tool_calls, tool_call_id } = message
    if (tool_call_id !== undefined) return ids.has(tool_call_id) ? [message] : []
    const own = tool_calls?.filter(({ id }) => ids.has(id))
    return own === undefined ? [message] : own.length > 0 ? [{ ...message, tool_calls: own }] : []
  }),
})

/** A turn without the calls of others; its last request is the first that shows the results of all its own calls. */
const ownTurn = (turn: Turn, { steps, ids, thrown }: TurnPart): Turn => {
  if (thrown !== undefined) throw thrown
  const requests = turn.requests.map((request) => ownIn(request, ids))
  const own = requests.slice(0, steps.length + 1)
  // Once the model has seen a call, all later requests show it alike: the provider's cache holds it.
  expect(callsIn(requests.at(-1)!)).toEqual(callsIn(own.at(-1)!))
  const tools = turn.tools.filter(({ callID }) => ids.has(callID!))
  const outputs = turn.outputs.filter((_, index) => ids.has(turn.tools[index]!.callID!))
  return { ...turn, tools, outputs, requests: own }
}

/** The next calls of one story. What its step throws ends its own turn alone. */
const callsAt = async (part: TurnPart, index: number, request: ModelRequest): Promise<Array<Call>> => {
  const step = part.steps[index] ?? 'Done.'
  try {
    const reply = typeof step === 'function' ? await step(ownIn(request, part.ids)) : step
    const calls = typeof reply === 'string' ? [] : [reply].flat()
    const named = calls.map((call) => ({ ...call, id: call.id ?? `shared_${++count}` }))
    for (const { id } of named) part.ids.add(id)
    return named
  } catch (thrown) {
    part.thrown = thrown
    part.steps = []
    return []
  }
}

/** Plays the turns of several stories as one: each message of the model holds the next calls of all. */
const playTogether = (session: Session, model: string, parts: Array<TurnPart>): Promise<Turn> => {
  const longest = Math.max(...parts.map(({ steps }) => steps.length))
  const steps = Array.from({ length: longest }, (_, index): Step => async (request) => {
    const calls = (await Promise.all(parts.map((part) => callsAt(part, index, request)))).flat()
    return calls.length > 0 ? calls : 'Done.'
  })
  return session.turnAs({ model }, parts[0]!.prompt, ...steps)
}

/** Begins a session of a project, and gives a function that makes parts of it. */
export const shareSession = (project: Project, model: string): () => SessionPart => {
  const session = project.session()
  let last: Promise<unknown> = Promise.resolve()
  let next: { parts: Array<TurnPart>; played: Promise<Turn> } | null = null
  const begin = () => {
    const parts: Array<TurnPart> = []
    const played = last.then(async () => {
      await Bun.sleep(JOIN_MS)
      next = null
      return playTogether(await session, model, parts)
    })
    last = played.catch(() => {})
    return { parts, played }
  }
  return () => {
    const ids = new Set<string>()
    const isOwn = ({ callID }: Part) => callID === undefined || ids.has(callID)
    return {
      turn: async (prompt, ...steps) => {
        const part = { prompt, steps, ids }
        next ??= begin()
        next.parts.push(part)
        return ownTurn(await next.played, part)
      },
      messages: async () =>
        (await (await session).messages()).map((one) => ({ ...one, parts: one.parts.filter(isOwn) })),
    }
  }
}
