import type { Client } from '../host/client.ts'
import { HiddenMessage } from './hidden-message.ts'
import { type Entry, type History, isSettled } from './history.ts'
import type { Rule } from './rule-files.ts'

/** A file that a session touched, and the index of the message where it came in; `null` before a compaction. */
export type TouchedFile = { file: string; index: number | null }

/** Lists the files that a message is about, relative to the worktree. */
export type FilesOf = (entry: Entry) => Array<string>

const NONE: ReadonlyArray<string> = []

/**
 * The files that a session's history touches, each at its first message, in order. As long as messages are only added,
 * each is read once, and each file is tried once for each rule.
 */
export class TouchedFiles {
  readonly #filesOf: FilesOf
  #earlier = NONE
  #read: Array<{ id: string; parts: number }> = []
  #files: Array<TouchedFile> = []
  #names = new Set<string>()
  #tried = new WeakMap<Rule, { count: number; first?: TouchedFile }>()

  constructor(filesOf: FilesOf) {
    this.#filesOf = filesOf
  }

  /** The names of the files. */
  get names(): Array<string> {
    return [...this.#names]
  }

  /** Reads a history, whose summarised messages touched the files in `earlier`. */
  read(history: History, earlier = NONE): this {
    const isLonger = earlier === this.#earlier
      && this.#read.every(({ id, parts }, index) =>
        history[index]?.info.id === id && history[index].parts.length === parts
      )
    if (!isLonger) this.#start(earlier)
    for (let index = this.#read.length; index < history.length; index++) {
      const { info: { id }, parts } = history[index]!
      for (const file of this.#filesOf(history[index]!)) this.#add(file, index)
      this.#read.push({ id, parts: parts.every(isSettled) ? parts.length : -1 })
    }
    return this
  }

  /** Gives the first file that a rule applies to. */
  firstFor(rule: Rule): TouchedFile | undefined {
    const known = this.#tried.get(rule) ?? { count: 0 }
    for (; !known.first && known.count < this.#files.length; known.count++) {
      const one = this.#files[known.count]!
      if (rule.applies?.(one.file)) known.first = one
    }
    this.#tried.set(rule, known)
    return known.first
  }

  #start(earlier: ReadonlyArray<string>): void {
    this.#earlier = earlier
    this.#read = []
    this.#files = []
    this.#names.clear()
    this.#tried = new WeakMap()
    for (const file of earlier) this.#add(file, null)
  }

  #add(file: string, index: number | null): void {
    if (this.#names.has(file)) return
    this.#names.add(file)
    this.#files.push({ file, index })
  }
}

/**
 * Lists the files touched in the messages that a compaction summarised: those of the whole history before it that the
 * history of a request no longer has.
 */
export const touchedBefore = (
  whole: History,
  history: History,
  compaction: Entry['info'],
  filesOf: FilesOf,
): Array<string> => {
  const shown = new Set(history.map(({ info }) => info.id))
  const before = whole.filter(({ info }) =>
    !shown.has(info.id) && info.time.created < compaction.time.created
  )
  return new TouchedFiles(filesOf).read(before).names
}

/**
 * What is known of a session. None of it decides what a request holds: all of it can be read from the history again, and
 * is kept for speed, or because it concerns a running call.
 */
export type Session = {
  id: string
  hidden: HiddenMessage
  touched: TouchedFiles
  /** Whether the next history that the host passes is for a summary. */
  isCompacting: boolean
  /** The id of the first message that the person undid, while they may still redo it. */
  undoneFrom: string | undefined
  /** The files that were touched before a compaction, and its id. */
  earlier?: { compaction: string; files: Array<string> }
  /** The agent of the last request, and the paths of the rules that it held. */
  request: { agent: string; shown: ReadonlySet<string> }
  /** The sets of rules that a call was refused for, each with the request before it. */
  refusedIn: Map<string, Session['request']>
  /** Resolves when all that is queued for it is done. */
  work: Promise<void>
}

/** Makes a session that nothing is known of. */
export const newSession = (id: string, client: Client, filesOf: FilesOf): Session => ({
  id,
  hidden: new HiddenMessage(client, id),
  touched: new TouchedFiles(filesOf),
  isCompacting: false,
  undoneFrom: undefined,
  request: { agent: '', shown: new Set() },
  refusedIn: new Map(),
  work: Promise.resolve(),
})
