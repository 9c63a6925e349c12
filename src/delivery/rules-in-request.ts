/** Chooses and places the rules of a request, depending only on `RequestInput` and the history. */
import { groupBy } from '../checks/violations.ts'
import { nameInBackticks, safeName } from '../text/quoted-name.ts'
import type { Facts } from './conditions.ts'
import type { History, Message, MessagePart } from './history.ts'
import type { Rule } from './rule-files.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import type { TouchedFiles } from './touched-files.ts'

export type RequestInput = {
  onDisk: RulesOnDisk
  facts: Facts
  /** False for a rule that the person has switched off in this session. */
  isOn: (rule: Rule) => boolean
  /** The result of `markedParts` for messages that the history lacks, for example after a compaction. */
  earlierMarked?: Array<MessagePart>
}

export const checkingRules = ({ onDisk, isOn }: RequestInput): Array<Rule> =>
  onDisk.rules.filter(isOn).concat(onDisk.checkOnly)

export type PlacedRule = {
  rule: Rule
  /** The index of the message next to which the rule goes, or `null` for the front of all messages. */
  index: number | null
  /** The file or, if `isKeyword` is set, the keyword that brought the rule in. */
  cause?: string
  isKeyword?: boolean | undefined
}

export const meetsConditions = ({ conditions = [] }: Rule, facts: Facts): boolean =>
  conditions.every(({ holds }) => holds(facts))

/**
 * Lists the rules of a request, including switched-off rules.
 * A rule that needs a file or keyword is placed next to the first message with the file or keyword.
 */
export const rulesInRequest = (rules: Array<Rule>, touched: TouchedFiles, facts: Facts): Array<PlacedRule> =>
  rules.flatMap((rule): Array<PlacedRule> => {
    if (rule.kind === 'manual' || !meetsConditions(rule, facts)) return []
    if (rule.kind !== 'file') return [{ rule, index: null }]
    const first = touched.firstTriggerFor(rule)
    return first ? [{ rule, ...first }] : []
  })

const INTRO = 'These rules apply to your work in this session. Follow them.'

const OFFER =
  'These rules apply to some work only. When one fits what you are about to do, read its file first:'

const section = ({ name, body }: Rule): string =>
  /^#{1,6}\s/.test(body) ? body : `## ${safeName(name)}\n\n${body}`

const offerLine = ({ name, path, description = '' }: Rule): string =>
  `- ${nameInBackticks(name)} (${nameInBackticks(path)}): ${safeName(description)}`

export const formatRules = (rules: Array<Rule>, intro = INTRO): string => {
  const sent = rules.filter(({ kind }) => kind !== 'offered')
  const offered = rules.filter(({ kind }) => kind === 'offered')
  return [
    ...(sent.length > 0 ? [intro, ...sent.map(section)] : []),
    ...(offered.length > 0 ? [`${OFFER}\n\n${offered.map(offerLine).join('\n')}`] : []),
  ].join('\n\n')
}

const groupByIndex = (placed: Array<PlacedRule>) => [...groupBy(placed, ({ index }) => `${index}`).values()]

const formatGroup = (group: Array<PlacedRule>): string => {
  const rules = group.map(({ rule }) => rule)
  if (group[0]!.index === null) return formatRules(rules)
  const reasons = group.map(({ cause = '', isKeyword }) =>
    (isKeyword ? "the person's word " : '') + nameInBackticks(cause)
  )
  const because = [...new Set(reasons)].join(', ')
  return formatRules(rules, `These rules apply from here on, because of ${because}. Follow them.`)
}

/** Creates a user message that exists only in one request. */
const syntheticMessage = ({ info }: Message, name: string, text: string): Message => {
  const id = `msg_sat_${name}`
  const ids = { id: `prt_sat_${name}`, sessionID: info.sessionID, messageID: id }
  return { info: { ...info, id }, parts: [{ ...ids, type: 'text', text, synthetic: true }] }
}

/** Returns the size of a formatted rule without the introduction. */
export const bytesAlone = (rule: Rule): number =>
  Buffer.byteLength(rule.kind === 'offered' ? offerLine(rule) : section(rule))

/** Returns a function that gives the size of a formatted rule with its share, if any, of the introduction. */
export const bytesInRequest = (placed: Array<PlacedRule>): (rule: Rule) => number => {
  const shares = new Map<Rule, number>()
  for (const group of groupByIndex(placed)) {
    // Rules without a cause need the introduction anyway, so rules with a cause in the same group get no share of it.
    const withoutCause = group.filter(({ cause }) => cause === undefined)
    const sharing = withoutCause.length > 0 ? withoutCause : group
    const alone = group.reduce((sum, { rule }) => sum + bytesAlone(rule), 0)
    const introductionBytes = Buffer.byteLength(formatGroup(group)) - alone
    for (const { rule } of sharing) shares.set(rule, Math.round(introductionBytes / sharing.length))
  }
  return (rule) => bytesAlone(rule) + (shares.get(rule) ?? 0)
}

/** Inserts rules before a message of the person, or after a message of the model. */
export const insertRules = (history: History, placed: Array<PlacedRule>): void => {
  const template = history.findLast(({ info }) => info.role === 'user')
  if (!template) return
  // From the end, because an insertion changes the indexes of all later messages.
  const groups = groupByIndex(placed).sort(([one], [other]) => (other!.index ?? -1) - (one!.index ?? -1))
  for (const group of groups) {
    const { index } = group[0]!
    const message = syntheticMessage(template, `${index ?? 'front'}`, formatGroup(group))
    const isAfterModel = index !== null && history[index]!.info.role !== 'user'
    history.splice(isAfterModel ? index + 1 : index ?? 0, 0, message)
  }
}
