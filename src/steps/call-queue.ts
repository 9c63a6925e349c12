/** Makes a session's calls on the same files wait for each other, so that the host loses no hunks of patches. */
import { resolve } from 'node:path'
import { filesOfCall } from '../host/file-tools.ts'
import { realPathOf } from '../paths/real-path.ts'
import { KeyedLock, type Release } from '../writing/keyed-lock.ts'
import type { StepCall } from './step-call.ts'

/** Lists the names that a call locks in its session, besides its files. */
export type ExtraLocks = (call: StepCall) => Array<string>

export class CallQueue {
  readonly #directory: string
  readonly #fileLocks = new KeyedLock()
  /** Held while a call finds its files, so that the first call of a session locks its files first. */
  readonly #queueLocks = new KeyedLock()

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Waits until earlier calls on the same files have ended; the returned function lets the next call run. */
  async enter(call: StepCall, extraLocks: ExtraLocks): Promise<Release> {
    const { sessionID } = call.host
    const leaveQueue = await this.#queueLocks.acquire([sessionID])
    try {
      await this.#resolveFiles(call)
      const names = [...call.named.map(({ real }) => real), ...extraLocks(call)]
      // Not awaited, because `acquire` puts the call in the queue at once.
      return this.#fileLocks.acquire(names.map((name) => `${sessionID} ${name}`))
    } finally {
      leaveQueue()
    }
  }

  async #resolveFiles(call: StepCall): Promise<void> {
    const { host: { tool }, args } = call
    const { targetsOf } = await import('./call.ts')
    const files = targetsOf(tool, args, this.#directory)
    const named = filesOfCall(tool, args).map((name) => resolve(this.#directory, name))
    const paths = new Set([...named, ...files.flatMap(({ from, path }) => [from, path])])
    const resolved = [...paths].map(async (path) => [path, await realPathOf(path)] as const)
    const realPaths = new Map(await Promise.all(resolved))
    const realOf = (path: string) => realPaths.get(path)!
    call.named = named.map((path) => ({ path, real: realOf(path) }))
    call.files = files.map((file) => ({
      file,
      real: { from: realOf(file.from), to: realOf(file.path) },
      isReadBefore: false,
      isShared: false,
    }))
  }
}
