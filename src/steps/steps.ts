/** The room `steps/`: the calls of a session's step, and their files before, as written and as formatted. */
import { resolve } from 'node:path'
import type { Client } from '../host/client.ts'
import { filesOfCall } from '../host/file-tools.ts'
import type { HooksPart } from '../host/join-hooks.ts'
import type { Log } from '../host/log.ts'
import { realPathOf } from '../paths/real-path.ts'
import { LruMap } from '../text/lru-map.ts'
import { isUntouched } from '../text/read.ts'
import { KeyedLock } from '../writing/keyed-lock.ts'
import { PartStore } from './part-store.ts'
import { ReadMessages } from './read-messages.ts'
import type { SavedFile } from './saved-file.ts'
import { type CallFile, type FileState, type HostCall, readState, StepCall } from './step-call.ts'

const MAX_SESSIONS = 100

/** What the calls of a session's present step did, in the order in which they ended. */
export type Step = {
  calls: Array<StepCall>
  /** What formatters made of files once the step had ended, by real path. */
  formatted: Map<string, SavedFile>
}

/** Lists what else a call needs for itself. */
type HeldBy = (call: StepCall) => Array<string>

const keyOf = (sessionID: string, name: string): string => `${sessionID} ${name}`

/** The record of what the calls of each session's present step did to files, for all that looks at it. */
export class Steps {
  readonly parts: PartStore
  readonly #directory: string
  readonly #locks = new KeyedLock()
  /** Held, by session, until a call has its place in the queues of its files. */
  readonly #queueing = new KeyedLock()
  readonly #running = new Map<string, StepCall>()
  /** By the object of their arguments, which all hooks before a call get. */
  readonly #starts = new WeakMap<object, Promise<StepCall>>()
  readonly #steps = new LruMap<string, Step>(MAX_SESSIONS)
  readonly #messages = new LruMap<string, ReadMessages>(MAX_SESSIONS)

  constructor({ client, directory, log }: { client: Client; directory: string; log: Log }) {
    this.#directory = directory
    this.parts = new PartStore(client, log)
  }

  /** The hooks that run before those of the wings: calls that failed have ended, and a request has what was changed. */
  get before(): HooksPart {
    return {
      'experimental.chat.messages.transform': async (_, { messages }) => {
        const sessionID = messages[0]?.info.sessionID
        if (sessionID !== undefined) await this.dropSession(sessionID)
        this.parts.insertReplaced(messages)
      },
      'experimental.session.compacting': ({ sessionID }) => this.dropSession(sessionID),
      // Before the wings, which read at the end what is stored.
      dispose: () => this.parts.storeLate(),
      event: async ({ event: { type, properties } }) => {
        if (type === 'message.part.updated') {
          const { part } = properties
          if (part.type === 'tool' && part.state.status === 'error') {
            await this.#drop(part.sessionID, part.callID)
          }
        } else if (type === 'session.idle') await this.dropSession(properties.sessionID)
        else if (type === 'session.deleted') await this.dropSession(properties.info.id)
      },
    }
  }

  /** The hook that runs after those of the wings: the next step begins. */
  get after(): HooksPart {
    return {
      'experimental.chat.messages.transform': async (_, { messages }) => {
        const sessionID = messages[0]?.info.sessionID
        if (sessionID === undefined) return
        this.#steps.delete(sessionID)
        this.messagesOf(sessionID).endRequest()
        this.parts.forgetStored(sessionID)
      },
      'tool.execute.after': async ({ args, ...host }) => {
        const call = await this.finish(host, Object(args))
        if (call) this.end(call)
      },
    }
  }

  /** Gives what the calls of a session's present step did. */
  of(sessionID: string): Step {
    return this.#steps.getOrCreate(sessionID, () => ({ calls: [], formatted: new Map() }))
  }

  /** Gives the walk over the messages of a session. */
  messagesOf(sessionID: string): ReadMessages {
    return this.#messages.getOrCreate(sessionID, () => new ReadMessages())
  }

