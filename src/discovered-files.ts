/**
 * The record of what discover-rules showed: real paths, and for each what the file said then. It is one object that
 * all tools of a plugin instance share. As a set of paths it can stand where a plain `Set<string>` does.
 */
export class DiscoveredFiles extends Set<string> {
  readonly #fingerprints = new Map<string, string>()

  /** Notes that the file at a real path was shown, or written, with this fingerprint. */
  remember(realPath: string, fingerprint: string): void {
    this.add(realPath)
    this.#fingerprints.set(realPath, fingerprint)
  }

  /** Whether the file still said this when it was last shown; true where only membership is known. */
  stillSays(realPath: string, fingerprint: string): boolean {
    const known = this.#fingerprints.get(realPath)
    return known === undefined || known === fingerprint
  }

  /** The record as it is now, for a call that must not profit from what others learn after it was made. */
  copy(): DiscoveredFiles {
    const copy = new DiscoveredFiles(this)
    for (const [realPath, fingerprint] of this.#fingerprints) copy.remember(realPath, fingerprint)
    return copy
  }
}
