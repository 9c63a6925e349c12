/** What the stories about rules look at: what the model was sent, and what a session holds. */
import type { Host, Message, Session } from '../harness/host.ts'
import { type ModelRequest, textOf } from '../harness/model.ts'

/** How often some words stand in what the model was sent. */
export const times = (words: string, { messages }: ModelRequest): number =>
  messages.map(textOf).join('\n').split(words).length - 1

/** How often in each of some requests. */
export const counts = (words: string, requests: Array<ModelRequest>): Array<number> =>
  requests.map((request) => times(words, request))

export const isSilent = ({ parts }: Message): boolean =>
  parts.some(({ metadata }) => metadata?.['opencode-sat'] !== undefined)

export const silentOf = async (session: Session): Promise<Array<Message>> =>
  (await session.messages()).filter(isSilent)

export const agentsOf = async (session: Session) =>
  (await session.messages()).map(({ info }) => `${info.role} ${info.agent}`)

export const recordOf = ({ project, id }: Session) =>
  project.http<{ agent?: string; title: string; model?: { id: string; variant?: string } }>(
    'GET',
    `/session/${id}`,
  )

export const compact = ({ project, id }: Session) =>
  project.http('POST', `/session/${id}/summarize`, { providerID: 'fake', modelID: 'm' })

export const errandsOf = ({ model }: Host, { id }: Session): Array<ModelRequest> =>
  model.requests.filter(({ session, kind }) => session === id && kind === 'errand')

export const until = async (holds: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 600 && !(await holds()); tries++) await Bun.sleep(50)
}
