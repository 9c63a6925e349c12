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
  role: string,
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

/** `index` is that of the first message with the trigger, or null if the history lacks this message. */
type PlacedTrigger = { trigger: string; index: number | null; realPath?: string }

const matchOf = ({ trigger, index, realPath = trigger }: PlacedTrigger, { applies, keywords }: Rule) => {
  if (isText(trigger)) {
    const cause = keywords?.find((keyword) => hasKeyword(trigger, keyword))
    return cause === undefined ? undefined : { cause, index, isKeyword: true }
  }
  // No glob matches an absolute path, which is outside the worktree.
  const paths = [trigger, realPath].filter((path) => !isAbsolute(path))
  return applies?.(...paths) ? { cause: paths[0]!, index } : undefined
}

/** Reads each message of a growing history once, and tries each rule on each trigger once. */
export class TouchedFiles {
  readonly #places: SessionPlaces
  readonly #messages: MessageReader
  #earlier: ReadonlyArray<string> | undefined
  #placed: Array<PlacedTrigger> = []
  #progressByRule = new WeakMap<Rule, { triedCount: number; match?: ReturnType<typeof matchOf> }>()

  constructor(places: SessionPlaces, messages = new MessageReader()) {
    this.#places = places
    this.#messages = messages
  }

  /**
   * Reads only the added messages if the old messages and the object `earlier` are those of the last call.
   * `earlier` lists triggers that the history lacks.
   */
  read(history: History, earlier?: ReadonlyArray<string>): this {
    const firstAdded = this.#messages.next(this, history).first
    const first = earlier === this.#earlier ? firstAdded : 0
    if (first === 0) {
      this.#earlier = earlier
      this.#placed = earlier?.map((trigger) => ({ trigger, index: null })) ?? []
      this.#progressByRule = new WeakMap()
    }
    const known = new Set(this.#placed.map(({ trigger }) => trigger))
    for (const [offset, message] of history.slice(first).entries()) {
      for (const trigger of triggersIn(message, this.#places)) {
        if (!known.has(trigger)) this.#placed.push({ trigger, index: first + offset })
        known.add(trigger)
      }
    }
    return this
  }

  /** Resolves the links in the file paths that `read` has found since the last call. */
  async resolveLinks(realPathOf = relativeRealPath): Promise<this> {
    const unresolved = this.#placed.filter((each) => each.realPath === undefined && !isText(each.trigger))
    await readInBatches(unresolved, async (placed) => {
      placed.realPath = await realPathOf(placed.trigger, this.#places) ?? placed.trigger
    })
    // A concurrent request may have tried rules on a link before it was resolved.
    const hasLinks = unresolved.some(({ trigger, realPath }) => realPath !== trigger)
    if (hasLinks) this.#progressByRule = new WeakMap()
    return this
  }

  firstTriggerFor(rule: Rule) {
    const progress = this.#progressByRule.get(rule) ?? { triedCount: 0 }
    this.#progressByRule.set(rule, progress)
    while (!progress.match && progress.triedCount < this.#placed.length) {
      progress.match = matchOf(this.#placed[progress.triedCount++]!, rule)
    }
    return progress.match
  }
}

/** A rule without globs is for each file. */
export const isForFile = ({ applies }: Pick<Rule, 'applies'>, paths: Array<string>): boolean =>
  applies?.(...paths) ?? true
