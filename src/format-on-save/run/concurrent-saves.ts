import { readSaved, type SavedFile, signatureOf } from './saved-file.ts'

const LOOK_EVERY_MS = 25

/** A state of a file; null where there was none, or no text. */
type Seen = SavedFile | null

/** Tells how a formatter damaged a file; null where it did not. */
const damageOf = (before: SavedFile, after: Seen): string | null => {
  if (after === null) return 'it removed the file, or left no text or more than 10 MB in it'
  return after.text.trim() === '' && before.text.trim() !== '' ? 'it emptied the file' : null
}

/** Counts the bytes that it takes at least to make one state of a file from another: all of it, or what was added. */
const bytesToMake = (from: Seen, to: Seen): number => {
  if (to === null) return 0
  const isAddition = from !== null && to.bytes.subarray(0, from.bytes.length).equals(from.bytes)
  return isAddition ? to.bytes.length - from.bytes.length : to.bytes.length
}

class WatchedFile {
  readonly path: string
  readonly before: SavedFile
  /** Its states in order; the first is the one before the formatter. */
  readonly states: Array<Seen>
  #signature: string

  constructor(path: string, before: SavedFile, signature: string) {
    this.path = path
    this.before = before
    this.states = [before]
    this.#signature = signature
  }

  async look(): Promise<void> {
    const signature = await signatureOf(this.path)
    if (signature === this.#signature) return
    this.#signature = signature
    const now = await readSaved(this.path)
    const last = this.states.at(-1)!
    if (now === null ? last !== null : !last?.bytes.equals(now.bytes)) this.states.push(now)
  }

  get now(): Seen {
    return this.states.at(-1)!
  }

  /** The states between the first and the last that the file no longer has. */
  get passed(): Array<SavedFile> {
    const { now } = this
    return this.states.slice(1, -1).filter((state) =>
      state !== null && state.text.trim() !== '' && !state.bytes.equals(this.before.bytes)
      && !now?.bytes.equals(state.bytes)
    ) as Array<SavedFile>
  }

  get bytesToMake(): number {
    return this.states.slice(1).reduce(
      (sum, state, index) => sum + bytesToMake(this.states[index]!, state),
      0,
    )
  }
}

/**
 * Watches files while a formatter runs on them, since a person may save one meanwhile. Nothing in a file says who
 * wrote it. But a formatter that wrote fewer bytes than it takes to make all states that were seen has not made them
 * all.
 */
export class WatchedFiles {
  readonly #files: Map<string, WatchedFile>
  #looking: Promise<void> = Promise.resolve()
  readonly #timer: NodeJS.Timeout

  private constructor(files: Array<WatchedFile>) {
    this.#files = new Map(files.map((file) => [file.path, file]))
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  /** Reads files and begins to watch them; one that is no text is left out. */
  static async start(paths: Iterable<string>): Promise<WatchedFiles> {
    const files: Array<WatchedFile> = []
    for (const path of new Set(paths)) {
      const signature = await signatureOf(path)
      const before = await readSaved(path)
      if (before) files.push(new WatchedFile(path, before, signature))
    }
    return new WatchedFiles(files)
  }

  /** Looks at all files now. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(async () => {
      for (const file of this.#files.values()) await file.look()
    })
    return this.#looking
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  get paths(): Array<string> {
    return [...this.#files.keys()]
  }

  /** A file before its formatter; null where it is not watched. */
  before(path: string): Seen {
    return this.#files.get(path)?.before ?? null
  }

  /** A file as it was last seen. */
  now(path: string): Seen {
    return this.#files.get(path)?.now ?? null
  }

  /** Tells how the first damaged file was damaged; null where none is. */
  get damage(): string | null {
    for (const { path, before, now } of this.#files.values()) {
      const damage = damageOf(before, now)
      if (damage !== null) return `${damage}: ${path}`
    }
    return null
  }

  /** Whether a formatter wrote enough to have made all that was seen of the files. */
  #hasMadeAll(bytesWritten: number | null): boolean {
    const needed = [...this.#files.values()].reduce((sum, { bytesToMake }) => sum + bytesToMake, 0)
    return bytesWritten !== null && needed <= bytesWritten
  }

  /**
   * Gives the states of a file that a formatter wrote over and need not have made itself: one of them may be what a
   * person saved.
   *
   * @param bytesWritten by the formatters that ran; null where that is not known: then none is given, since what a
   * formatter does in several steps would look like a save
   */
  writtenOver(path: string, bytesWritten: number | null): Array<SavedFile> {
    return bytesWritten === null || this.#hasMadeAll(bytesWritten) ? [] : this.#files.get(path)?.passed ?? []
  }

  /**
   * Gives the state to put back after a formatter failed; null where the file stays. Where the formatter wrote enough
   * bytes to have made all states, it is the one before it. Else somebody else may have written: then only a damaged
   * file is put back, to the last state that was not damaged.
   *
   * @param bytesWritten by the formatter; null where that is not known
   */
  toPutBack(path: string, bytesWritten: number | null): Seen {
    const file = this.#files.get(path)
    if (!file || file.states.length === 1) return null
    if (this.#hasMadeAll(bytesWritten)) return file.before
    if (damageOf(file.before, file.now) === null) return null
    return file.states.findLast((state) => damageOf(file.before, state) === null) ?? file.before
  }
}
