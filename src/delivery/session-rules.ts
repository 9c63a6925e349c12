import type { Entry, EntryPart, History, StoredRules } from './history.ts'
import type { Rule } from './rule-files.ts'
import { formatJoiningRules, formatRules } from './rules-message.ts'
import { isSettled } from './touched-files.ts'

/** A rule that joined: at which message of the history, and because of which file. */
type Joined = { rule: Rule; at: string; file: string }

/** Which rules one session has, and where in its history each of them stands for the model. */
export class SessionRules {
  /** What stands in front of the history; empty where no rule applies to the session as such. */
  text: string
  #front: Set<string>
  #waiting: Array<Rule>
  #joined: Array<Joined> = []
  readonly #seen = new Set<string>()

  /** `stored` is what the session was told before, by an earlier run of the host or before a fork. */
  constructor(rules: Array<Rule>, stored?: StoredRules) {
    const front = rules.filter(({ applies }) => applies === null)
    this.text = stored?.text ?? formatRules(front)
    this.#front = new Set(stored?.paths ?? front.map(({ path }) => path))
    this.#waiting = rules.filter(({ applies, path }) => applies !== null && !this.#front.has(path))
  }

  /** The paths of the rules that `text` holds. */
  get paths(): Array<string> {
    return [...this.#front]
  }

  /** Puts all that the session has in front, in its newest words: what was said further on is summed up now. */
  renew(rules: Array<Rule>): void {
    const had = new Set([...this.#front, ...this.#joined.map(({ rule }) => rule.path)])
    const front = rules.filter(({ applies, path }) => applies === null || had.has(path))
    this.text = formatRules(front)
    this.#front = new Set(front.map(({ path }) => path))
    this.#waiting = rules.filter(({ path }) => !this.#front.has(path))
    this.#joined = []
  }

  /** Lets the rules join that match a file in what the history says newly. */
  join(history: History, filesOf: (part: EntryPart) => Array<string>): void {
    for (const { info, parts } of history) {
      for (const part of parts) {
        if (this.#seen.has(part.id) || !isSettled(part)) continue
        this.#seen.add(part.id)
        for (const file of filesOf(part)) this.#joinBy(file, info.id)
      }
    }
  }

  #joinBy(file: string, at: string): void {
    if (this.#waiting.length === 0) return
    const waiting: Array<Rule> = []
    for (const rule of this.#waiting) {
      if (rule.applies?.(file)) this.#joined.push({ rule, at, file })
      else waiting.push(rule)
    }
    this.#waiting = waiting
  }

  /** Puts each rule into a history, in place and once. */
  insertInto(history: History): void {
    const places = groupBy(this.#joined, ({ at }) => at)
    const like = history.findLast(({ info }) => info.role === 'user')
    if (!like) return
    for (let index = history.length - 1; index >= 0; index--) {
      const { info } = history[index]!
      const joined = places.get(info.id)
      if (!joined) continue
      places.delete(info.id)
      const texts = [...groupBy(joined, ({ file }) => file)]
        .map(([file, all]) => formatJoiningRules(all.map(({ rule }) => rule), file))
      // A rule follows what a tool showed, and comes before what a person asks of the file they attached.
      history.splice(info.role === 'user' ? index : index + 1, 0, entryLike(like, info.id, texts))
    }
    // The message that they joined at is gone, summed up or undone.
    const homeless = [...places.values()].flat().map(({ rule }) => rule)
    const texts = [this.text, formatRules(homeless)].filter((text) => text !== '')
    if (texts.length > 0) history.unshift(entryLike(like, 'front', texts))
  }
}

// Node 20 has no Map.groupBy.
const groupBy = <T>(items: Array<T>, keyOf: (item: T) => string): Map<string, Array<T>> => {
  const groups = new Map<string, Array<T>>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

/** A message of the person whose parts the screen does not show; it exists in one request only. */
const entryLike = ({ info }: Entry, name: string, texts: Array<string>): Entry => {
  const id = `msg_sat_${name}`
  const { sessionID } = info
  const parts = texts.map((text, index): EntryPart => ({
    id: `prt_sat_${name}_${index}`,
    sessionID,
    messageID: id,
    type: 'text',
    text,
    synthetic: true,
  }))
  return { info: { ...info, id }, parts }
}
