/**
 * What a session was told of rules, as data. It is stored in the session's hidden message, where a restart or a fork
 * finds it, and `insertTold` puts it into each request.
 *
 * A notice keeps its place and its words until a compaction: a change of an earlier part of a request would cost the
 * provider's cache. What changed is told further on. After a compaction all rules stand in front, in their newest words.
 */
import { type Entry, type History, type HistoryPlace, lastCompactionOf } from './history.ts'
import { changesOf, fileFor, isStanding, type Now, toldAs, type ToldRule } from './rule-changes.ts'
import type { Rule } from './rule-files.ts'
import { formatChanges, formatJoiningRules, formatRules } from './rules-message.ts'
import { fitting } from './session-limits.ts'
import type { TouchedFiles } from './touched-files.ts'

/** A text to the model: which rules it holds, and the paths of those that it takes back. */
type Notice = { text: string; rules: Array<ToldRule>; removed: Array<string> }
type PlacedNotice = Notice & { at: HistoryPlace }

/**
 * What a session was told: `front` at the beginning of the history, the notices at their places. `compaction` is the
 * time of the compaction since which `front` stands there; `null` for none.
 */
export type Told = { compaction: number | null; front: Notice; notices: Array<PlacedNotice> }

/** Gives the rules that a session has by what it was told, by their paths. */
export const rulesOf = ({ front, notices }: Told): ReadonlyMap<string, ToldRule> => {
  const rules = new Map(front.rules.map((rule) => [rule.path, rule]))
  for (const notice of notices) {
    for (const path of notice.removed) rules.delete(path)
    for (const rule of notice.rules) rules.set(rule.path, rule)
  }
  return rules
}

/** Makes what a session is told first: the rules that apply whatever its files are. */
export const begin = (rules: Array<Rule>): Told => {
  const front = fitting(rules.filter(isStanding))
  return {
    compaction: null,
    front: { text: formatRules(front), rules: front.map((rule) => toldAs(rule)), removed: [] },
    notices: [],
  }
}

/** Puts all rules of a session in front, in their newest words: a compaction took the notices out of the history. */
export const renew = (
  told: Told,
  rules: Array<Rule>,
  touched: TouchedFiles,
  compaction: number | null,
): Told => {
  const had = rulesOf(told)
  const fileOf = (rule: Rule): string | undefined => fileFor(rule, had.get(rule.path), touched)
  const front = fitting(rules.filter((rule) => isStanding(rule) || fileOf(rule) !== undefined))
  return {
    compaction,
    front: { text: formatRules(front), rules: front.map((rule) => toldAs(rule, fileOf(rule))), removed: [] },
    notices: [],
  }
}

/** Where changes are told: rules that join by a file at the place of that file, all else at `end`. */
export type NoticePlaces = { end: HistoryPlace; ofFile: (file: string) => HistoryPlace | undefined }

/**
 * Finds where changes can be told in a history: at its end, and rules that join by a file at the message that touched it,
 * if that is no earlier than the last answer. What stands before that was sent already, and must not change.
 */
export const placesIn = (history: History, touched: TouchedFiles): NoticePlaces => {
  const last = history.at(-1)!.info
  const answer = Math.max(0, history.findLastIndex(({ info }) => info.role === 'assistant'))
  const since = history[answer]?.info.time.created ?? 0
  return {
    end: { role: last.role, created: last.time.created, side: 'after' },
    ofFile: (file) => {
      const place = touched.placeOf(file)
      return place && place.created >= since ? place : undefined
    },
  }
}

/** Updates the records of rules whose words stay the same, such as the path of one that moved. */
const withRecords = (told: Told, records: ReadonlyMap<string, ToldRule>): Told => {
  if (records.size === 0) return told
  const recorded = <T extends Notice>(notice: T): T => ({
    ...notice,
    rules: notice.rules.map((rule) => {
      const { digest, bytes } = rule
      return { ...(records.get(rule.path) ?? rule), digest, bytes }
    }),
    removed: notice.removed.map((path) => records.get(path)?.path ?? path),
  })
  return { ...told, front: recorded(told.front), notices: told.notices.map(recorded) }
}