  /** Lists the files that calls are writing now. */
  get runningFiles(): Array<CallFile> {
    return [...this.#running.values()].flatMap(({ files }) => files).filter(({ isWritten }) => isWritten)
  }

  /**
   * Waits, before a call, until the calls of its session on its files have ended. They may wait for the person: of two
   * patches on a file that are both answered later, the host would lose hunks. Each hook gets the same call.
   */
  start(host: HostCall, args: Record<string, unknown>, held: HeldBy = () => []): Promise<StepCall> {
    const started = this.#starts.get(args) ?? this.#start(new StepCall(host, args), held)
    this.#starts.set(args, started)
    return started
  }

  async #start(call: StepCall, held: HeldBy): Promise<StepCall> {
    const { sessionID, callID } = call.host
    const key = keyOf(sessionID, callID)
    const other = this.#running.get(key)
    this.#running.set(key, call)
    if (other) {
      other.isFollowed = false
      // Nobody else would release the files.
      other.release()
    }
    const next = await this.#queueing.acquire([sessionID])
    await this.#find(call)
    const keys = [...call.named.map(({ real }) => real), ...held(call)]
    const turn = this.#locks.acquire(keys.map((name) => keyOf(sessionID, name)))
    next()
    call.whenEnded(await turn)
    call.assertRuns()
    return call
  }

  /** Finds the files of a call. */
  async #find(call: StepCall): Promise<void> {
    const { host: { tool }, args } = call
    const { readCall } = await import('./call.ts')
    const files = readCall(tool, args, this.#directory)
    const paths = filesOfCall(tool, args).map((name) => resolve(this.#directory, name))
    const all = [...new Set([...paths, ...files.flatMap(({ from, path }) => [from, path])])]
    const real = new Map(await Promise.all(all.map(async (path) => [path, await realPathOf(path)] as const)))
    call.named = paths.map((path) => ({ path, real: real.get(path)! }))
    call.files = files.map((file) => {
      const paths = { from: real.get(file.from)!, to: real.get(file.path)! }
      return { file, real: paths, isWritten: false, isShared: false }
    })
  }

  /** Reads a file before a call, once; notes which calls run on it at the same time: one may read what another wrote. */
  async readBefore(one: CallFile): Promise<void> {
    if (one.isWritten) return
    for (const other of this.runningFiles.filter(({ real }) => real.from === one.real.from)) {
      other.isShared = true
      one.isShared = true
    }
    one.isWritten = true
    one.before = await readState(one.real.from)
  }

  /** Gives the running call that has succeeded. The files that were read before it are read after it, once. */
  async finish({ sessionID, callID }: HostCall, sent: Record<string, unknown>): Promise<StepCall | null> {
    const call = this.#running.get(keyOf(sessionID, callID))
    if (!call) return null
    const { calls, formatted } = this.of(sessionID)
    if (!calls.includes(call)) calls.push(call)
    for (const one of call.files) {
      if (!one.before || one.after) continue
      formatted.delete(one.real.to)
      one.after = await readState(one.file.path)
      // Its bytes are needed no more.
      one.before.saved = null
      one.made = await this.#made(call, one, { ...sent })
    }
    return call
  }

  /** Applies a call to the file before it; to the text that the host found where its `oldString` was not quite there. */
  async #made(
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

  /** Gives the text of a file of the present step as it is now: read again where the disk says that it changed since. */
  async textNow(sessionID: string, { file, real, after }: CallFile): Promise<FileState['text']> {
    const saved = this.of(sessionID).formatted.get(real.to) ?? after?.saved
    return saved && isUntouched(saved) ? saved.text : (await readState(file.path)).text
  }

  /** Ends a call once all hooks after it are done with it: the next one on its files may run. */
  end({ host: { sessionID, callID } }: StepCall): void {
    const key = keyOf(sessionID, callID)
    this.#running.get(key)?.end()
    this.#running.delete(key)
  }

  /** Ends a failed call. */
  async #drop(sessionID: string, callID: string): Promise<void> {
    const call = this.#running.get(keyOf(sessionID, callID))
    if (!call) return
    await call.fail()
    this.end(call)
  }

  /** Ends the calls of a session none of which runs any more: an event of a failed one may still be on its way. */
  async dropSession(sessionID: string): Promise<void> {
    for (const { host } of [...this.#running.values()]) {
      if (host.sessionID === sessionID) await this.#drop(sessionID, host.callID)
    }
  }
}
