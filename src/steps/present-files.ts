import { isUnchangedSince } from '../text/read.ts'
import { readSaved, type SavedFile } from './saved-file.ts'

/** Files as they were last read in the present step, so that several hooks do not read the same state again. */
export class PresentFiles {
  readonly #lastReads = new Map<string, SavedFile>()

  /**
   * Remembers a file that was just read. Forgets it with null (its state is unknown, or it is missing or no text), and
   * if its path has a link: the link may change, and the file that it led to stays as it was.
   */
  remember(path: string, lastRead: SavedFile | null): void {
    if (lastRead?.realPath === path) this.#lastReads.set(path, lastRead)
    else this.#lastReads.delete(path)
  }

  /**
   * Returns the present state of a file; null if it is missing or no text. Reads the file only if it is not remembered
   * or its file status has changed, as when somebody else wrote it.
   */
  async read(path: string): Promise<SavedFile | null> {
    const lastRead = this.#lastReads.get(path)
    return lastRead && isUnchangedSince(lastRead) ? lastRead : await readSaved(path)
  }

  /** Forgets all files, to free their texts. */
  clear(): void {
    this.#lastReads.clear()
  }
}
