/** The folder `steps/`: the calls of a session's step, and their files before, as written and as formatted. */
import { resolve } from 'node:path'
import type { Client } from '../host/client.ts'
import { filesOfCall } from '../host/file-tools.ts'
import type { PartHooks } from '../host/join-hooks.ts'
import type { Log } from '../host/log.ts'
import { realPathOf } from '../paths/real-path.ts'
import { LruMap } from '../text/lru-map.ts'
import { isUnchangedSince } from '../text/read.ts'
import { KeyedLock } from '../writing/keyed-lock.ts'
import { MessageReader } from './message-reader.ts'
import { PartStore } from './part-store.ts'
import type { SavedFile } from './saved-file.ts'
import { type CallFile, type FileState, type HostCall, readState, StepCall } from './step-call.ts'

const MAX_SESSIONS = 100

/** What a session's calls did since its last request. */
export type Step = {
  /** The calls that succeeded, in the order in which they ended. */
  calls: Array<StepCall>
  /** The files that were formatted after the calls, by real path. */
  formatted: Map<string, SavedFile>
}

/** Returns further keys, besides its files, that a call locks while it runs. */
type ExtraLocks = (call: StepCall) => Array<string>

const keyOf = (sessionID: string, name: string): string => `${sessionID} ${name}`

/** Records what the calls of each session's present step do to files. Format on save and the checks read this record. */
export class Steps {
  readonly parts: PartStore
  readonly #directory: string
  readonly #locks = new KeyedLock()
  /** Held per session until a call has queued for its files, so that calls keep their order. */
  readonly #queueing = new KeyedLock()
  readonly #running = new Map<string, StepCall>()
  /** Keyed by the arguments object, which all hooks before a call receive. */
  readonly #starts = new WeakMap<object, Promise<StepCall>>()
  readonly #steps = new LruMap<string, Step>(MAX_SESSIONS)
  readonly #messages = new LruMap<string, MessageReader>(MAX_SESSIONS)

  constructor({ client, directory, log }: { client: Client; directory: string; log: Log }) {
    this.#directory = directory
    this.parts = new PartStore(client, log)
  }

  /** The hooks that run before those of delivery and format on save: they end failed calls, and insert changed parts. */
  get before(): PartHooks {
    return {
      'experimental.chat.messages.transform': async (_, { messages }) => {
        const sessionID = messages[0]?.info.sessionID
        if (sessionID !== undefined) await this.dropSession(sessionID)
        this.parts.insertChanged(messages)
      },
      'experimental.session.compacting': ({ sessionID }) => this.dropSession(sessionID),
      // First, because `dispose` of the others reads the stored history.
      dispose: () => this.parts.flush(),
      event: async ({ event: { type, properties } }) => {
        if (type === 'message.part.updated') {
          const { part } = properties
          if (part.type === 'tool' && part.state.status === 'error') {
            await this.#endFailed(part.sessionID, part.callID)
          }
        } else if (type === 'session.idle') await this.dropSession(properties.sessionID)
        else if (type === 'session.deleted') await this.dropSession(properties.info.id)
      },
    }
  }

  /** The hooks that run after those of delivery and format on save: a call ends, and a request begins the next step. */
  get after(): PartHooks {
    return {
      'experimental.chat.messages.transform': async (_, { messages }) => {
        const sessionID = messages[0]?.info.sessionID
        if (sessionID === undefined) return
        this.#steps.delete(sessionID)
        this.messageReaderOf(sessionID).endRequest()
        this.parts.forgetStored(sessionID)
      },
      'tool.execute.after': async ({ args, ...host }) => {
        const call = await this.finish(host, Object(args))
        if (call) this.end(call)
      },
    }
  }

  /** Returns the present step of a session. */
  stepOf(sessionID: string): Step {
    return this.#steps.getOrCreate(sessionID, () => ({ calls: [], formatted: new Map() }))
  }

  /** Returns the reader of a session's messages. */
  messageReaderOf(sessionID: string): MessageReader {
    return this.#messages.getOrCreate(sessionID, () => new MessageReader())
  }

