/**
 * Finds the triggers of a session: the files that its calls touch or that the person names, and the person's texts. A
 * rule with globs or keywords joins the session at the first trigger that it matches.
 */
import { resolve } from 'node:path'
import { pathInWorktree, type SessionPlaces } from '../paths/path-in-worktree.ts'
import { safe } from '../safe.ts'
import { MessageReader } from '../steps/message-reader.ts'
import { namedFiles } from '../steps/named-files.ts'
import { readInBatches } from '../text/read.ts'
import type { History, Message, MessagePart } from './history.ts'
import { hasKeyword, pathsIn } from './paths-in-words.ts'
import type { Rule } from './rule-files.ts'

/** Whether a rule applies to a file that has these paths. A rule without globs applies to every file. */
export const isForFile = ({ applies }: Pick<Rule, 'applies'>, paths: Array<string>): boolean =>
  !applies || paths.some(applies)

// The beginning of a trigger that is a text of the person. A file name cannot contain this character.
const TEXT_PREFIX = '\0'

/** Returns the triggers of a part, with absolute or relative paths. Malformed parts may name a file by any value. */
const triggersOfPart = (
  part: MessagePart,
  role: Message['info']['role'],
  { original, real }: SessionPlaces,
): Array<unknown> => {
  if (part.type !== 'text') return namedFiles(part, original.worktree)
  if (role !== 'user' || part.synthetic) return []
  // People name files relative to their directory, or to the root of the project.
  const named = pathsIn(part.text).flatMap((name) =>
    [real.directory, real.worktree].map((base) => resolve(base, name))
  )
  return [...named, TEXT_PREFIX + part.text.toLowerCase()]
}

/**
 * Returns the triggers of a message, which may bring rules into a request: the person's text in lower case, with a
 * prefix; and the files that a call read, wrote or found, that a refused call would have created, or that the person
 * attached or named. Files are relative to the worktree, with `/`; files outside of it are left out.
 */
export const triggersIn = ({ info, parts }: Message, places: SessionPlaces): Array<string> => {
  // A stored part may be incomplete. Then it names no file.
  const found = parts.flatMap((part) => safe(() => triggersOfPart(part, info.role, places)).data ?? [])
  const triggers = new Set(
    found.filter((value): value is string => typeof value === 'string' && value !== ''),
  )
  return [...triggers].flatMap((trigger) =>
    trigger.startsWith(TEXT_PREFIX) ? trigger : pathInWorktree(trigger, places) ?? []
  )
}

/**
 * Returns the file of a trigger, or the keyword in its text, that a rule matches; undefined if the rule matches
 * neither.
 */
const matchOf = ({ applies, keywords }: Rule, trigger: string): string | undefined => {
  if (trigger.startsWith(TEXT_PREFIX)) return keywords?.find((keyword) => hasKeyword(trigger, keyword))
  return applies?.(trigger) ? trigger : undefined
}

/** A trigger, and the index of the first message that has it; `null` if the history lacks that message. */
type PlacedTrigger = { trigger: string; index: number | null }

/** The first trigger that a rule matches: the file, or the keyword that the person's text contains. */
type Match = { file: string; index: number | null; isKeyword?: true }

const NONE: ReadonlyArray<string> = []

/** Creates the state before a history is read; `earlier` are the triggers of the messages that it lacks. */
const initialState = (earlier: ReadonlyArray<string>) => ({
  earlier,
  distinct: new Set(earlier),
  placedTriggers: earlier.map((trigger): PlacedTrigger => ({ trigger, index: null })),
  /** The number of `placedTriggers` whose real path has been looked up. */
  resolvedCount: 0,
  /** For each rule, how many of `placedTriggers` were tried, and the first that the rule matches. */
  progress: new WeakMap<Rule, { count: number; first?: Match }>(),
})

/**
 * The triggers of a session's history in order, each with its first message. As long as messages are only added, each
 * message is read once, and each rule is matched with each trigger once.
 */
export class TouchedFiles {
  readonly #triggersOf: (message: Message) => Array<string>
  readonly #messages: MessageReader
  #state = initialState(NONE)

  /** @param triggersOf returns the triggers of a message, see `triggersIn` */
  constructor(triggersOf: (message: Message) => Array<string>, messages = new MessageReader()) {
    this.#triggersOf = triggersOf
    this.#messages = messages
  }

  /** Lists all triggers: the paths of files, and the texts of the person. */
  get triggers(): Array<string> {
    return [...this.#state.distinct]
  }

  /** Reads the new messages of a history; `earlier` are the triggers of the messages that it lacks. */
  read(history: History, earlier = NONE): this {
    const next = this.#messages.next(this, history)
    const first = earlier === this.#state.earlier ? next.first : 0
    if (first === 0) this.#state = initialState(earlier)
    const { distinct, placedTriggers } = this.#state
    for (let index = first; index < history.length; index++) {
      for (const trigger of this.#triggersOf(history[index]!)) {
        if (!distinct.has(trigger)) placedTriggers.push({ trigger, index })
        distinct.add(trigger)
      }
    }
    return this
  }

  /** Looks up the real path of each new file, and inserts this path after the file, unless it is already a trigger. */
  async resolveLinks(realNameOf: (name: string) => Promise<string | undefined>): Promise<this> {
    const state = this.#state
    const { placedTriggers, distinct, resolvedCount } = state
    const pending = placedTriggers.slice(resolvedCount)
    const realPaths = await readInBatches(
      pending,
      async ({ trigger }) => trigger.startsWith(TEXT_PREFIX) ? undefined : realNameOf(trigger),
    )
    // A concurrent call has already inserted the paths.
    if (state.resolvedCount !== resolvedCount) return this
    const withRealPaths = pending.flatMap((placed, at) => {
      const realPath = realPaths[at]
      if (realPath === undefined || distinct.has(realPath)) return placed
      distinct.add(realPath)
      return [placed, { ...placed, trigger: realPath }]
    })
    placedTriggers.splice(resolvedCount, pending.length, ...withRealPaths)
    state.resolvedCount = placedTriggers.length
    return this
  }

  /** Returns the first trigger that a rule matches; undefined if there is none. */
  firstTriggerFor(rule: Rule): Match | undefined {
    const { placedTriggers, progress } = this.#state
    const tried = progress.get(rule) ?? { count: 0 }
    progress.set(rule, tried)
    while (!tried.first && tried.count < placedTriggers.length) {
      const { trigger, index } = placedTriggers[tried.count++]!
      const file = matchOf(rule, trigger)
      const isKeyword = trigger.startsWith(TEXT_PREFIX)
      if (file !== undefined) tried.first = { file, index, ...(isKeyword && { isKeyword }) }
    }
    return tried.first
  }
}
