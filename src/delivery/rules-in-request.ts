/**
 * The rules of a request: a function of its history, the present rule files, and the files of the messages that a
 * compaction summarised. Nothing else counts, so that a restart, a fork, an undo and a second host give the same request.
 */
import { codeName, plainName } from '../text/quoted-name.ts'
import type { Entry, History } from './history.ts'
import type { Rule } from './rule-files.ts'
import type { TouchedFiles } from './touched-files.ts'

/** A rule in force; `file` is the one that it joined for, relative to the worktree. */
export type RuleInForce = { rule: Rule; file?: string }

/** The rules in front of a request, and those that join at the message of an index: before a person's, after an answer. */
export type RulesInRequest = { front: Array<RuleInForce>; joining: Map<number, Array<RuleInForce>> }

/** Whether a rule is for an agent; one that names no agents is for all. */
export const isFor = ({ agents }: Rule, agent: string): boolean => agents?.includes(agent) ?? true

/**
 * Places the rules that are in force for an agent: those that always apply and those of a compaction's files in front,
 * the others where their first file came in.
 */
export const rulesInRequest = (
  rules: Array<Rule>,
  touched: Pick<TouchedFiles, 'firstFor'>,
  agent: string,
): RulesInRequest => {
  const placed: RulesInRequest = { front: [], joining: new Map() }
  for (const rule of rules) {
    const first = rule.kind === 'file' ? touched.firstFor(rule) : undefined
    const isWaiting = rule.kind === 'file' && first === undefined
    if (isWaiting || rule.kind === 'manual' || !isFor(rule, agent)) continue
    const inForce = first === undefined ? { rule } : { rule, file: first.file }
    const index = first?.index ?? null
    if (index === null) placed.front.push(inForce)
    else placed.joining.set(index, [...placed.joining.get(index) ?? [], inForce])
  }
  return placed
}

/** Lists the rules of a request. */
export const inForceOf = ({ front, joining }: RulesInRequest): Array<RuleInForce> => [
  ...front,
  ...[...joining.values()].flat(),
]

const INTRO = 'These rules apply to your work in this session. Follow them.'

const OFFER =
  'These rules apply to some work only. When one fits what you are about to do, read its file first:'

/** Gives a rule under its name. One that begins with a heading has that alone. */
const section = ({ name, body }: Rule): string =>
  /^#{1,6}\s/.test(body) ? body : `## ${plainName(name)}\n\n${body}`

type PathOf = (rule: Rule) => string

const offer = (rule: Rule, pathOf: PathOf): string =>
  `- ${codeName(rule.name)} (${codeName(pathOf(rule))}): ${plainName(rule.description ?? '')}`

/**
 * Writes the rules for a model, each under its name or its own heading, and each offered one in a line; empty where
 * there is none.
 *
 * @param pathOf the path that an offered rule is named by
 */
export const formatRules = (
  rules: Array<Rule>,
  pathOf: PathOf = ({ path }) => path,
  intro = INTRO,
): string => {
  const sent = rules.filter(({ kind }) => kind !== 'offered')
  const offered = rules.filter(({ kind }) => kind === 'offered')
  return [
    ...(sent.length > 0 ? [intro, ...sent.map(section)] : []),
    ...(offered.length > 0 ? [`${OFFER}\n\n${offered.map((rule) => offer(rule, pathOf)).join('\n')}`] : []),
  ].join('\n\n')
}

/** Writes the rules that join at one place, with one sentence for all of them. */
const formatJoiningRules = (joined: Array<{ rule: Rule; file?: string }>): string => {
  const files = new Set(joined.flatMap(({ file }) => (file === undefined ? [] : [codeName(file)])))
  const intro = `These rules apply from here on, because of ${[...files].join(', ')}. Follow them.`
  return formatRules(joined.map(({ rule }) => rule), undefined, intro)
}

/** Makes a message of the person that the screen does not show, and that exists in one request only. */
const messageLike = ({ info }: Entry, name: string, text: string): Entry => {
  const id = `msg_sat_${name}`
  const part = { id: `prt_sat_${name}`, sessionID: info.sessionID, messageID: id }
  return { info: { ...info, id }, parts: [{ ...part, type: 'text', text, synthetic: true }] }
}

/** Inserts the rules into the history of a request, in place. */
export const insertRules = (history: History, { front, joining }: RulesInRequest): void => {
  const like = history.findLast(({ info }) => info.role === 'user')
  if (!like) return
  const request: History = []
  if (front.length > 0) request.push(messageLike(like, 'front', formatRules(front.map(({ rule }) => rule))))
  history.forEach((entry, index) => {
    const joined = joining.get(index)
    const isAnswer = entry.info.role !== 'user'
    // A rule stands after the answer of a tool, and before the words of a person who named the file.
    if (isAnswer) request.push(entry)
    if (joined) request.push(messageLike(like, `${index}`, formatJoiningRules(joined)))
    if (!isAnswer) request.push(entry)
  })
  history.splice(0, history.length, ...request)
}
