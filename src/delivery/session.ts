import type { Client } from '../host/client.ts'
import { HiddenMessage } from './hidden-message.ts'
import type { Rule } from './rule-files.ts'
import { type FilesOf, type FirstMatch, isSettled } from './rules-in-request.ts'

/**
 * What is known of a session. None of it decides what a request holds: all of it can be read from the history again, and
 * is kept for speed, or because it concerns a running call.
 */
export type Session = {
  id: string
  hidden: HiddenMessage
  /** Whether the next history that the host passes is for a summary. */
  isCompacting: boolean
  /** The id of the first message that the person undid, while they may still redo it. */
  undoneFrom: string | undefined
  /** The files that were touched before a compaction, and its id. */
  earlier?: { compaction: string; files: Array<string> }
  /** The agent of the last request, and the paths of the rules that it held. */
  request: { agent: string; shown: ReadonlySet<string> }
  /** The sets of rules that a call was refused for, each with the request before it. */
  refusedIn: Map<string, Session['request']>
  filesOf: FilesOf
  firstMatch: FirstMatch
  /** Resolves when all that is queued for it is done. */
  work: Promise<void>
}

/** Remembers the files of each message whose parts are all settled, since they no longer change. */
export const rememberedFiles = (filesOf: FilesOf): FilesOf => {
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

/** Makes a session that nothing is known of. */
export const newSession = (id: string, client: Client, filesOf: FilesOf): Session => ({
  id,
  hidden: new HiddenMessage(client, id),
  isCompacting: false,
  undoneFrom: undefined,
  request: { agent: '', shown: new Set() },
  refusedIn: new Map(),
  filesOf: rememberedFiles(filesOf),
  firstMatch: rememberedMatches(),
  work: Promise.resolve(),
})
