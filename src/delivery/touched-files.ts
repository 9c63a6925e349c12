/** Finds the triggers that bring rules into a session: files (`src/a.ts`) and the person's texts (`\0fix it`). */
import { isAbsolute, resolve } from 'node:path'
import { pathInWorktree, relativeRealPath, type SessionPlaces } from '../paths/path-in-worktree.ts'
import { safe } from '../safe.ts'
import { MessageReader } from '../steps/message-reader.ts'
import { namedFiles } from '../steps/named-files.ts'
import { readInBatches } from '../text/read.ts'
import type { History, Message, MessagePart } from './history.ts'
import { hasKeyword, pathsIn } from './paths-in-words.ts'
import type { Rule } from './rule-files.ts'

// Marks a trigger that is a text. No file name contains this character.
const TEXT_PREFIX = '\0'

const isText = (trigger: string): boolean => trigger.startsWith(TEXT_PREFIX)

/** Returns the triggers of a message: the person's text in lower case, and the files that it names. */
export const triggersIn = ({ info, parts }: Message, places: SessionPlaces): Array<string> => {
  // A stored part may be incomplete. Then it names no file.
  const found = parts.flatMap((part) => safe(() => triggersOfPart(part, info.role, places)).data ?? [])
  const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''
  const triggers = new Set(found.filter(isFilled))
  // A path outside of the worktree stays absolute: a link in it may lead to a file of the worktree.
  const pathOf = (file: string) => pathInWorktree(file, places) ?? resolve(places.original.directory, file)
  return [...triggers].map((trigger) => isText(trigger) ? trigger : pathOf(trigger))
}

/** Returns the triggers of a part. A path may lead anywhere; in a malformed part, it may be any value. */
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

/** Why a rule is in a session: `cause` is a file or, if `isKeyword` is set, a keyword in the message at `index`. */
type Match = { cause: string; index: number | null; isKeyword?: true }

/** Returns what in a trigger brings a rule in: a keyword in a text, or the path of a file that the globs match. */
const causeIn = (trigger: string, { applies, keywords }: Rule): string | undefined => {
  if (isText(trigger)) return keywords?.find((keyword) => hasKeyword(trigger, keyword))
  return !isAbsolute(trigger) && applies?.(trigger) ? trigger : undefined
}

/** How far a rule was tried: on the first `triedCount` triggers. `match` is missing if none of them brought it in. */
type Progress = { triedCount: number; match?: Match }

/** What `TouchedFiles` has read. */
type Seen = {
  /** The triggers of messages that the history lacks, as after a compaction. */
  earlier: ReadonlyArray<string>
  /** All triggers in order, each once: `earlier`, then those of the history. */
  placed: Array<PlacedTrigger>
  /** How many triggers at the start of `placed` are resolved: their real paths are in `placed`, too. */
  resolvedCount: number
  progressByRule: WeakMap<Rule, Progress>
}

const nothingSeen = (earlier: ReadonlyArray<string>): Seen => ({
  earlier,
  placed: earlier.map((trigger) => ({ trigger, index: null })),
  resolvedCount: 0,
  progressByRule: new WeakMap(),
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

  /** Reads the messages added since the last call. Reads all if the history changed otherwise, or `earlier` changed. */
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
      const triggers = realPath === undefined ? [trigger] : [trigger, realPath]
      return triggers.map((each) => ({ trigger: each, index }))
    })
    // Another call may have inserted the real paths in the meantime.
    if (seen.resolvedCount !== resolvedCount) return this
    const resolved = onlyNew(withRealPaths.flat(), placed.slice(0, resolvedCount))
    // Triggers that were read in the meantime stay behind these, for the next call.
    placed.splice(resolvedCount, unresolved.length, ...resolved)
    seen.resolvedCount += resolved.length
    return this
  }

  get triggers(): Array<string> {
    return this.#seen.placed.map(({ trigger }) => trigger)
  }

  /** Returns what brought a rule in first. Tries the rule only on the triggers added since the last call with it. */
  firstTriggerFor(rule: Rule): Match | undefined {
    const { placed, progressByRule } = this.#seen
    const progress = progressByRule.get(rule) ?? { triedCount: 0 }
    progressByRule.set(rule, progress)
    while (!progress.match && progress.triedCount < placed.length) {
      const { trigger, index } = placed[progress.triedCount]!
      progress.triedCount += 1
      const cause = causeIn(trigger, rule)
      if (cause !== undefined) progress.match = { cause, index, ...(isText(trigger) && { isKeyword: true }) }
    }
    return progress.match
  }
}

/** Whether a rule is for a file, by any of its paths: links give it several. A rule without globs is for each file. */
export const isForFile = ({ applies }: Pick<Rule, 'applies'>, paths: Array<string>): boolean =>
  !applies || paths.some(applies)

/** Reads the triggers of a whole history, with links resolved. */
export const touchedIn = (history: History, places: SessionPlaces): Promise<TouchedFiles> =>
  new TouchedFiles((message) => triggersIn(message, places)).read(history).resolveLinks(places)