/** Adds to what a session was told what is new to it; gives the same object where nothing is. */
export const tell = (told: Told, now: Now, { end, ofFile }: NoticePlaces): Told => {
  const had = rulesOf(told)
  const { joined, changed, added, removed, replaced, records, files } = changesOf(
    had,
    now,
    (file) => ofFile(file) !== undefined,
  )
  const joining = [...joined].map(([file, rules]): PlacedNotice => ({
    at: ofFile(file) ?? end,
    text: formatJoiningRules(rules, file),
    rules: rules.map((rule) => toldAs(rule, file)),
    removed: [],
  }))
  const text = formatChanges({ changed, added, removed: removed.map((path) => had.get(path)?.name ?? path) })
  const changes: Array<PlacedNotice> = text === '' ? [] : [{
    at: end,
    text,
    rules: [...changed, ...added].map((rule) => toldAs(rule, files.get(rule.path))),
    removed: [...removed, ...replaced.values()],
  }]
  const known = withRecords(told, records)
  return joining.length + changes.length === 0
    ? known
    : { ...known, notices: [...known.notices, ...joining, ...changes] }
}

/** Makes what a session is told whose stored history cannot be read: all rules that apply by the history of a request. */
export const tellAnew = (history: History, now: Now): Told => {
  now.touched.clear()
  now.touched.update(history)
  const told = { ...begin(now.rules), compaction: lastCompactionOf(history) }
  return tell(told, now, placesIn(history, now.touched))
}

const keyOf = ({ role, created }: { role: string; created: number }): string => `${role} ${created}`

const keyOfEntry = ({ info }: Entry): string => keyOf({ role: info.role, created: info.time.created })

/** Drops the notices that stood at messages which were undone: they are in no request any more. */
export const withoutUndone = (told: Told, history: History): Told => {
  if (told.notices.length === 0) return told
  const there = new Set(history.map(keyOfEntry))
  const notices = told.notices.filter(({ at }) => there.has(keyOf(at)))
  return notices.length === told.notices.length ? told : { ...told, notices }
}

/** Puts what a session was told into a history, in place; gives the paths of the rules that the history now has. */
export const insertTold = (history: History, told: Told): Set<string> => {
  const like = history.findLast(({ info }) => info.role === 'user')
  if (!like) return new Set()
  const waiting = new Map<string, Array<PlacedNotice>>()
  for (const notice of told.notices) {
    const key = `${keyOf(notice.at)} ${notice.at.side}`
    waiting.set(key, [...waiting.get(key) ?? [], notice])
  }
  const placed = new Set<PlacedNotice>()
  const request = told.front.text === '' ? [] : [entryLike(like, 'front', told.front.text)]
  const place = (entry: Entry, side: HistoryPlace['side']): void => {
    const key = `${keyOfEntry(entry)} ${side}`
    for (const notice of waiting.get(key) ?? []) {
      request.push(entryLike(like, `${placed.size}`, notice.text))
      placed.add(notice)
    }
    // Two messages of one role may have the same millisecond; the notice goes to the first.
    waiting.delete(key)
  }
  for (const entry of history) {
    if (waiting.size > 0) place(entry, 'before')
    request.push(entry)
    if (waiting.size > 0) place(entry, 'after')
  }
  history.length = 0
  for (const entry of request) history.push(entry)
  const held = { ...told, notices: told.notices.filter((notice) => placed.has(notice)) }
  return new Set(rulesOf(held).keys())
}

/** Makes a message of the person that the screen does not show, and that exists in one request only. */
const entryLike = ({ info }: Entry, name: string, text: string): Entry => {
  const id = `msg_sat_${name}`
  const part = { id: `prt_sat_${name}`, sessionID: info.sessionID, messageID: id }
  return { info: { ...info, id }, parts: [{ ...part, type: 'text', text, synthetic: true }] }
}
