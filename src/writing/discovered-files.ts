import { LruMap } from '../text/lru-map.ts'

/** What a session was shown of a file as it is now: all, some parts, only an earlier text of it, or nothing. */
type Knowledge = 'whole' | 'part' | 'changed' | 'unknown'

/** What one session was shown of files, by their real paths. */
export interface ShownFiles {
  /** Lists the paths, in the order in which they were first shown. */
  paths(): Array<string>
  /** Gives what the session was shown of the file at a path, whose text has this fingerprint now. */
  knows(path: string, realPath: string, fingerprint: string): Knowledge
  /** Notes that all of a text was shown, or was written by the session itself. */
  remember(realPath: string, fingerprint: string): void
  /** Notes that one part of a text was shown. Once each of its `count` parts was, all of it was. */
  rememberPart(realPath: string, fingerprint: string, part: { number: number; count: number }): void
  /** Copies the record, for a call that may not count on what is shown after it was made. */
  copy(): ShownFiles
}

/** A text that was shown in `count` parts; `missing` are the numbers of those that were not. */
type Shown = { fingerprint: string; count: number; missing: Array<number> }

/** The record of a session; a child session may use its parent's. */
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

  // Where a session and its parent were shown different texts of a file, the session's own counts.
  #shown(realPath: string): Shown | undefined {
    const parent = this.parent
    return this.#own.get(realPath) ?? (parent === undefined ? undefined : parent.#shown(realPath))
  }
}

/** The record of a caller that brings a plain set of paths (spec.md, Guard): what is in the set was shown wholly. */
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

/** How many sessions are remembered; one that is forgotten has to call discover-rules again. */
const MOST_SESSIONS = 500

/**
 * The record of what discover-rules showed, by session (spec.md, Guard). It is one object that all tools of a plugin
 * instance share. It lives in memory: after a restart nothing was shown.
 */
export class DiscoveredFiles {
  readonly #sessions = new LruMap<string, SessionFiles>(MOST_SESSIONS)

  /** Gives the record of a session, an empty one where it was shown nothing yet. */
  ofSession(sessionID: string): ShownFiles {
    return this.#ofSession(sessionID)
  }

  /** Lets a child session use its parent's record. */
  adopt(sessionID: string, parentID: string): void {
    this.#ofSession(sessionID).parent = this.#ofSession(parentID)
  }

  /** Drops the record of a session. */
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

/** Gives the record of a session. Of a plain set of paths each session was shown all. */
export const shownTo = (discovered: Set<string> | DiscoveredFiles, sessionID: string): ShownFiles =>
  discovered instanceof DiscoveredFiles ? discovered.ofSession(sessionID) : new NamedFiles(discovered)
