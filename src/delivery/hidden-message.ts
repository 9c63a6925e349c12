/** Sends a session's hidden message, which no model reads, and which stores the panel that the terminal shows. */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { callHost, type Client } from '../host/client.ts'
import type { HostConfig } from '../host/config.ts'
import type { Log } from '../host/log.ts'
import { hiddenTextPart, idPrefixAt, METADATA_KEY, storePart } from '../host/message-parts.ts'
import { groupByState, isHiddenPart, type Panel, type PanelFault, readPanel } from '../host/panel-schema.ts'
import type { Toast } from '../host/toast.ts'
import type { SessionPlaces } from '../paths/path-in-worktree.ts'
import { reasonOf, type Result, withTimeout } from '../safe.ts'
import type { Steps } from '../steps/steps.ts'
import { hiddenContent, storedPanel } from './hidden-content.ts'
import {
  type AgentAndModel,
  agentAndModelOf,
  defaultAgentAndModel,
  type History,
  historyOf,
  isHidden,
  lastAgentAndModelOf,
  type MessagePart,
} from './history.ts'
import { type ReadRules, ruleFilesOf } from './rules-on-disk.ts'
import type { FindRecorded, FindUnresolved } from './violations-in-session.ts'

/** The input that all sessions of a host share. */
export type DeliveryInput = {
  client: Client
  log: Log
  toast: Toast
  /** Logs a line if the option `debug` is on. */
  debug: (line: string) => void
  places: SessionPlaces
  config: () => HostConfig
  readRules: ReadRules
  findRecorded: FindRecorded
  findUnresolved: FindUnresolved
  steps: Steps
  /** Lists the parts of SAT that failed outside of the delivery. */
  faults: () => Array<PanelFault>
}

// The person's message waits for the hidden message.
const MAX_WAIT_MS = 10_000

type SendReason = 'created' | 'compacted' | 'message' | 'panel'

type StoredMessage = ReturnType<typeof newIds> & {
  sentPanel: Panel | null
  panel: Panel | null
  /** The agent and model that were guessed before the person's message came. */
  sentEarlyWith?: AgentAndModel | undefined
}

/** Returns the id of the message's second part, which stores later changes to the panel. */
const changesIDFor = (partID: string): string => `${partID}1`

/** Finds the hidden message. Returns `known` if the history lacks the message, or if `known` already describes it. */
const storedMessageIn = (history: History, known?: StoredMessage): StoredMessage | undefined => {
  const message = history.find(isHidden)
  const [firstPart, ...laterParts] = message?.parts.filter(isHiddenPart) ?? []
  if (!message || !firstPart) return known
  const { info: { id: messageID, time: { created } }, parts } = message
  const changesID = laterParts.at(-1)?.id ?? changesIDFor(firstPart.id)
  // Only `known` has `sentEarlyWith`, which is not stored.
  if (changesID === known?.changesID) return known
  const panels = { sentPanel: readPanel([firstPart]), panel: readPanel(parts) }
  return { messageID, partID: firstPart.id, changesID, created, ...panels }
}

const newIds = (session: string, records: Array<{ time: { created: number } } | undefined>) => {
  // Ids sort by time, and the hidden message must be the session's first.
  const created = Math.min(Date.now(), ...records.flatMap((record) => record?.time.created ?? []))
  // If two hosts send the message at once, the ids must be equal, so that it is stored only once.
  const id = idPrefixAt(created) + createHash('sha256').update(session).digest('hex').slice(0, 14)
  const partID = `prt_${id}`
  return { messageID: `msg_${id}`, partID, changesID: changesIDFor(partID), created }
}

/** Throws the error, which `queue` logs. */
const orThrow = <T>({ data, error }: Result<T>): T => {
  if (error !== null) throw new Error(error)
  return data as T
}

/**
 * The message must be the first of the history. If it were the newest, the host would take the agent from it, and end
 * the turn. The first part stores the panel that was sent. The second part stores later changes to this panel.
 */
