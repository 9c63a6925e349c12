/** The folder `steps/`: records the tool calls in each step of a session, and their changes to files. */
import type { Client } from '../host/client.ts'
import type { PartHooks } from '../host/join-hooks.ts'
import type { Log } from '../host/log.ts'
import { LruMap } from '../text/lru-map.ts'
import { KeyedLock, type Release } from '../writing/keyed-lock.ts'
import { MessageReader } from './message-reader.ts'
import { PartStore } from './part-store.ts'
import { PresentFiles } from './saved-file.ts'
import { type CallFile, type HostCall, readState, StepCall } from './step-call.ts'

const MAX_SESSIONS = 100

type CallId = Omit<HostCall, 'tool'>

/** Lists the names that a call locks in its session, besides its files. */
type ExtraLocks = (call: StepCall) => Array<string>

const keyOf = ({ sessionID, callID }: CallId): string => `${sessionID} ${callID}`

/**
 * Records how the calls of a session's present step (since its last request to the model) change files:
 * 1. `start` waits for earlier calls on the same files, and `readBefore` reads the files that a hook needs.
 * 2. After the host has run the call, `finish` reads the same files again.
 * 3. `end` lets the next call run.
 */
export class Steps {
  readonly parts: PartStore
  readonly presentFiles = new PresentFiles()
  readonly #directory: string
  readonly #running = new Map<string, StepCall>()
  /** All hooks of a call get the same arguments object. */
  readonly #startedByArgs = new WeakMap<object, Promise<StepCall>>()
  readonly #succeeded = new LruMap<string, Array<StepCall>>(MAX_SESSIONS)
  readonly #messageReaders = new LruMap<string, MessageReader>(MAX_SESSIONS)
  readonly #locks = new KeyedLock()

  constructor({ client, directory, log }: { client: Client; directory: string; log: Log }) {
    this.#directory = directory
    this.parts = new PartStore(client, log)
  }

  /** Returns the calls that succeeded in the session's present step. */
  callsOf(sessionID: string): Array<StepCall> {
    return this.#succeeded.getOrCreate(sessionID, () => [])
  }

  messageReaderOf(sessionID: string): MessageReader {
    return this.#messageReaders.getOrCreate(sessionID, () => new MessageReader())
  }

  get runningFiles(): Array<CallFile> {
    return [...this.#running.values()].flatMap(({ files }) => files.filter((file) => file.isReadBefore))
  }

  start(hostCall: HostCall, args: Record<string, unknown>, extraLocks?: ExtraLocks): Promise<StepCall> {
    const started = this.#startedByArgs.get(args) ?? this.#start(new StepCall(hostCall, args), extraLocks)
    this.#startedByArgs.set(args, started)
    return started
  }

  async #start(call: StepCall, extraLocks: ExtraLocks = () => []): Promise<StepCall> {
    const key = keyOf(call.host)
    // Some models reuse a call id.
    this.#running.get(key)?.end('superseded')
    this.#running.set(key, call)
    // If two patches on one file waited for permission at the same time, the host would lose hunks.
    call.whenEnded(await this.#lock(call, extraLocks))
    call.throwIfEnded()
    return call
  }

  /** Waits until earlier calls on the same files have ended. Returns a function that lets the next call run. */
  async #lock(call: StepCall, extraLocks: ExtraLocks): Promise<Release> {
    const { sessionID } = call.host
    // The calls of a session find their files one by one, so that calls lock files in the order of their start.
    const leaveQueue = await this.#locks.acquire([sessionID])
    try {
      await call.findFiles(this.#directory)
      const names = [...call.named.map(({ real }) => real), ...extraLocks(call)]
      // The locks are not awaited here. `acquire` has queued this call, so the next call can start to find its files.
      return this.#locks.acquire(names.map((name) => `${sessionID} ${name}`))
    } finally {
      leaveQueue()
    }
  }

  async readBefore(file: CallFile): Promise<void> {
    if (file.isReadBefore) return
    // Calls of one session wait for each other, so another running call on the file is of another session.
    for (const other of this.runningFiles.filter(({ real }) => real.from === file.real.from)) {
      other.isShared = true
      file.isShared = true
    }
    file.isReadBefore = true
    file.before = (await readState(file.real.from)).state
  }

  /** Records that a call succeeded, or returns null for an unknown call. */
  async finish(hostCall: HostCall, sentArgs: Record<string, unknown>): Promise<StepCall | null> {
    // Calls that run at the same time may have the same id.
    const call = await this.#startedByArgs.get(sentArgs) ?? this.#running.get(keyOf(hostCall))
    if (!call || call.state === 'ended') return null
    const calls = this.callsOf(hostCall.sessionID)
    if (!calls.includes(call)) calls.push(call)
    const { replayCall } = await import('./call.ts')
    for (const callFile of call.files) {
      const { file, before } = callFile
      if (!before || callFile.after) continue
      const { state: after, saved } = await readState(file.path)
      this.presentFiles.remember(file.path, saved)
      callFile.after = after
      const sentCall = { tool: call.host.tool, args: { ...sentArgs }, file }
      callFile.replayed = replayCall(sentCall, before.text ?? null, after.text, this.#directory)
    }
    return call
  }

  end(call: StepCall): void {
    const key = keyOf(call.host)
    call.end()
    if (this.#running.get(key) === call) this.#running.delete(key)
  }

  async #endFailed(id: CallId): Promise<void> {
    const call = this.#running.get(keyOf(id))
    if (!call) return
    await call.fail()
    this.end(call)
  }

  /** Ends all running calls of a session. At this time, the host runs none of them, so they have failed. */
  async #endAllFailed(sessionID: string): Promise<void> {
    for (const { host } of [...this.#running.values()]) {
      if (host.sessionID === sessionID) await this.#endFailed(host)
    }
  }

  /** The hooks that run before the hooks of delivery and format on save. */
  get before(): PartHooks {
    return {
      'experimental.chat.messages.transform': async (_, { messages }) => {
        const sessionID = messages[0]?.info.sessionID
        if (sessionID !== undefined) await this.#endAllFailed(sessionID)
        this.parts.insertChanged(messages)
      },
      'experimental.session.compacting': ({ sessionID }) => this.#endAllFailed(sessionID),
      // Stores all changes before the `dispose` hook of `src/delivery` reads the history.
      dispose: () => this.parts.flush(),
      event: async ({ event: { type, properties } }) => {
        if (type === 'message.part.updated') {
          const { part } = properties
          if (part.type === 'tool' && part.state.status === 'error') await this.#endFailed(part)
        } else if (type === 'session.idle') await this.#endAllFailed(properties.sessionID)
        else if (type === 'session.deleted') await this.#endAllFailed(properties.info.id)
      },
    }
  }

  /** The hooks that run after the hooks of delivery and format on save. */
  get after(): PartHooks {
    return {
      'experimental.chat.messages.transform': async (_, { messages }) => {
        const sessionID = messages[0]?.info.sessionID
        if (sessionID === undefined) return
        this.#succeeded.delete(sessionID)
        this.presentFiles.clear()
        this.messageReaderOf(sessionID).endRequest()
        this.parts.forgetStored(sessionID)
      },
      'tool.execute.after': async ({ args, ...hostCall }) => {
        const call = await this.finish(hostCall, Object(args))
        if (call) this.end(call)
      },
    }
  }
}
