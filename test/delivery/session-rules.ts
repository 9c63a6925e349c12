/** Starts sessions for stories about rules, and finds the rules in the sessions' requests and stored messages. */
import { expect } from 'bun:test'
import { offMetadata, readSessionRules, type SessionRules } from '../../src/host/panel-schema.ts'
import { switchedOffPartIn } from '../../src/tui/session-view.ts'
import { eventually } from '../harness/eventually.ts'
import type { Message, Project, ProjectOptions, Session } from '../harness/host-types.ts'
import { CHECKOUT, sharedHost } from '../harness/host.ts'
import { type Call, type ModelMessage, type ModelRequest, type Step, textOf } from '../harness/model.ts'

export const startProject = async (options: ProjectOptions): Promise<Project> =>
  (await sharedHost()).project(options)

/** Returns a function that starts sessions in one project. */
export const sessionStarter = (options: ProjectOptions) => {
  let created: Promise<Project> | undefined
  return async () => {
    const project = await (created ??= startProject(options))
    return { project, session: await project.session() }
  }
}

export const startSession = (options: ProjectOptions) => sessionStarter(options)()

export const ruleFile = (header: string, body = 'RULE-WORDS'): string => `---\n${header}\n---\n${body}\n`

/** The config of a project that loads SAT with these options. */
export const satWith = (options: object) => ({ plugin: [[CHECKOUT, options]] })

/** The code of a plugin that runs `code` on the `messages` and `parts` of each request. */
export const transformer = (code: string): string =>
  `export default async () => ({
  'experimental.chat.messages.transform': async (_, output) => {
    const { messages } = output
    const parts = messages.flatMap(({ parts }) => parts)
    ${code}
  },
})`

/** The model finds the steps of a subagent by the prompt, so each story needs a prompt of its own. */
export const callSubagent = async (agent: string, prompt: string, ...steps: Array<Step>): Promise<Call> => {
  const { model } = await sharedHost()
  model.scriptChild(prompt, steps)
  return { tool: 'task', args: { description: 'x', prompt, subagent_type: agent } }
}

export const read = (path: string): Call => ({ tool: 'read', args: { filePath: path } })

export const countOf = (words: string, { messages }: ModelRequest): number =>
  messages.map(textOf).join('\n').split(words).length - 1

/** Expects counts of words: `{ words: [count in the first request, …] }`. */
export const expectCounts = (requests: Array<ModelRequest>, expected: Record<string, Array<number>>) => {
  const countsOf = (words: string) => requests.map((request) => countOf(words, request))
  expect(Object.fromEntries(Object.keys(expected).map((words) => [words, countsOf(words)]))).toEqual(expected)
}

// Removes the host's reminder for the agent `plan`, which only the newest message of a request contains.
const roleAndText = (message: ModelMessage): string =>
  `${message.role} ${textOf(message).replace(/\n?<system-reminder>[\s\S]*/, '')}`

/** Expects each request, apart from its system message, to begin with the messages of the previous request. */
export const expectPrefixes = (requests: Array<ModelRequest>): void =>
  requests.slice(1).forEach(({ messages }, previousIndex) => {
    const before = requests[previousIndex]!.messages.slice(1)
    expect(messages.slice(1, before.length + 1).map(roleAndText)).toEqual(before.map(roleAndText))
  })

/** Returns the messages in which SAT stores the session's rules. */
export const hiddenMessages = async (session: Session): Promise<Array<Message>> =>
  (await session.messages()).filter(({ parts }) =>
    parts.some(({ metadata }) => metadata?.['opencode-sat'] !== undefined)
  )

export const panelRules = async (session: Session): Promise<SessionRules> =>
  readSessionRules((await hiddenMessages(session)).flatMap(({ parts }) => parts))!

/** Switches these rule files off, and all others on. */
export const setSwitchedOff = async (session: Session, ...paths: Array<string>): Promise<void> => {
  const parts = (await session.messages()).flatMap(({ parts }) => parts)
  const { sessionID, messageID, id } = switchedOffPartIn(session.id, parts)!
  const metadata = offMetadata(paths.map((path) => ({ path })))
  const part = { id, sessionID, messageID, type: 'text', text: '', ignored: true, metadata }
  await session.project.http('PATCH', `/session/${sessionID}/message/${messageID}/part/${id}`, part)
}

export const childrenOf = async ({ project, id }: Session): Promise<Array<Session>> => {
  const children = await project.http<Array<{ id: string }>>('GET', `/session/${id}/children`)
  return children.map((child) => project.resume(child.id))
}

export const forkSession = async ({ project, id }: Session): Promise<Session> =>
  project.resume((await project.http<{ id: string }>('POST', `/session/${id}/fork`, {})).id)

export const messageAgents = async (session: Session): Promise<Array<string>> => {
  const agents = (await session.messages()).map(({ info }) => `${info.role} ${info.agent}`)
  return [...new Set(agents)].toSorted()
}

export const sessionRecord = ({ project, id }: Session) => project.http<object>('GET', `/session/${id}`)

export const compact = ({ project, id }: Session) =>
  project.http('POST', `/session/${id}/summarize`, { providerID: 'fake', modelID: 'm' })

export const waitUntil = (holds: () => Promise<boolean>): Promise<boolean> =>
  eventually(holds, (isTrue) => isTrue, `Still false: ${holds}`, 30_000)
