/** Remembers the files that were read since the last request to a model, so that unchanged files are not read again. */
import { isUnchangedSince } from '../text/read.ts'
import { readSaved, type SavedFile } from './saved-file.ts'

export class PresentFiles {
  readonly #lastReads = new Map<string, SavedFile>()

  remember(path: string, lastRead: SavedFile | null): void {
    // For a path with a link, `isUnchangedSince` would not notice if the link led elsewhere.
    if (lastRead?.realPath === path) this.#lastReads.set(path, lastRead)
    else this.#lastReads.delete(path)
  }

  /** Returns null if the file is missing or cannot be read as text. */
  async read(path: string): Promise<SavedFile | null> {
    const lastRead = this.#lastReads.get(path)
    return lastRead && isUnchangedSince(lastRead) ? lastRead : await readSaved(path)
  }

  clear(): void {
    this.#lastReads.clear()
  }
}
