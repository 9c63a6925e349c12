import { LruMap } from './lru-map.ts'

/**
 * How well a session knows what a file says: it was shown all of it, some parts of it, what it said before, or nothing
 * of it.
 */
export type Knowledge = 'whole' | 'part' | 'changed' | 'unknown'

/** What one session was shown of files, by their real paths. */
export interface ShownFiles {
  /** The paths, in the order in which they were first shown. */
  paths(): Array<string>
  /** How well the session knows the file under a path, whose text now has this fingerprint. */
  knows(path: string, realPath: string, fingerprint: string): Knowledge
  /** Notes that all of a text was shown, or was written by the session itself. */
  remember(realPath: string, fingerprint: string): void
  /** Notes that one part of a text was shown; once each of its `count` parts was, the whole was. */
  rememberPart(realPath: string, fingerprint: string, part: { number: number; count: number }): void
  /** The record as it is now, for a call that must not profit from what is learnt after it was made. */
  copy(): ShownFiles
}

/** A text that was shown in `count` parts; `missing` are the numbers of those that were not. */
type Shown = { fingerprint: string; count: number; missing: Array<number> }

/** The record of a session, which may use that of the session that started it. */
class SessionFiles implements ShownFiles {
  readonly #own = new Map<string, Shown>()
  parent: SessionFiles | undefined

  paths(): Array<string> {
    return [...new Set([...this.#own.keys(), ...this.parent?.paths() ?? []])]
  }

  knows(_path: string, realPath: string, fingerprint: string): Knowledge {
    const shown = this.#shown(realPath)
    if (shown === undefined) return 'unknown'
    if (shown.fingerprint !== fingerprint) return 'changed'
    return shown.missing.length === 0 ? 'whole' : 'part'
  }

  remember(realPath: string, fingerprint: string): void {
    this.#own.set(realPath, { fingerprint, count: 1, missing: [] })
  }

  rememberPart(realPath: string, fingerprint: string, { number, count }: { number: number; count: number }) {
    const shown = this.#shown(realPath)
    const isSame = shown?.fingerprint === fingerprint && (shown.count === count || shown.missing.length === 0)
    const missing = isSame ? shown.missing : Array.from({ length: count }, (_, index) => index + 1)
    this.#own.set(realPath, { fingerprint, count, missing: missing.filter((one) => one !== number) })
  }

  copy(): ShownFiles {
    const copy = new SessionFiles()
    for (const path of this.paths()) copy.#own.set(path, this.#shown(path)!)
    return copy
  }

  // What the session was shown itself counts before what the one that started it was shown.
  #shown(realPath: string): Shown | undefined {
    const parent = this.parent
    return this.#own.get(realPath) ?? (parent === undefined ? undefined : parent.#shown(realPath))
  }
}

/** A caller's own set of paths, for which membership is all that counts. */
class NamedFiles implements ShownFiles {
  readonly #paths: Set<string>

  constructor(paths: Set<string>) {
    this.#paths = paths
  }

  paths(): Array<string> {
    return [...this.#paths]
  }

  knows(path: string, realPath: string): Knowledge {
    return this.#paths.has(realPath) || this.#paths.has(path) ? 'whole' : 'unknown'
  }

  remember(realPath: string): void {
    this.#paths.add(realPath)
  }

  rememberPart(realPath: string): void {
    this.#paths.add(realPath)
  }

  copy(): ShownFiles {
    return new NamedFiles(new Set(this.#paths))
  }
}

/** How many sessions are remembered; one that was let go has to call discover-rules again. */
const MOST_SESSIONS = 500

/**
 * The record of what discover-rules showed, by session (spec.md, Guard). It is one object that all tools of a plugin
 * instance share. It lives in memory: after a restart nothing was shown.
 */
export class DiscoveredFiles {
  readonly #sessions = new LruMap<string, SessionFiles>(MOST_SESSIONS)

  ofSession(sessionID: string): ShownFiles {
    return this.#ofSession(sessionID)
  }

  /** Lets a session use the record of the one that started it. */
  adopt(sessionID: string, parentID: string): void {
    this.#ofSession(sessionID).parent = this.#ofSession(parentID)
  }

  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }

  #ofSession(sessionID: string): SessionFiles {
    const known = this.#sessions.get(sessionID)
    if (known !== undefined) return known
    const files = new SessionFiles()
    this.#sessions.set(sessionID, files)
    return files
  }
}

/** What a session was shown; of a plain set of paths each session was shown all. */
export const shownTo = (discovered: Set<string> | DiscoveredFiles, sessionID: string): ShownFiles =>
  discovered instanceof DiscoveredFiles ? discovered.ofSession(sessionID) : new NamedFiles(discovered)
