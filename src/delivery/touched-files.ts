/** Finds what brings rules into a session, its triggers: paths (`src/a.ts`), and the person's texts (`\0fix it`). */
import { resolve } from 'node:path'
import { pathInWorktree, relativeRealPath, type SessionPlaces } from '../paths/path-in-worktree.ts'
import { safe } from '../safe.ts'
import { MessageReader } from '../steps/message-reader.ts'
import { namedFiles } from '../steps/named-files.ts'
import { readInBatches } from '../text/read.ts'
import type { History, Message, MessagePart } from './history.ts'
import { hasKeyword, pathsIn } from './paths-in-words.ts'
import type { Rule } from './rule-files.ts'

// A text of the person, in which keywords are searched, begins with this character. No file name contains it.
const TEXT_PREFIX = '\0'

const isText = (trigger: string): boolean => trigger.startsWith(TEXT_PREFIX)

/** Returns the triggers of a message: the person's text in lower case, and the files of the worktree that it names. */
export const triggersIn = ({ info, parts }: Message, places: SessionPlaces): Array<string> => {
  // A stored part may be incomplete. Then it names no file.
  const found = parts.flatMap((part) => safe(() => triggersOfPart(part, info.role, places)).data ?? [])
  const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''
  const triggers = new Set(found.filter(isFilled))
  return [...triggers].flatMap((trigger) => isText(trigger) ? trigger : pathInWorktree(trigger, places) ?? [])
}

/**
 * Returns the triggers of a part. Paths in the person's text are made absolute; other paths are as in the part and, if
 * it is malformed, may be any value.
 */
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

/** `index` is the position of the first message with the trigger; `null` if the history lacks that message. */
type PlacedTrigger = { trigger: string; index: number | null }

/** The first trigger that brings a rule in. `file` is the file or, if `isKeyword` is set, the keyword in the text. */
type Match = { file: string; index: number | null; isKeyword?: true }

/** What `TouchedFiles` has read. */
type Seen = {
  /** The triggers of messages that the history lacks, as after a compaction. */
  earlier: ReadonlyArray<string>
  /** All triggers in order, each once: `earlier`, then those of the history. */
  placed: Array<PlacedTrigger>
  /** The real paths of so many triggers, from the start of `placed`, were looked up. */
  resolvedCount: number
  /** By rule: it was tried on `count` triggers from the start of `placed`; `first` is the one that brought it in. */
  tried: WeakMap<Rule, { count: number; first?: Match }>
}

const nothingSeen = (earlier: ReadonlyArray<string>): Seen => ({
  earlier,
  placed: earlier.map((trigger) => ({ trigger, index: null })),
  resolvedCount: 0,
  tried: new WeakMap(),
})

// One object, because `read` recognizes an unchanged list by its identity.
const NONE: ReadonlyArray<string> = []

/** Returns the added triggers that `placed` lacks, each once. */
const onlyNew = (added: Array<PlacedTrigger>, placed: Array<PlacedTrigger>): Array<PlacedTrigger> => {
  const known = new Set(placed.map(({ trigger }) => trigger))
  return added.filter(({ trigger }) => {
    const isNew = !known.has(trigger)
    known.add(trigger)
    return isNew
  })
}

/** The triggers of a growing history. Reads each added message once, and tries each rule on each trigger once. */
export class TouchedFiles {
  readonly #triggersOf: (message: Message) => Array<string>
  readonly #messages: MessageReader
  #seen = nothingSeen(NONE)

  constructor(triggersOf: (message: Message) => Array<string>, messages = new MessageReader()) {
    this.#triggersOf = triggersOf
    this.#messages = messages
  }

  /** Reads the messages added to a history; all messages, if anything else changed or `earlier` is another list. */
  read(history: History, earlier = NONE): this {
    const firstAdded = this.#messages.next(this, history).first
    const first = earlier === this.#seen.earlier ? firstAdded : 0
    if (first === 0) this.#seen = nothingSeen(earlier)
    const { placed } = this.#seen
    const added = history.slice(first).flatMap((message, offset) =>
      this.#triggersOf(message).map((trigger) => ({ trigger, index: first + offset }))
    )
    placed.push(...onlyNew(added, placed))
    return this
  }

  /** Inserts the real path of each new file directly after the file: `link.ts, b.ts` → `link.ts, real.ts, b.ts`. */
  async resolveLinks(places: Pick<SessionPlaces, 'real'>, realPathOf = relativeRealPath): Promise<this> {
    const seen = this.#seen
    const { placed, resolvedCount } = seen
    const unresolved = placed.slice(resolvedCount)
    const withRealPaths = await readInBatches(unresolved, async ({ trigger, index }) => {
      const realPath = isText(trigger) ? undefined : await realPathOf(trigger, places)
      return [{ trigger, index }, { trigger: realPath ?? trigger, index }]
    })
    // If a concurrent call has inserted the paths in the meantime, nothing is left to do.
    if (seen.resolvedCount !== resolvedCount) return this
    const resolved = onlyNew(withRealPaths.flat(), placed.slice(0, resolvedCount))
    placed.splice(resolvedCount, unresolved.length, ...resolved)
    seen.resolvedCount += resolved.length
    return this
  }

  get triggers(): Array<string> {
    return this.#seen.placed.map(({ trigger }) => trigger)
  }

  /** Returns what brought a rule in first. Tries the rule only on the triggers added since the last call with it. */
  firstTriggerFor(rule: Rule): Match | undefined {
    const { placed, tried } = this.#seen
    const progress = tried.get(rule) ?? { count: 0 }
    tried.set(rule, progress)
    while (!progress.first && progress.count < placed.length) {
      const { trigger, index } = placed[progress.count]!
      progress.count += 1
      const file = matchOf(rule, trigger)
      if (file !== undefined) progress.first = { file, index, ...(isText(trigger) && { isKeyword: true }) }
    }
    return progress.first
  }
}

/** Whether a rule applies to a file that has these paths. A rule without globs does, although no file brings it in. */
export const isForFile = ({ applies }: Pick<Rule, 'applies'>, paths: Array<string>): boolean =>
  !applies || paths.some(applies)

/** Reads the triggers of a whole history, with links resolved. */
export const touchedIn = (history: History, places: SessionPlaces): Promise<TouchedFiles> =>
  new TouchedFiles((message) => triggersIn(message, places)).read(history).resolveLinks(places)

/** Returns what brings a rule in: of a text, the rule's keyword in it; of a file that the rule is for, its path. */
const matchOf = ({ applies, keywords }: Rule, trigger: string): string | undefined => {
  if (isText(trigger)) return keywords?.find((keyword) => hasKeyword(trigger, keyword))
  return applies?.(trigger) ? trigger : undefined
}
