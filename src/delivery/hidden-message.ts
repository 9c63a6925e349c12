import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { callHost, type Client } from '../host/client.ts'
import { METADATA_KEY, storePart } from '../host/message-parts.ts'
import { ok, type Result } from '../safe.ts'
import { type AgentAndModel, agentAndModelOf } from './agent-and-model.ts'
import { hiddenPartOf, type History, type TextPart } from './history.ts'
import type { Summary } from './summary.ts'
import type { Told } from './told.ts'

/** Reads all messages of a session, those before a compaction included. */
export const historyOf = async (client: Client, id: string): Promise<Result<History>> => {
  const answered = await callHost(() => client.session.messages({ path: { id } }))
  return answered.error === null ? ok(Array.isArray(answered.data) ? answered.data : []) : answered
}

/** Where the hidden message stands in its session's history, and under which ids. */
export type MessageSlot = { messageID: string; partID: string; created: number }

/**
 * Makes a slot at the beginning of a history. An id of the host is the time in hexadecimal, a counter and a random tail;
 * a counter of zero sorts before all other ids of the same millisecond.
 *
 * @param created when the history begins, in milliseconds
 */
export const slotAt = (created: number): MessageSlot => {
  const start = BigInt.asUintN(48, BigInt(created) * 4_096n).toString(16).padStart(12, '0')
  const id = start + randomBytes(7).toString('hex')
  return { messageID: `msg_${id}`, partID: `prt_${id}`, created }
}

const ToldRuleSchema = z.object({
  path: z.string(),
  name: z.string(),
  digest: z.string(),
  bytes: z.number(),
  why: z.enum(['always', 'file', 'offered']),
  file: z.string().optional(),
  description: z.string().optional(),
})
const NoticeSchema = z.object({
  text: z.string(),
  rules: z.array(ToldRuleSchema),
  removed: z.array(z.string()),
})
const PlaceSchema = z.object({
  role: z.enum(['user', 'assistant']),
  created: z.number(),
  side: z.enum(['before', 'after']),
})
const ToldSchema = z.object({
  compaction: z.number().nullable(),
  front: NoticeSchema,
  notices: z.array(NoticeSchema.extend({ at: PlaceSchema })),
})

/** The hidden message as it is in a history; `told` is undefined where an older SAT wrote it. */
type StoredMessage = { slot: MessageSlot; agentAndModel: AgentAndModel; told: Told | undefined }

/** Finds the hidden message in a history, if there is one. */
export const storedMessageIn = (history: History): StoredMessage | undefined => {
  for (const { info, parts } of history) {
    const part = hiddenPartOf(parts)
    if (!part || info.role !== 'user') continue
    const told = ToldSchema.safeParse(Object(part.metadata?.[METADATA_KEY]).told)
    return {
      slot: { messageID: info.id, partID: part.id, created: info.time.created },
      agentAndModel: agentAndModelOf(info),
      told: told.data,
    }
  }
  return undefined
}

/** What the hidden message of a session carries. */
type HiddenMessage = { told: Told; summary: Summary }

const partOf = ({ told, summary }: HiddenMessage) => ({
  type: 'text' as const,
  text: told.front.text || 'No rule applies to this session yet.',
  synthetic: true,
  // The host makes a session's title and summary of stored messages, and leaves an ignored part out.
  ignored: true,
  metadata: { [METADATA_KEY]: { ...summary, told } },
})

/**
 * Stores the hidden message of a session, which starts no answer (rule-discovery.md, Silent message format). A message
 * in the same slot is replaced.
 *
 * @returns the agent and model that the host stored it with, and the slot that it is in
 */
export const sendHiddenMessage = async (
  client: Client,
  id: string,
  message: HiddenMessage,
  agentAndModel: AgentAndModel,
  slot: MessageSlot | undefined,
): Promise<Result<{ agentAndModel: AgentAndModel; slot: MessageSlot | undefined }>> => {
  const part = { ...(slot ? { id: slot.partID } : {}), ...partOf(message) }
  const sent = await callHost(() =>
    client.session.prompt({
      path: { id },
      body: {
        noReply: true,
        ...(slot ? { messageID: slot.messageID } : {}),
        ...agentAndModel,
        parts: [part],
      },
    })
  )
  if (sent.error !== null) return sent
  const { info, parts } = Object(sent.data)
  if (info?.role !== 'user') return ok({ agentAndModel, slot })
  const partID: unknown = parts?.[0]?.id
  return ok({
    agentAndModel: agentAndModelOf(info),
    slot: typeof partID === 'string'
      ? { messageID: info.id, partID, created: info.time.created }
      : slot,
  })
}

/** Stores what a session was told meanwhile in the hidden message that is in a slot. */
export const updateHiddenMessage = (
  client: Client,
  sessionID: string,
  message: HiddenMessage,
  { messageID, partID }: MessageSlot,
): Promise<Result<unknown>> => {
  const part: TextPart = { id: partID, sessionID, messageID, ...partOf(message) }
  return storePart(client, part)
}
