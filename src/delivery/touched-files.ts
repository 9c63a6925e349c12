/**
 * Finds the triggers of a session: the files that its calls touch or its person names, and the person's texts. A rule
 * with globs or keywords joins the session at the first trigger that it matches.
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

/** Whether a rule applies to a file by one of its paths. A rule without globs applies to every file. */
export const isForFile = ({ applies }: Pick<Rule, 'applies'>, names: Array<string>): boolean =>
  !applies || names.some(applies)

// Marks a trigger that is the text of a person. A file name cannot contain this character.
const TEXT_PREFIX = '\0'

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
 * Returns the triggers of a message, which may bring rules into a request: the text of a person (with a prefix), and
 * the files that a call read, wrote or found, that a refused call would have created, or that a person attached or
 * named. Files are relative to the worktree, with `/`; files outside of it are left out.
 */
export const triggersIn = ({ info, parts }: Message, places: SessionPlaces): Array<string> => {
  // A stored part may be incomplete. Then it names no file.
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
 * A trigger and the index of its first message; `null` if a compaction summarised the message. `file` is a path or a
 * text of a person; `firstTriggerFor` replaces the text with the matching keyword.
 */
export type Trigger = { file: string; index: number | null; isKeyword?: true }

const NONE: ReadonlyArray<string> = []

/** Creates the state before a history is read; `earlier` are the triggers of summarised messages. */
const initialState = (earlier: ReadonlyArray<string>) => ({
  earlier,
  distinct: new Set(earlier),
  firstTriggers: earlier.map((file): Trigger => ({ file, index: null })),
  /** The number of `firstTriggers` whose real path has been looked up. */
  resolvedCount: 0,
  /** For each rule, how many of `firstTriggers` were matched with it, and the first that it applies to. */
  progress: new WeakMap<Rule, { count: number; first?: Trigger }>(),
})

/**
 * The triggers of a session's history in order, each with its first message. As long as messages are only added, each
 * message is read once, and each rule is matched with each trigger once.
 */
export class TouchedFiles {
  readonly #triggersOf: (entry: Message) => Array<string>
  readonly #messages: MessageReader
  #state = initialState(NONE)

  /** @param triggersOf returns the triggers of a message, see `triggersIn` */
  constructor(triggersOf: (entry: Message) => Array<string>, messages = new MessageReader()) {
    this.#triggersOf = triggersOf
    this.#messages = messages
  }

  /** Lists the paths of all files and the texts of all messages of the person. */
  get triggers(): Array<string> {
    return [...this.#state.distinct]
  }

  /** Reads a history; `earlier` are the triggers of its summarised messages. */
  read(history: History, earlier = NONE): this {
    const next = this.#messages.next(this, history)
    const first = earlier === this.#state.earlier ? next.first : 0
    if (first === 0) this.#state = initialState(earlier)
    const { distinct, firstTriggers } = this.#state
    for (let index = first; index < history.length; index++) {
      for (const file of this.#triggersOf(history[index]!)) {
        if (!distinct.has(file)) firstTriggers.push({ file, index })
        distinct.add(file)
      }
    }
    return this
  }

  /** Looks up the real path of each new file, and inserts it after the file, unless it is already a trigger. */
  async resolveLinks(realNameOf: (name: string) => Promise<string | undefined>): Promise<this> {
    const state = this.#state
    const { firstTriggers, distinct, resolvedCount } = state
    const pending = firstTriggers.slice(resolvedCount)
    const realPaths = await readInBatches(
      pending,
      async ({ file }) => file.startsWith(TEXT_PREFIX) ? undefined : realNameOf(file),
    )
    // A concurrent call has already inserted these.
    if (state.resolvedCount !== resolvedCount) return this
    const withRealPaths = pending.flatMap((trigger, index) => {
      const realPath = realPaths[index]
      if (realPath === undefined || distinct.has(realPath)) return trigger
      distinct.add(realPath)
      return [trigger, { ...trigger, file: realPath }]
    })
    firstTriggers.splice(resolvedCount, pending.length, ...withRealPaths)
    state.resolvedCount = firstTriggers.length
    return this
  }

  /** Returns the first trigger that a rule applies to; undefined if there is none. */
  firstTriggerFor(rule: Rule): Trigger | undefined {
    const { firstTriggers, progress } = this.#state
    const matched = progress.get(rule) ?? { count: 0 }
    progress.set(rule, matched)
    while (!matched.first && matched.count < firstTriggers.length) {
      const trigger = firstTriggers[matched.count++]!
      const file = matchOf(rule, trigger.file)
      const isKeyword = trigger.file.startsWith(TEXT_PREFIX)
      if (file !== undefined) matched.first = { ...trigger, file, ...(isKeyword && { isKeyword }) }
    }
    return matched.first
  }
}
