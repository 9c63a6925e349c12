import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { contains, folderPattern, isInside, pathPatterns, type Place } from '../boundary.ts'
import { fail, ok, reasonOf, type Result } from '../safe.ts'
import type { Ask } from '../write-file.ts'
import { isRejection } from './door.ts'

/** Where a path leads, links followed as far as it exists: what is missing has no real path of its own. */
const realPathOf = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    return dirname(path) === path ? path : join(await realPathOf(dirname(path)), basename(path))
  }
}

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
  /** What the host threw at the first refusal. */
  refusal: { thrown: unknown } | null = null

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
    if (this.refusal !== null && isRejection(this.refusal.thrown)) {
      return 'not asked for after the refusal before it'
    }
    try {
      await this.#options.ask(question)
      return null
    } catch (thrown) {
      this.refusal ??= { thrown }
      return `permission refused: ${reasonOf(thrown)}`
    }
  }
}