  /** The files of running calls that were read before their call. */
  get runningFiles(): Array<CallFile> {
    return [...this.#running.values()].flatMap(({ files }) => files).filter(({ hasBefore }) => hasBefore)
  }

  /**
   * Registers a call before it runs, and waits until earlier calls of its session on the same files have ended: if two
   * patches on one file waited for the person's permission at the same time, the host would lose hunks. Each hook that
   * calls this gets the same `StepCall`.
   */
  start(host: HostCall, args: Record<string, unknown>, extraLocks: ExtraLocks = () => []): Promise<StepCall> {
    const started = this.#starts.get(args) ?? this.#start(new StepCall(host, args), extraLocks)
    this.#starts.set(args, started)
    return started
  }

  async #start(call: StepCall, extraLocks: ExtraLocks): Promise<StepCall> {
    const { sessionID, callID } = call.host
    const key = keyOf(sessionID, callID)
    const other = this.#running.get(key)
    this.#running.set(key, call)
    if (other) {
      other.isCurrent = false
      // It is no longer in `#running`, so nobody else would release its files.
      other.release()
    }
    const leaveQueue = await this.#queueing.acquire([sessionID])
    await this.#resolveFiles(call)
    const keys = [...call.named.map(({ real }) => real), ...extraLocks(call)]
    const locked = this.#locks.acquire(keys.map((name) => keyOf(sessionID, name)))
    leaveQueue()
    call.whenEnded(await locked)
    call.throwIfEnded()
    return call
  }

  /** Resolves the files that a call names. */
  async #resolveFiles(call: StepCall): Promise<void> {
    const { host: { tool }, args } = call
    const { readCall } = await import('./call.ts')
    const files = readCall(tool, args, this.#directory)
    const paths = filesOfCall(tool, args).map((name) => resolve(this.#directory, name))
    const all = [...new Set([...paths, ...files.flatMap(({ from, path }) => [from, path])])]
    const real = new Map(await Promise.all(all.map(async (path) => [path, await realPathOf(path)] as const)))
    call.named = paths.map((path) => ({ path, real: real.get(path)! }))
    call.files = files.map((file) => {
      const paths = { from: real.get(file.from)!, to: real.get(file.path)! }
      return { file, real: paths, hasBefore: false, isShared: false }
    })
  }

  /**
   * Reads a file before a call, once. If another running call writes it, both are marked as shared: what is read before or
   * after the one may include the text of the other.
   */
  async readBefore(file: CallFile): Promise<void> {
    if (file.hasBefore) return
    for (const other of this.runningFiles.filter(({ real }) => real.from === file.real.from)) {
      other.isShared = true
      file.isShared = true
    }
    file.hasBefore = true
    file.before = await readState(file.real.from)
  }

  /** Records that a call has succeeded: reads again, once, the files that were read before it. Null for an unknown call. */
  async finish({ sessionID, callID }: HostCall, sent: Record<string, unknown>): Promise<StepCall | null> {
    const call = this.#running.get(keyOf(sessionID, callID))
    if (!call) return null
    const { calls, formatted } = this.stepOf(sessionID)
    if (!calls.includes(call)) calls.push(call)
    for (const file of call.files) {
      if (!file.before || file.after) continue
      formatted.delete(file.real.to)
      file.after = await readState(file.file.path)
      // Frees the bytes, which are not needed any more.
      file.before.saved = null
      file.replayed = await this.#replay(call, file, { ...sent })
    }
    return call
  }

  /** Applies a call to the file's text before it. If the host matched `oldString` loosely, uses the text that it replaced. */
  async #replay(
    { host: { tool } }: StepCall,
    { file, before, after }: CallFile,
    args: Record<string, unknown>,
  ) {
    const old = before?.text ?? null
    const applied = file.apply(old)
    const now = after?.text
    if (applied || typeof now !== 'string') return { applied, args, file }
    const { exactArgs, fileOf } = await import('./call.ts')
    const exact = exactArgs(args, old ?? '', now)
    const found = fileOf({ tool, args: exact, path: file.path }, this.#directory) ?? file
    return { applied: found.apply(old), args: exact, file: found }
  }

  /** Returns the present text of a file of the step. Reads it again only if its stats on the disk have changed. */
  async textNow(sessionID: string, { file, real, after }: CallFile): Promise<FileState['text']> {
    const saved = this.stepOf(sessionID).formatted.get(real.to) ?? after?.saved
    return saved && isUnchangedSince(saved) ? saved.text : (await readState(file.path)).text
  }

  /** Ends a call after all hooks: the next call on its files may run. */
  end({ host: { sessionID, callID } }: StepCall): void {
    const key = keyOf(sessionID, callID)
    this.#running.get(key)?.end()
    this.#running.delete(key)
  }

  /** Ends a call that failed. */
  async #endFailed(sessionID: string, callID: string): Promise<void> {
    const call = this.#running.get(keyOf(sessionID, callID))
    if (!call) return
    await call.fail()
    this.end(call)
  }

  /** Ends, as failed, all running calls of a session: the event of a failed call may still be missing. */
  async dropSession(sessionID: string): Promise<void> {
    for (const { host } of [...this.#running.values()]) {
      if (host.sessionID === sessionID) await this.#endFailed(sessionID, host.callID)
    }
  }
}