export const hiddenMessage = (sessionID: string, input: DeliveryInput) => {
  const { client, readRules } = input
  // If this is undefined, `sendNow` searches the history for the message.
  let stored: StoredMessage | undefined
  // The id of the first message that the person undid and may still redo.
  let revertedFrom: string | undefined
  let lastQueued = Promise.resolve()

  const logFailure = (reason: string): void => {
    const words = `The hidden message of the session ${sessionID} failed: ${reason}`
    input.log('error', words, { sessionID, reason })
  }

  const queue = (work: () => Promise<void>): Promise<void> =>
    lastQueued = lastQueued.then(work).catch((thrown) => {
      stored = undefined
      logFailure(reasonOf(thrown))
    })

  const logRules = (panel: Panel): void => {
    const { inForce, offered } = groupByState(panel)
    const reasons = [...inForce, ...offered].map(({ name, kind, file }) =>
      `${name} (${file === undefined ? kind : `because of ${file}`})`
    )
    if (reasons.length > 0) input.debug(`Rules for ${sessionID}: ${reasons.join(', ')}`)
  }

  /** Searches even if the message was found earlier, because a fork may receive the message's second part later. */
  const locate = (history: History): void => void (stored = storedMessageIn(history, stored))

  const storeChanges = async (changed: StoredMessage, panel: Panel): Promise<void> => {
    const { messageID, changesID: id, sentPanel } = changed
    const changes = Object.entries(panel).filter(([field, value]) =>
      !isDeepStrictEqual(value, sentPanel?.[field as keyof Panel])
    )
    const data = hiddenTextPart('', { [METADATA_KEY]: Object.fromEntries(changes) })
    orThrow(await storePart(client, { id, sessionID, messageID, ...data }))
    changed.panel = panel
  }

  /** Also forgets the guess. */
  const wasGuessWrong = (known: AgentAndModel | undefined): boolean => {
    const guess = stored?.sentEarlyWith
    delete stored?.sentEarlyWith
    return guess !== undefined && !isDeepStrictEqual(guess, known)
  }

  const sendNow = async (reason: SendReason, known?: AgentAndModel): Promise<void> => {
    const isMessage = reason === 'message'
    // The session keeps the agent and model that were sent last, so a wrong guess must be replaced.
    const mustSendAgain = reason === 'compacted' || (isMessage && wasGuessWrong(known))
    if (stored && !mustSendAgain) return
    const onDisk = await readRules('fresh')
    if (!stored && ruleFilesOf(onDisk).size === 0) return
    const history = orThrow(await historyOf(client, sessionID))
    // After a restart or in a fork, the history may have the message.
    locate(history)
    const existing = stored
    if (existing && !mustSendAgain) return
    const agentAndModel = isMessage
      ? known
      : lastAgentAndModelOf(history) ?? known ?? defaultAgentAndModel(input.config())
    // If agent and model are unknown, the hidden message waits for the person's message.
    if (!agentAndModel) return
    const content = await hiddenContent(onDisk, history, input, agentAndModel)
    const panel = storedPanel(content.panel)
    const path = { id: sessionID }
    const session = existing ? undefined : orThrow(await callHost(() => client.session.get({ path })))
    // In a fork, the first message is older than the session.
    const ids = existing ?? newIds(sessionID, [session, history[0]?.info])
    const part = hiddenTextPart(content.text, { [METADATA_KEY]: panel })
    const parts = [{ id: ids.partID, ...part, time: { start: ids.created } }]
    const body = { noReply: true, messageID: ids.messageID, ...agentAndModel, parts }
    const sent = orThrow(await callHost(() => client.session.prompt({ path, body })))
    // If the agent or model was left out, the host chose one.
    const chosen = agentAndModelOf(Object(Object(sent).info)) ?? agentAndModel
    stored = { ...ids, sentPanel: panel, panel, sentEarlyWith: isMessage ? undefined : chosen }
    logRules(panel)
    // Sending again replaces only the first part, so old changes in the second part would override the new panel.
    const hasOldChanges = existing && !isDeepStrictEqual(existing.sentPanel, existing.panel)
    if (hasOldChanges) await storeChanges(stored, panel)
  }

  const store = async (newPanel: Panel): Promise<void> => {
    await sendNow('panel')
    const panel = storedPanel(newPanel)
    if (!stored || isDeepStrictEqual(stored.panel, panel)) return
    await storeChanges(stored, panel)
    logRules(panel)
  }

  return {
    locate,
    /** Sends the message after a compaction, or if it is missing or has the wrong agent or model. */
    send: async (reason: SendReason, known?: AgentAndModel): Promise<void> => {
      await withTimeout(MAX_WAIT_MS, queue(() => sendNow(reason, known)))
    },
    /** `messageID` is the first message that the person undid, or undefined if all messages were redone. */
    afterRevert: async (messageID: string | undefined): Promise<void> => {
      if (revertedFrom === messageID) return
      revertedFrom = messageID
      await queue(async () => {
        const history = orThrow(await historyOf(client, sessionID))
        // Sending now would make the undo final.
        if (!stored && !history.some(isHidden)) return
        const end = history.findIndex(({ info }) => info.id === messageID)
        const remaining = end < 0 ? history : history.slice(0, end)
        await store((await hiddenContent(await readRules('fresh'), remaining, input)).panel)
      })
    },
    /** Whether a history lacks the message, although it is stored. */
    isMissingFrom: (history: History): boolean => stored !== undefined && !history.some(isHidden),
    /** If the history lacks the message, reads its parts from the host. Returns `[]` if that fails. */
    partsIn: async (history: History): Promise<Array<MessagePart>> => {
      const message = history.find(isHidden)
      if (message || !stored) return message?.parts ?? []
      const path = { id: sessionID, messageID: stored.messageID }
      const read = await callHost(() => client.session.message({ path }))
      if (read.error !== null) logFailure(`it could not be read: ${read.error}`)
      return read.data?.parts ?? []
    },
    forget: (removedID: string): void => {
      if (stored?.messageID === removedID) stored = undefined
    },
    /** Stores a panel in the background, but sends no message for an empty panel. */
    updatePanel: (panel: Panel): void => {
      const isEmpty = panel.rules.length + panel.leftOut.length === 0
      if (stored || !isEmpty) void queue(() => store(panel))
    },
  }
}
