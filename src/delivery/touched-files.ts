/** Finds the triggers that bring rules into a session: files (`src/a.ts`) and the person's texts (`\0fix it`). */
import { isAbsolute, resolve } from 'node:path'
import { pathInWorktree, relativeRealPath, type SessionPlaces } from '../paths/path-in-worktree.ts'
import { safe } from '../safe.ts'
import { MessageReader } from '../steps/message-reader.ts'
import { namedFiles } from '../steps/named-files.ts'
import { readInBatches } from '../text/read.ts'
import type { History, Message, MessagePart } from './history.ts'
import { hasKeyword, searchable } from './keywords.ts'
import { pathsIn } from './paths-in-words.ts'
import type { Rule } from './rule-files.ts'

// Marks a trigger that is a text, because no file name contains this character.
const TEXT_PREFIX = '\0'

const isText = (trigger: string): boolean => trigger.startsWith(TEXT_PREFIX)

/** Returns the files that a message names, and the person's text. */
export const triggersIn = ({ info, parts }: Message, places: SessionPlaces): Array<string> => {
  // A stored part may be incomplete.
  const found = parts.flatMap((part) => safe(() => triggersOfPart(part, info.role, places)).data ?? [])
  const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''
  const triggers = new Set(found.filter(isFilled))
  // A path outside the worktree stays absolute, because it may lead into the worktree through a link.
  const pathOf = (file: string) => pathInWorktree(file, places) ?? resolve(places.original.directory, file)
  return [...triggers].map((trigger) => isText(trigger) ? trigger : pathOf(trigger))
}

const triggersOfPart = (
  part: MessagePart,
  role: Message['info']['role'],
  { original, real }: SessionPlaces,
): Array<unknown> => {
  if (part.type !== 'text') return namedFiles(part, original.worktree)
  if (role !== 'user' || part.synthetic) return []
  // People name files relative to their directory or to the root of the project.
  const named = pathsIn(part.text).flatMap((name) =>
    [real.directory, real.worktree].map((base) => resolve(base, name))
  )
  return [...named, TEXT_PREFIX + searchable(startAndEnd(part.text))]
}

const MAX_SEARCHED = 100_000

const startAndEnd = (text: string): string =>
  text.length > MAX_SEARCHED
    ? `${text.slice(0, MAX_SEARCHED / 2)}\n${text.slice(-MAX_SEARCHED / 2)}`
    : text

/** `index` is the position of the first message with the trigger, or null if the history lacks that message. */
type PlacedTrigger = { trigger: string; index: number | null }

type Match = { cause: string; index: number | null; isKeyword?: true }

const causeIn = (trigger: string, realPath: string, { applies, keywords }: Rule): string | undefined => {
  if (isText(trigger)) return keywords?.find((keyword) => hasKeyword(trigger, keyword))
  // No glob matches an absolute path, which is outside the worktree.
  const paths = [trigger, realPath].filter((path) => !isAbsolute(path))
  return applies?.(...paths) ? paths[0] : undefined
}

type Progress = { triedCount: number; match?: Match }

type Seen = {
  /** The triggers of messages that the history lacks, for example after a compaction. */
  earlier: ReadonlyArray<string>
  placed: Array<PlacedTrigger>
  realPathByTrigger: Map<string, string>
  progressByRule: WeakMap<Rule, Progress>
}

const nothingSeen = (earlier: ReadonlyArray<string>): Seen => ({
  earlier,
  placed: earlier.map((trigger) => ({ trigger, index: null })),
  realPathByTrigger: new Map(),
  progressByRule: new WeakMap(),
})

// One object, because `read` recognizes an unchanged list by identity.
const NONE: ReadonlyArray<string> = []

const onlyNew = (added: Array<PlacedTrigger>, placed: Array<PlacedTrigger>): Array<PlacedTrigger> => {
  const known = new Set(placed.map(({ trigger }) => trigger))
  return added.filter(({ trigger }) => {
    const isNew = !known.has(trigger)
    known.add(trigger)
    return isNew
  })
}

/** Reads each message of a growing history once, and tries each rule on each trigger once. */
export class TouchedFiles {
  readonly #triggersOf: (message: Message) => Array<string>
  readonly #messages: MessageReader
  #seen = nothingSeen(NONE)

  constructor(triggersOf: (message: Message) => Array<string>, messages = new MessageReader()) {
    this.#triggersOf = triggersOf
    this.#messages = messages
  }

  /** Reads the added messages, or all if `earlier` or the older messages changed. */
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

  /** Resolves the links in the file paths that `read` has found since the last call. */
  async resolveLinks(places: Pick<SessionPlaces, 'real'>, realPathOf = relativeRealPath): Promise<this> {
    const seen = this.#seen
    const { placed, realPathByTrigger } = seen
    const unresolved = placed.filter(({ trigger }) => !isText(trigger) && !realPathByTrigger.has(trigger))
    await readInBatches(unresolved, async ({ trigger }) => {
      realPathByTrigger.set(trigger, await realPathOf(trigger, places) ?? trigger)
    })
    // A concurrent request may have tried rules on a link before it was resolved.
    const hasLinks = unresolved.some(({ trigger }) => realPathByTrigger.get(trigger) !== trigger)
    if (hasLinks) seen.progressByRule = new WeakMap()
    return this
  }

  get triggers(): Array<string> {
    return this.#seen.placed.map(({ trigger }) => trigger)
  }

  firstTriggerFor(rule: Rule): Match | undefined {
    const { placed, realPathByTrigger, progressByRule } = this.#seen
    const progress = progressByRule.get(rule) ?? { triedCount: 0 }
    progressByRule.set(rule, progress)
    while (!progress.match && progress.triedCount < placed.length) {
      const { trigger, index } = placed[progress.triedCount]!
      progress.triedCount += 1
      const cause = causeIn(trigger, realPathByTrigger.get(trigger) ?? trigger, rule)
      if (cause !== undefined) progress.match = { cause, index, ...(isText(trigger) && { isKeyword: true }) }
    }
    return progress.match
  }
}

/** A rule without globs is for each file. */
export const isForFile = ({ applies }: Pick<Rule, 'applies'>, paths: Array<string>): boolean =>
  applies?.(...paths) ?? true

export const touchedIn = (history: History, places: SessionPlaces): Promise<TouchedFiles> =>
  new TouchedFiles((message) => triggersIn(message, places)).read(history).resolveLinks(places)
