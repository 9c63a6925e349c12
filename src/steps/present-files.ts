/** Remembers files as they were last read since the last request to a model, so that other hooks need not read them. */
import { isUnchangedSince } from '../text/read.ts'
import { readSaved, type SavedFile } from './saved-file.ts'

export class PresentFiles {
  readonly #lastReads = new Map<string, SavedFile>()

  remember(path: string, lastRead: SavedFile | null): void {
    // If the path has a link, the status of the file does not show that the link has changed.
    if (lastRead?.realPath === path) this.#lastReads.set(path, lastRead)
    else this.#lastReads.delete(path)
  }

  async read(path: string): Promise<SavedFile | null> {
    const lastRead = this.#lastReads.get(path)
    return lastRead && isUnchangedSince(lastRead) ? lastRead : await readSaved(path)
  }

  clear(): void {
    this.#lastReads.clear()
  }
}
