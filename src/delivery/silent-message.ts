import type { PluginInput } from '@opencode-ai/plugin'
import { randomBytes } from 'node:crypto'
import { callHost } from '../host-call.ts'
import { ok, type Result } from '../safe.ts'
import { type History, markOf, type Stamp, stampOf, type StoredRules } from './history.ts'

type Client = PluginInput['client']

/** All messages of a session, those before a compaction included. */
export const historyOf = async (client: Client, id: string): Promise<Result<History>> => {
  const answered = await callHost(() => client.session.messages({ path: { id } }))
  return answered.error === null ? ok(Array.isArray(answered.data) ? answered.data : []) : answered
}

/** Where a stored message stands in its session, and under which ids. */
export type Berth = Pick<StoredRules, 'messageID' | 'partID' | 'created'>

/**
 * A berth at the beginning of a history. Ids of the host are the time in hexadecimal, a counter and a random tail;
 * a counter of zero sorts before all others of the same millisecond.
 */
export const berthAt = (created: number): Berth => {
  const start = BigInt.asUintN(48, BigInt(created) * 4_096n).toString(16).padStart(12, '0')
  const id = start + randomBytes(7).toString('hex')
  return { messageID: `msg_${id}`, partID: `prt_${id}`, created }
}

export type SilentMessage = { text: string; paths: Array<string>; stamp: Stamp; berth: Berth | undefined }

/**
 * Stores a message that starts no answer (rule-discovery.md, Silent message format). Under ids that exist it takes
 * the place of what is there. Gives the stamp under which the host stored it.
 */
export const sendSilently = async (
  client: Client,
  id: string,
  { text, paths, stamp, berth }: SilentMessage,
): Promise<Result<Stamp>> => {
  const part = {
    ...(berth ? { id: berth.partID } : {}),
    type: 'text' as const,
    text,
    synthetic: true,
    // The host makes the title and the summary from what is stored: they see none of it.
    ignored: true,
    metadata: markOf(paths),
  }
  const sent = await callHost(() =>
    client.session.prompt({
      path: { id },
      body: { noReply: true, ...(berth ? { messageID: berth.messageID } : {}), ...stamp, parts: [part] },
    })
  )
  if (sent.error !== null) return sent
  const { info } = Object(sent.data)
  return ok(info?.role === 'user' ? stampOf(info) : stamp)
}
