import { dirname } from 'node:path'
import { contains, folderPattern, isInside, pathPatterns, type Place } from '../files/boundary.ts'
import { realPathOf } from '../files/real-path.ts'
import type { Ask, Refusal } from '../files/write-context.ts'
import { fail, ok, type Result } from '../safe.ts'
import { NOT_ASKED } from './permissions.ts'

export type ReadConsentOptions = {
  place: Place
  ask: Ask
  /** The real paths of the files that the host loads by itself; they are read without a question. */
  hostFiles: () => Promise<Set<string>>
}

/**
 * Asks the person before a path that a model named is read, as the host's own tools do: `external_directory` where it
 * leads out of the project, and `read`, which keeps such files as `.env` from a model. After a person's no, nothing
 * more is asked in this call.
 */
export class ReadConsent {
  readonly #options: ReadConsentOptions
  readonly #permitted: Array<string> = []
  #hostFiles: Promise<Set<string>> | undefined
  /** The first refusal of a permission. */
  refusal: Refusal | null = null

  constructor(options: ReadConsentOptions) {
    this.#options = options
  }

  /** The real path of a file that may be read, or why it may not. */
  async toRead(path: string): Promise<Result<string>> {
    const realPath = await realPathOf(path)
    if (await this.#isLoadedByHost(realPath)) return ok(realPath)
    const refusal = await this.#enter(dirname(realPath), realPath)
      ?? await this.#ask({
        permission: 'read',
        patterns: pathPatterns(this.#options.place, realPath, [path]),
        always: ['*'],
        metadata: { filepath: realPath },
      })
    return refusal === null ? ok(realPath) : fail(refusal)
  }

  /** Why files may not be looked for in a folder, or null. */
  async toList(folder: string): Promise<string | null> {
    const realPath = await realPathOf(folder)
    return this.#enter(realPath, realPath)
  }

  async #isLoadedByHost(realPath: string): Promise<boolean> {
    return (await (this.#hostFiles ??= this.#options.hostFiles())).has(realPath)
  }

  async #enter(folder: string, filepath: string): Promise<string | null> {
    const { place } = this.#options
    const isPermitted = isInside(place, filepath) || this.#permitted.some((one) => contains(one, filepath))
    if (isPermitted) return null
    const pattern = folderPattern(folder)
    const refusal = await this.#ask({
      permission: 'external_directory',
      patterns: [pattern],
      always: [pattern],
      metadata: { filepath, parentDir: folder },
    })
    if (refusal === null) this.#permitted.push(folder)
    return refusal
  }

  async #ask(question: Parameters<Ask>[0]): Promise<string | null> {
    if (this.refusal?.permission?.by === 'person') return NOT_ASKED
    const { error } = await this.#options.ask(question)
    if (error?.permission !== undefined) this.refusal ??= error
    return error?.error ?? null
  }
}
