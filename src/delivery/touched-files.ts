import { relative, resolve } from 'node:path'
import { contains, pathPattern, projectRoot, type Workspace } from '../paths/boundary.ts'
import { realPathOf, realPathOr } from '../paths/real-path.ts'
import { safe, withTimeout } from '../safe.ts'
import { MessageReader } from '../steps/message-reader.ts'
import { namedFiles } from '../steps/named-files.ts'
import { readInBatches } from '../text/read.ts'
import type { Entry, EntryPart, History } from './history.ts'
import { hasKeyword, pathsIn } from './paths-in-words.ts'
import type { Rule } from './rule-files.ts'

/** The directory and worktree of a session, as the host names them and with links resolved. */
export type SessionPlaces = { original: Workspace; real: Workspace }

/** Resolves the directory and worktree of a session. Without a repository, the worktree is the directory. */
export const placesOf = async (workspace: Workspace): Promise<SessionPlaces> => {
  const original = { ...workspace, worktree: projectRoot(workspace) }
  const [directory, worktree] = await Promise.all([original.directory, original.worktree].map(realPathOr))
  return { original, real: { directory: directory!, worktree: worktree! } }
}

/** Converts a path, as a call or a person names it, to one relative to the worktree, with `/`; undefined outside of it. */
export const pathInWorktree = (name: string, { original, real }: SessionPlaces): string | undefined => {
  const path = resolve(original.directory, name)
  const mapped = contains(original.directory, path)
    ? resolve(real.directory, relative(original.directory, path))
    : path
  const workspace = [real, original].find(({ worktree }) => contains(worktree, mapped))
  return workspace && pathPattern(workspace, mapped)
}

// A link may lead to a network disk that does not respond.
const MAX_LINK_MS = 5_000

/** Follows the links of a file and returns its path relative to the worktree; undefined if they lead out of it. */
export const realNameOf = async (
  name: string,
  { real: { worktree } }: Pick<SessionPlaces, 'real'>,
): Promise<string | undefined> => {
  const { data } = await withTimeout(MAX_LINK_MS, realPathOf(resolve(worktree, name)))
  return data !== null && contains(worktree, data)
    ? pathPattern({ directory: worktree, worktree }, data)
    : undefined
}

/** Returns the paths by which the globs of a rule may match a file: as it is named, and where its links lead. */
export const namesOf = async (name: string, places: Pick<SessionPlaces, 'real'>): Promise<Array<string>> => [
  ...new Set([name, await realNameOf(name, places) ?? name]),
]

/** Tells whether a rule applies to a file by one of its paths; a rule without globs applies to all. */
export const isForFile = ({ applies }: Pick<Rule, 'applies'>, names: Array<string>): boolean =>
  !applies || names.some(applies)

// Marks the text of a person among file names, which cannot contain this character.
const TEXT_PREFIX = '\0'

const triggersOfPart = (
  part: EntryPart,
  role: Entry['info']['role'],
  { original, real }: SessionPlaces,
): Array<unknown> => {
  if (part.type !== 'text') return namedFiles(part, original.worktree)
  if (role !== 'user' || part.synthetic) return []
  // People name files relative to where they are, or to the root of their project.
  const named = pathsIn(part.text).flatMap((name) =>
    [real.directory, real.worktree].map((base) => resolve(base, name))
  )
  return [...named, TEXT_PREFIX + part.text.toLowerCase()]
}

/**
 * Returns what in a message may bring rules into a request: the text of a person (with a prefix), and the files that a call
 * read, wrote, found or was refused, or that a person attached or named. Files are relative to the worktree,
 * with `/`; files outside of it are left out.
 */
export const reasonsIn = ({ info, parts }: Entry, places: SessionPlaces): Array<string> => {
  // A stored part may be incomplete: it then names no file.
  const named = parts.flatMap((part) => safe(() => triggersOfPart(part, info.role, places)).data ?? [])
  const triggers = new Set(named.filter((name): name is string => typeof name === 'string' && name !== ''))
  return [...triggers].flatMap((name) =>
    name.startsWith(TEXT_PREFIX) ? name : pathInWorktree(name, places) ?? []
  )
}

