import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOfCall, filesToAdd, isPatch } from '../host/file-tools.ts'
import { RULES_FIRST } from '../host/message-parts.ts'
import { contains, pathPattern, projectRoot, type Workspace } from '../paths/boundary.ts'
import { realPathOf, realPathOr } from '../paths/real-path.ts'
import { safe, withTimeout } from '../safe.ts'
import { ReadMessages } from '../steps/read-messages.ts'
import { readInBatches } from '../text/read.ts'
import type { Entry, EntryPart, History } from './history.ts'
import type { Rule } from './rule-files.ts'

type ToolPart = Extract<EntryPart, { type: 'tool' }>
type FilePart = Extract<EntryPart, { type: 'file' }>

/** Where a session is: as the host gives it, and the same with links resolved. */
export type SessionPlaces = { given: Workspace; real: Workspace }

/** Gives the places of a session; without a repository the worktree is its directory. */
export const placesOf = async (place: Workspace): Promise<SessionPlaces> => {
  const given = { ...place, worktree: projectRoot(place) }
  const [directory, worktree] = await Promise.all([given.directory, given.worktree].map(realPathOr))
  return { given, real: { directory: directory!, worktree: worktree! } }
}

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
  // The rules that it was refused for join by the files that it did not write.
  if (state.status === 'error' && state.error.includes(RULES_FIRST)) return filesToAdd(tool, state.input)
  if (state.status !== 'completed') return []
  // Other plugins may remove it.
  const { files, display } = Object(state.metadata)
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
// Curly quotes, dashes and the marks of other scripts are no part of it. One with spaces stands in quotes or in backticks.
const WORD = /(?:[^\s"'`<>|,;\P{ASCII}]|[\p{L}\p{M}\p{N}])+/gu
const QUOTED = /(["`])([^"`\n]+)\1/g
const IS_PATH = /^(?![-~])(?!.*(?:[*?]|:\/\/))(?:.*[^/]\/.*[^/]|.*\w\.[a-z][\w-]{1,9}|.*\w\w\.[a-z])$/i

// Scripts that write words without spaces, or an ending right after a name; a path may also have such letters.
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]+/u

// What stands before and after a path in a sentence, and the number of a line after it.
const BEFORE = /^[(@*]+/
const AFTER = '.,:!?)]}*'
const LINE_NUMBER = /:\d+(?:[:-]\d+)?$|#L\d.*$|\(\d+$/

/** Gives the path in a word of a sentence; its signs are taken off one by one, for there may be hundreds. */
const bareWord = (word: string): string => {
  const start = word.slice(0, 300).replace(BEFORE, '')
  let end = start.length
  while (end > 0 && AFTER.includes(start[end - 1]!)) end--
  return start.slice(0, end).replace(LINE_NUMBER, '')
}

/** Lists the paths that a person's words name, at most 20. */
const pathsIn = (text: string): Array<string> => {
  const quoted = Array.from(text.matchAll(QUOTED), ([, , path]) => path!)
  const found = new Set<string>()
  // Most words have neither a slash nor a dot.
  for (const word of new Set([...text.replaceAll('](', ' ').match(WORD) ?? [], ...quoted])) {
    if (!/[./]/.test(word)) continue
    for (const bare of [...word.split(UNSPACED), word].map(bareWord)) if (IS_PATH.test(bare)) found.add(bare)
    if (found.size >= MAX_FOUND) break
  }
  return [...found].slice(0, MAX_FOUND)
}

/** Gives a path, as a call or a person names it, from the worktree and with `/`; undefined outside of that. */
export const fromWorktree = (name: string, { given, real }: SessionPlaces): string | undefined => {
  const path = resolve(given.directory, name)
  const within = contains(given.directory, path)
    ? resolve(real.directory, relative(given.directory, path))
    : path
  const place = [real, given].find(({ worktree }) => contains(worktree, within))
  return place && pathPattern(place, within)
}

// A link may lead to a disk that does not answer.
const MAX_LINK_MS = 5_000

/** Gives the name of a file from the worktree, with its links followed; undefined where they lead out of it. */
export const realNameOf = async (
  name: string,
  { real: { worktree } }: Pick<SessionPlaces, 'real'>,
): Promise<string | undefined> => {
  const { data } = await withTimeout(MAX_LINK_MS, realPathOf(resolve(worktree, name)))
  return data !== null && contains(worktree, data)
    ? pathPattern({ directory: worktree, worktree }, data)
    : undefined
}

/** Lists the names of a file, from the worktree, by which a rule may be for it: as it is named, and where links lead. */
export const namesOf = async (name: string, places: Pick<SessionPlaces, 'real'>): Promise<Array<string>> => [
  ...new Set([name, await realNameOf(name, places) ?? name]),
]

/** Whether a rule that may have globs is for the file with some names. */
export const isForFile = ({ applies }: Pick<Rule, 'applies'>, names: Array<string>): boolean =>
  !applies || names.some(applies)

// Starts a person's words among the names of files, which cannot have this character.
const WORDS = '\0'

const namedIn = (
  part: EntryPart,
  role: Entry['info']['role'],
  { given, real }: SessionPlaces,
): Array<unknown> => {
  if (part.type === 'tool') return filesOfTool(part)
  if (part.type === 'file') return [fileOfAttachment(part, given.worktree)]
  if (part.type !== 'text' || role !== 'user' || part.synthetic) return []
  // People name files from where they are, or from the root of their project.
  const named = pathsIn(part.text).flatMap((name) =>
    [real.directory, real.worktree].map((at) => resolve(at, name))
  )
  return [...named, WORDS + part.text.toLowerCase()]
}

/**
 * Lists what a message brings rules in with: the words of a person, and the files that it is about, which are those that
 * a tool read, wrote, edited or patched, or that a person attached or named. Files are relative to the worktree, with
 * `/`; those outside of it are left out.
 */
export const reasonsIn = ({ info, parts }: Entry, places: SessionPlaces): Array<string> => {
  // What the host stored of a part may be cut off: it then names no file.
  const named = parts.flatMap((part) => safe(() => namedIn(part, info.role, places)).data ?? [])
  return [...new Set(named.filter(isText))].flatMap((name) =>
    name.startsWith(WORDS) ? name : fromWorktree(name, places) ?? []
  )
}

/** Whether a word begins with a keyword; scripts without spaces have it anywhere. */
const hasKeyword = (text: string, keyword: string): boolean => {
  const wanted = keyword.toLowerCase()
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (UNSPACED.test(wanted[0] ?? '') || !/[\p{L}\p{N}_]/u.test(text[at - 1] ?? '')) return true
  }
  return false
}

/** Gives the file or the keyword for which a rule joins. */
const joinsFor = ({ applies, keywords }: Rule, reason: string): string | undefined => {
  if (reason.startsWith(WORDS)) return keywords?.find((keyword) => hasKeyword(reason, keyword))
  return applies?.(reason) ? reason : undefined
}

/** What brings a rule in, a file or a keyword, and the index of its message; `null` before a compaction. */
export type TouchedFile = { file: string; index: number | null; isWord?: true }

/** Lists the files that a message is about, relative to the worktree. */
export type FilesOf = (entry: Entry) => Array<string>

const NONE: ReadonlyArray<string> = []

/** Makes what is known before a history is read: the files of what was summarised, and nothing that was tried. */
const unread = (earlier: ReadonlyArray<string>) => ({
  earlier,
  /** How many of the files have their real names next to them. */
  followed: 0,
  names: new Set(earlier),
  files: earlier.map((file): TouchedFile => ({ file, index: null })),
  tried: new WeakMap<Rule, { count: number; first?: TouchedFile }>(),
})

/**
 * The files that a session's history touches, each at its first message, in order. As long as messages are only added,
 * each is read once, and each file is tried once for each rule.
 */
export class TouchedFiles {
  readonly #filesOf: FilesOf
  readonly #messages: ReadMessages
  #known = unread(NONE)

  constructor(filesOf: FilesOf, messages = new ReadMessages()) {
    this.#filesOf = filesOf
    this.#messages = messages
  }

  /** The names of the files. */
  get names(): Array<string> {
    return [...this.#known.names]
  }

  /** Reads a history, whose summarised messages touched the files in `earlier`. */
  read(history: History, earlier = NONE): this {
    const next = this.#messages.next(this, history)
    const first = earlier === this.#known.earlier ? next.first : 0
    if (first === 0) this.#known = unread(earlier)
    const { names, files } = this.#known
    for (let index = first; index < history.length; index++) {
      for (const file of this.#filesOf(history[index]!)) {
        if (!names.has(file)) files.push({ file, index })
        names.add(file)
      }
    }
    return this
  }

  /** Adds the real names of the files that were read, each next to the one that leads there. */
  async follow(realNameOf: (name: string) => Promise<string | undefined>): Promise<this> {
    const known = this.#known
    const { files, names, followed } = known
    const read = files.slice(followed)
    const real = await readInBatches(
      read,
      async ({ file }) => file.startsWith(WORDS) ? undefined : realNameOf(file),
    )
    // Another request has followed them meanwhile.
    if (known.followed !== followed) return this
    const both = read.flatMap((one, index) => {
      const name = real[index]
      if (name === undefined || names.has(name)) return one
      names.add(name)
      return [one, { ...one, file: name }]
    })
    files.splice(followed, read.length, ...both)
    known.followed = files.length
    return this
  }

  /** Gives the first file or keyword that a rule joins for. */
  firstFor(rule: Rule): TouchedFile | undefined {
    const { files, tried } = this.#known
    const known = tried.get(rule) ?? { count: 0 }
    for (; !known.first && known.count < files.length; known.count++) {
      const one = files[known.count]!
      const file = joinsFor(rule, one.file)
      if (file !== undefined) {
        known.first = { ...one, file, ...(one.file.startsWith(WORDS) ? { isWord: true } : {}) }
      }
    }
    tried.set(rule, known)
    return known.first
  }
}
