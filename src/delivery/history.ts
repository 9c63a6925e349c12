import type { Hooks } from '@opencode-ai/plugin'

/** A session's messages as the host hands them to `experimental.chat.messages.transform`. */
export type History = Parameters<
  NonNullable<Hooks['experimental.chat.messages.transform']>
>[1]['messages']
export type Entry = History[number]
export type EntryPart = Entry['parts'][number]

type UserInfo = Extract<Entry['info'], { role: 'user' }>

/** Whose a user message is: the agent, model and variant that the host goes on with. */
export type Stamp = { agent?: string; model?: UserInfo['model']; variant?: string }

/** The stamp of a user message. */
export const stampOf = ({ agent, model }: UserInfo): Stamp => {
  // The host's own types lag behind what it stores, and what older ones stored may have no model.
  const { providerID, modelID, variant } = Object(model) as Partial<UserInfo['model']> & { variant?: string }
  return {
    agent,
    ...(providerID && modelID ? { model: { providerID, modelID } } : {}),
    ...(variant ? { variant } : {}),
  }
}

export const isSameStamp = (one: Stamp, other: Stamp): boolean =>
  one.agent === other.agent && one.variant === other.variant
  && one.model?.providerID === other.model?.providerID && one.model?.modelID === other.model?.modelID

const MARK = 'opencode-sat'

/** The message that holds a session's rules in its history: where it is, and what it says. */
export type StoredRules = {
  messageID: string
  partID: string
  created: number
  text: string
  paths: Array<string>
}

/** The mark by which a stored message is known again, after a restart and in a fork too. */
export const markOf = (paths: Array<string>): Record<string, unknown> => ({ [MARK]: { rules: paths } })

const markIn = (part: EntryPart): { rules?: unknown } | undefined =>
  part.type === 'text' && part.metadata?.[MARK] ? Object(part.metadata[MARK]) : undefined

export const isStoredRules = (parts: Array<EntryPart>): boolean =>
  parts.some((part) => markIn(part) !== undefined)

/** The stored message in a history, if there is one. */
export const storedRulesIn = (history: History): StoredRules | undefined => {
  for (const { info, parts } of history) {
    for (const part of parts) {
      const mark = markIn(part)
      if (!mark || part.type !== 'text') continue
      const paths = [mark.rules ?? []].flat().filter((path): path is string => typeof path === 'string')
      return { messageID: info.id, partID: part.id, created: info.time.created, text: part.text, paths }
    }
  }
  return undefined
}

/** Whether the history begins with what a compaction left of it. */
export const isCompacted = (history: History): boolean =>
  history.some(({ parts }) => parts.some(({ type }) => type === 'compaction'))

/** What somebody said to a session: under which agent, model and variant, and when, in milliseconds. */
export type Said = { stamp: Stamp; at: number }

/** The newest message of a history that is not SAT's own. */
export const newestSaid = (history: History): Said | undefined => {
  const newest = history.findLast(({ info, parts }) => info.role === 'user' && !isStoredRules(parts))
  return newest?.info.role === 'user'
    ? { stamp: stampOf(newest.info), at: newest.info.time.created }
    : undefined
}
