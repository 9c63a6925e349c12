/** Remembers files as they were last read since the last request to a model, so that other hooks need not read them. */
import { isUnchangedSince } from '../text/read.ts'
import { readSaved, type SavedFile } from './saved-file.ts'

export class PresentFiles {
  readonly #lastReads = new Map<string, SavedFile>()

  /**
   * Remembers a file that was just read; with null, forgets the file. Also forgets a file whose path contains a link:
   * if the link changes, the status of the file to which it led does not show that.
   */
  remember(path: string, lastRead: SavedFile | null): void {
    if (lastRead?.realPath === path) this.#lastReads.set(path, lastRead)
    else this.#lastReads.delete(path)
  }

  /**
   * Returns the present state of a file; null if it is missing or cannot be read as text. Reads the file only if it is
   * not remembered, or if its file status has changed.
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
