import { LruMap } from '../text/lru-map.ts'
import type { Slot, StoredMessage } from './hidden-message.ts'
import type { AgentAndModel } from './history.ts'
import type { Rule } from './rule-files.ts'
import { type FilesOf, type FirstMatch, isSettled } from './rules-in-request.ts'

/**
 * What is known of a session. None of it decides what a request holds: all of it can be read from the history again, and
 * is kept for speed, or because it concerns a running call.
 */
export type Session = {
  id: string
  /** Its hidden message; the sessions that have one are not sent another. */
  message?: StoredMessage
  /** Where its hidden message is or is to be stored. */
  slot?: Slot
  /** Whether its history was searched for a hidden message. */
  isRead: boolean
  /** Whether the hidden message was sent before the person's first message, which may have another agent and model. */
  isEarly: boolean
  createdWith?: AgentAndModel
  lastSaid?: AgentAndModel
  /** Whether the next history that the host passes is for a summary. */
  isCompacting: boolean
  /** The id of the first message that the person undid, while they may still redo it. */
  undoneFrom: string | undefined
  /** The files that were touched before a compaction, and its id. */
  earlier?: { compaction: string; files: Array<string> }
  /** The agent of the last request, and the paths of the rules that it held; another object for each request. */
  agent: string
  shown: ReadonlySet<string>
  /** The sets of rules that a call was refused for, each with what was shown then. */
  refusedFor: Map<string, ReadonlySet<string>>
  filesOf: FilesOf
  firstMatch: FirstMatch
  /** What was last written to the debug log. */
  logged: string
  /** Resolves when all that is queued for it is done. */
  work: Promise<void>
}

/** Remembers the files of each message whose parts are all settled, since they no longer change. */
const rememberedFiles = (filesOf: FilesOf): FilesOf => {
  const known = new Map<string, { parts: number; files: Array<string> }>()
  return (entry) => {
    const { info: { id }, parts } = entry
    const found = known.get(id)
    if (found?.parts === parts.length) return found.files
    const files = filesOf(entry)
    if (parts.every(isSettled)) known.set(id, { parts: parts.length, files })
    return files
  }
}

/** Tests each file once for each rule, as long as files are only added. */
export const rememberedMatches = (): FirstMatch => {
  let list: Parameters<FirstMatch>[1] = []
  let tried = new WeakMap<Rule, { count: number; index: number }>()
  return (rule, files) => {
    if (files !== list) {
      if (list.some(({ file }, index) => file !== files[index]?.file)) tried = new WeakMap()
      list = files
    }
    const known = tried.get(rule) ?? { count: 0, index: -1 }
    for (; known.index < 0 && known.count < files.length; known.count++) {
      if (rule.applies?.(files[known.count]!.file)) known.index = known.count
    }
    tried.set(rule, known)
    return known.index
  }
}

// A dropped session is read from its history again.
const MAX_SESSIONS = 1_000

/** The remembered sessions; one more drops the least recently used one. */
export class Sessions {
  readonly #known = new LruMap<string, Session>(MAX_SESSIONS)
  readonly #filesOf: FilesOf

  constructor(filesOf: FilesOf) {
    this.#filesOf = filesOf
  }

  /** Gives a session, or makes a new one. */
  get(id: string): Session {
    const known = this.#known.get(id)
    if (known) return known
    const session: Session = {
      id,
      isRead: false,
      isEarly: false,
      isCompacting: false,
      undoneFrom: undefined,
      agent: '',
      shown: new Set(),
      refusedFor: new Map(),
      filesOf: rememberedFiles(this.#filesOf),
      firstMatch: rememberedMatches(),
      logged: '',
      work: Promise.resolve(),
    }
    this.#known.set(id, session)
    return session
  }

  /** Drops a session. */
  forget(id: string): void {
    this.#known.delete(id)
  }
}