/** Returns the file or keyword of a trigger that matches a rule; undefined if the rule does not apply. */
const matchOf = ({ applies, keywords }: Rule, trigger: string): string | undefined => {
  if (trigger.startsWith(TEXT_PREFIX)) return keywords?.find((keyword) => hasKeyword(trigger, keyword))
  return applies?.(trigger) ? trigger : undefined
}

/**
 * What brings a rule in: a file, or the text of a person (in the result of `firstFor`, the matching keyword), and the index
 * of its message; `null` before a compaction.
 */
export type TouchedFile = { file: string; index: number | null; isWord?: true }

/** Returns the triggers of a message, see `triggersIn`. */
export type TriggersOf = (entry: Entry) => Array<string>

const NONE: ReadonlyArray<string> = []

/** Creates the state before a history is read; `earlier` are the files of messages that were summarized. */
const initialState = (earlier: ReadonlyArray<string>) => ({
  earlier,
  /** For how many of `files` the real path was looked up. */
  resolvedCount: 0,
  distinct: new Set(earlier),
  occurrences: earlier.map((file): TouchedFile => ({ file, index: null })),
  progress: new WeakMap<Rule, { count: number; first?: TouchedFile }>(),
})

/**
 * The files that a session's history touches, in order, each with its first message. As long as messages are only added,
 * each message is read once, and each rule is matched with each file once.
 */
export class TouchedFiles {
  readonly #triggersOf: TriggersOf
  readonly #messages: MessageReader
  #state = initialState(NONE)

  constructor(triggersOf: TriggersOf, messages = new MessageReader()) {
    this.#triggersOf = triggersOf
    this.#messages = messages
  }

  /** The paths of all files, and the words of all messages. */
  get triggers(): Array<string> {
    return [...this.#state.distinct]
  }

  /** Reads a history; `earlier` are the files that its summarized messages touched. */
  read(history: History, earlier = NONE): this {
    const next = this.#messages.next(this, history)
    const first = earlier === this.#state.earlier ? next.first : 0
    if (first === 0) this.#state = initialState(earlier)
    const { distinct, occurrences } = this.#state
    for (let index = first; index < history.length; index++) {
      for (const trigger of this.#triggersOf(history[index]!)) {
        if (!distinct.has(trigger)) occurrences.push({ file: trigger, index })
        distinct.add(trigger)
      }
    }
    return this
  }

  /** Inserts the real path of each new file after the path, if it leads through links. */
  async resolveLinks(realNameOf: (name: string) => Promise<string | undefined>): Promise<this> {
    const state = this.#state
    const { occurrences, distinct, resolvedCount } = state
    const pending = occurrences.slice(resolvedCount)
    const realPaths = await readInBatches(
      pending,
      async ({ file }) => file.startsWith(TEXT_PREFIX) ? undefined : realNameOf(file),
    )
    // Another request has done this meanwhile.
    if (state.resolvedCount !== resolvedCount) return this
    const withRealPaths = pending.flatMap((touched, index) => {
      const realPath = realPaths[index]
      if (realPath === undefined || distinct.has(realPath)) return touched
      distinct.add(realPath)
      return [touched, { ...touched, file: realPath }]
    })
    occurrences.splice(resolvedCount, pending.length, ...withRealPaths)
    state.resolvedCount = occurrences.length
    return this
  }

  /** Returns the first file or keyword that a rule applies to. */
  firstTriggerFor(rule: Rule): TouchedFile | undefined {
    const { occurrences, progress } = this.#state
    const ruleProgress = progress.get(rule) ?? { count: 0 }
    for (; !ruleProgress.first && ruleProgress.count < occurrences.length; ruleProgress.count++) {
      const touched = occurrences[ruleProgress.count]!
      const file = matchOf(rule, touched.file)
      if (file !== undefined) {
        ruleProgress.first = {
          ...touched,
          file,
          ...(touched.file.startsWith(TEXT_PREFIX) ? { isWord: true } : {}),
        }
      }
    }
    progress.set(rule, ruleProgress)
    return ruleProgress.first
  }
}
