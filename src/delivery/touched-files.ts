import { relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOfCall, isPatch, PATCH_HEADER } from '../host/file-tools.ts'
import { contains, type Place } from '../paths/boundary.ts'
import { safe } from '../safe.ts'
import { type Entry, type EntryPart, type History, isSettled } from './history.ts'
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

/** How the answer of a refused call begins, which distinguishes it in the history from a failed call. */
export const RULES_FIRST = 'Rules come first, nothing was written.'

/** Lists the files that a call would write and that its tool may add, as its arguments name them. */
export const filesToAdd = (tool: string, args: unknown): Array<string> => {
  const { filePath, patchText } = Object(args) as Record<string, unknown>
  if (tool === 'write') return isText(filePath) ? [filePath] : []
  if (!isPatch(tool) || !isText(patchText)) return []
  return patchText.split('\n').flatMap((line) => {
    const [, what, name] = PATCH_HEADER.exec(line.trimEnd()) ?? []
    return what === 'Add' && name !== undefined ? [name.trim()] : []
  })
}

const filesOfTool = ({ tool, state }: ToolPart): Array<unknown> => {
  // The rules that it was refused for join by the files that it did not write.
  if (state.status === 'error' && state.error.includes(RULES_FIRST)) return filesToAdd(tool, state.input)
  if (state.status !== 'completed') return []
  const { files, display } = state.metadata
  if (Object(display).type === 'directory') return []
  const search = SEARCHES[tool]
  // Not with the flag `m`: a found line may contain a lone carriage return.
  if (search) return fewOf(state.output.split('\n').flatMap((line) => search.exec(line)?.[1] ?? []))
  if (OWN_TOOLS.has(tool)) return Array.isArray(files) ? fewOf(files) : []
  // A patch lists the files that it changed in its metadata; its arguments say only what it should do.
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

// A path in a person's words: with a slash, or with an ending; no address, pattern, flag or path of the home folder.
const WORD = /[^\s"'`<>|,;]+/g
const IS_PATH = /^(?![-~])(?!.*(?:[*?]|:\/\/))(?:.*[^/]\/.*[^/]|.*\w\.[a-z][\w-]{1,9}|.*\w\w\.[a-z])$/i

/** Lists the paths that a person's words name, at most 20; a line number after one is no part of it. */
const pathsIn = (text: string): Array<string> => {
  const words = text.replaceAll('](', ' ').match(WORD) ?? []
  const bare = words.map((word) =>
    word.slice(0, 300).replace(/^[(@]+/, '').replace(/[.,:!?)\]}]+$/, '').replace(
      /:\d+(?:[:-]\d+)?$|#L\d.*$/,
      '',
    )
  )
  return [...new Set(bare.filter((word) => IS_PATH.test(word)))].slice(0, MAX_FOUND)
}

/** Gives a path, as a call or a person names it, from the worktree and with `/`; undefined outside of that. */
export const fromWorktree = (name: string, { given, real }: SessionPlaces): string | undefined => {
  const path = resolve(given.directory, name)
  const within = contains(given.directory, path)
    ? resolve(real.directory, relative(given.directory, path))
    : path
  const root = [real.worktree, given.worktree].find((worktree) => contains(worktree, within))
  return root === undefined ? undefined : relative(root, within).split(sep).join('/')
}

const namedIn = (
  part: EntryPart,
  role: Entry['info']['role'],
  { given, real }: SessionPlaces,
): Array<unknown> => {
  if (part.type === 'tool') return filesOfTool(part)
  if (part.type === 'file') return [fileOfAttachment(part, given.worktree)]
  if (part.type !== 'text' || role !== 'user' || part.synthetic) return []
  // People name files from where they are, or from the root of their project.
  return pathsIn(part.text).flatMap((name) => [resolve(real.directory, name), resolve(real.worktree, name)])
}

/**
 * Lists the files that a message is about: what a tool read, wrote, edited or patched, or what a person attached or
 * named. They are relative to the worktree, with `/`; files outside of it are left out.
 */
export const touchedFiles = ({ info, parts }: Entry, places: SessionPlaces): Array<string> => {
  const named = parts.filter(isSettled).flatMap((part) => namedIn(part, info.role, places))
  return [...new Set(named.filter(isText))].flatMap((name) => fromWorktree(name, places) ?? [])
}

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
