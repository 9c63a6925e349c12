import { relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOfCall, isPatch } from '../host/file-tools.ts'
import { contains, type Place } from '../paths/boundary.ts'
import { safe } from '../safe.ts'
import type { Entry, EntryPart, History, HistoryPlace } from './history.ts'
import type { Rule } from './rule-files.ts'

type ToolPart = Extract<EntryPart, { type: 'tool' }>
type FilePart = Extract<EntryPart, { type: 'file' }>

/** Where a session is: as the host gives it, and the same with links resolved. */
export type SessionPlaces = { given: Place; real: Place }

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

// SAT's own tools that read or write files; each names them in its answer's metadata.
const OWN_TOOLS = new Set(['discover-rules', 'rewrite-rules', 'add-rules'])

// The host's tools that find files, and how a line of their answers names one (OpenCode 1.18).
const SEARCHES: Record<string, RegExp> = {
  glob: /^(?![(]|No files found$)(.+)$/,
  grep: /^(?! |Found \d)(.+):$/,
}

// A search that names more files shows the model a list to choose from, not files that it works on.
const MAX_FOUND = 20

const fewOf = (found: Array<unknown>): Array<unknown> => (found.length > MAX_FOUND ? [] : found)

const filesOfTool = ({ tool, state }: ToolPart): Array<unknown> => {
  if (state.status !== 'completed') return []
  const { files, display } = state.metadata
  if (Object(display).type === 'directory') return []
  const search = SEARCHES[tool]
  // Not by the flag `m`: a line that was found may have a lone carriage return in it.
  if (search) return fewOf(state.output.split('\n').flatMap((line) => search.exec(line)?.[1] ?? []))
  if (OWN_TOOLS.has(tool)) return Array.isArray(files) ? fewOf(files) : []
  // A patch tells in its metadata which files it changed; its arguments only say what it was to do.
  if (!isPatch(tool) || !Array.isArray(files)) return filesOfCall(tool, state.input)
  return files.flatMap((file: unknown) => [Object(file).filePath, Object(file).movePath])
}

// The host names an attachment as the person did, which is relative to the worktree.
const fileOfAttachment = ({ mime, url, filename, source }: FilePart, worktree: string): unknown => {
  if (mime === 'application/x-directory') return undefined
  if (url.startsWith('file:')) return safe(() => fileURLToPath(url)).data
  const name = source && 'path' in source ? source.path : filename
  return name === undefined ? undefined : resolve(worktree, name)
}

/** Whether a part of a message is complete: any but a call that is under way. */
export const isSettled = (part: EntryPart): boolean =>
  part.type !== 'tool' || part.state.status === 'completed' || part.state.status === 'error'

/**
 * Lists the files that a part of a message is about: what a tool read, wrote, edited or patched, or what a person
 * attached. They are relative to the worktree, with `/`; files outside of it are left out.
 */
export const touchedFiles = (part: EntryPart, { given, real }: SessionPlaces): Array<string> => {
  const named = part.type === 'tool'
    ? filesOfTool(part)
    : part.type === 'file'
    ? [fileOfAttachment(part, given.worktree)]
    : []
  return [...new Set(named.filter(isText))].flatMap((name) => {
    const path = resolve(given.directory, name)
    const within = contains(given.directory, path)
      ? resolve(real.directory, relative(given.directory, path))
      : path
    const root = [real.worktree, given.worktree].find((worktree) => contains(worktree, within))
    return root === undefined ? [] : [relative(root, within).split(sep).join('/')]
  })
}

/** A message that was read. `amount` is the number of its parts, or -1 where one is under way: then it is read again. */
type Known = { id: string; amount: number; files: Array<string>; place: HistoryPlace }

const placeAt = ({ info }: Entry): HistoryPlace => ({
  role: info.role,
  created: info.time.created,
  // A rule stands behind the answer of a tool, and before the words of a person who attached a file.
  side: info.role === 'user' ? 'before' : 'after',
})

/** The files that a session is about, and where in its history each was touched first. */
export class TouchedFiles {
  readonly #filesOf: (part: EntryPart) => Array<string>
  /** The files of messages that a compaction took out of the history. */
  #summedUp: ReadonlyArray<string> = []
  #known: Array<Known> = []
  #files: ReadonlyArray<string> = []
  #places = new Map<string, HistoryPlace>()
  /** How many of the files each rule was matched against, and the first that it matches. */
  #matched = new WeakMap<Rule, { tried: number; file: string | undefined }>()

  /** @param filesOf the files of a part of a message, relative to the worktree */
  constructor(filesOf: (part: EntryPart) => Array<string>) {
    this.#filesOf = filesOf
  }

  /** Keeps the files so far without their messages, which a compaction took out of the history. */
  sumUp(): void {
    this.#summedUp = this.#files
    this.#known = []
    this.#places.clear()
  }

  /** Forgets all, for a history that begins anew. */
  clear(): void {
    this.#files = []
    this.sumUp()
    this.#matched = new WeakMap()
  }

  /** Adds the files of messages that are new in a history, and drops those of messages that were undone. */
  update(history: History): void {
    const differs = this.#known.findIndex(({ id, amount }, index) => {
      const entry = history[index]
      return entry?.info.id !== id || entry.parts.length !== amount
    })
    if (differs >= 0) this.#goBackTo(differs)
    const before = this.#places.size
    for (const entry of history.slice(this.#known.length)) this.#learn(entry)
    if (this.#places.size > before) this.#files = this.#allFiles()
  }

  #goBackTo(amount: number): void {
    const kept = this.#known.slice(0, amount)
    this.#known = []
    this.#places.clear()
    for (const known of kept) this.#add(known)
    this.#files = this.#allFiles()
    this.#matched = new WeakMap()
  }

  #allFiles(): Array<string> {
    return this.#summedUp.length === 0
      ? [...this.#places.keys()]
      : [...new Set([...this.#summedUp, ...this.#places.keys()])]
  }

  #learn(entry: Entry): void {
    const settled = entry.parts.filter(isSettled)
    const isOver = settled.length === entry.parts.length
    this.#add({
      id: entry.info.id,
      amount: isOver ? settled.length : -1,
      files: settled.flatMap(this.#filesOf),
      place: placeAt(entry),
    })
  }

  #add(known: Known): void {
    this.#known.push(known)
    for (const file of known.files) if (!this.#places.has(file)) this.#places.set(file, known.place)
  }

  /** The files, in the order in which they were touched; the same object while none is added or dropped. */
  get files(): ReadonlyArray<string> {
    return this.#files
  }

  /** Gives the place in the history where a file was touched first, if it is still there. */
  placeOf(file: string): HistoryPlace | undefined {
    return this.#places.get(file)
  }

  /** Gives the first file that a rule applies to. Each file is tried once for each rule. */
  matchOf(rule: Rule): string | undefined {
    let known = this.#matched.get(rule)
    if (!known) this.#matched.set(rule, known = { tried: 0, file: undefined })
    for (; known.file === undefined && known.tried < this.#files.length; known.tried++) {
      const file = this.#files[known.tried]!
      if (rule.applies?.(file)) known.file = file
    }
    return known.file
  }
}
