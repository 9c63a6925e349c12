/**
 * The rules of a request: a function of its history, the present rule files, and the files of the messages that a
 * compaction summarised. Nothing else counts, so that a restart, a fork, an undo and a second host give the same request.
 */
import { nameInBackticks, safeName } from '../text/quoted-name.ts'
import type { Facts } from './conditions.ts'
import type { Entry, History } from './history.ts'
import type { Rule } from './rule-files.ts'
import type { TouchedFiles } from './touched-files.ts'

/** A rule in force, and the index of the message where it stands; `null` is in front. It joined for `file`, if for one. */
export type PlacedRule = { rule: Rule; index: number | null; file?: string; isWord?: true }

/** Whether the conditions of a rule hold. */
export const isFor = ({ conditions = [] }: Rule, facts: Facts): boolean =>
  conditions.every(({ holds }) => holds(facts))

/**
 * Places the rules that are in force: those that always apply and those of a compaction's files in front,
 * the others where their first file came in: before the words of a person, after an answer.
 */
export const rulesInRequest = (
  rules: Array<Rule>,
  touched: Pick<TouchedFiles, 'firstFor'>,
  facts: Facts,
): Array<PlacedRule> =>
  rules.flatMap((rule): Array<PlacedRule> => {
    if (rule.kind === 'manual' || !isFor(rule, facts)) return []
    if (rule.kind !== 'file') return [{ rule, index: null }]
    const first = touched.firstFor(rule)
    return first ? [{ rule, ...first }] : []
  })

const INTRO = 'These rules apply to your work in this session. Follow them.'

const OFFER =
  'These rules apply to some work only. When one fits what you are about to do, read its file first:'

/** Gives a rule under its name. One that begins with a heading has that alone. */
const section = ({ name, body }: Rule): string =>
  /^#{1,6}\s/.test(body) ? body : `## ${safeName(name)}\n\n${body}`

const offer = ({ name, path, description = '' }: Rule): string =>
  `- ${nameInBackticks(name)} (${nameInBackticks(path)}): ${safeName(description)}`

/**
 * Writes the rules for a model, each under its name or its own heading, and each offered one in a line; empty where
 * there is none.
 */
export const formatRules = (rules: Array<Rule>, intro = INTRO): string => {
  const sent = rules.filter(({ kind }) => kind !== 'offered')
  const offered = rules.filter(({ kind }) => kind === 'offered')
  return [
    ...(sent.length > 0 ? [intro, ...sent.map(section)] : []),
    ...(offered.length > 0 ? [`${OFFER}\n\n${offered.map(offer).join('\n')}`] : []),
  ].join('\n\n')
}

/** Writes the rules that stand at one place, with one sentence for all of them. */
const formatPlaced = (placed: Array<PlacedRule>, index: number | null): string => {
  const reasons = new Set(
    placed.flatMap(({ file, isWord }) =>
      file === undefined
        ? []
        : [isWord ? `the person's word ${nameInBackticks(file)}` : nameInBackticks(file)]
    ),
  )
  const because = `These rules apply from here on, because of ${[...reasons].join(', ')}. Follow them.`
  return formatRules(placed.map(({ rule }) => rule), index === null ? INTRO : because)
}

/**
 * Makes a message of the person that the screen does not show, and that exists in one request only. It is plain data, which
 * other plugins read, copy and change.
 */
const messageLike = ({ info }: Entry, name: string, text: string): Entry => {
  const id = `msg_sat_${name}`
  const ids = { id: `prt_sat_${name}`, sessionID: info.sessionID, messageID: id }
  return { info: { ...info, id }, parts: [{ ...ids, type: 'text', text, synthetic: true }] }
}

/** Gives the bytes of a rule itself in a request. */
export const ownBytes = (rule: Rule): number =>
  Buffer.byteLength(rule.kind === 'offered' ? offer(rule) : section(rule))

const byPlace = (placed: Array<PlacedRule>): Map<number | null, Array<PlacedRule>> => {
  const places = new Map<number | null, Array<PlacedRule>>()
  for (const one of placed) places.set(one.index, [...places.get(one.index) ?? [], one])
  return places
}

/**
 * Gives the bytes that each rule adds to a request. The rules of one place share what stands around them; in front those
 * that always stand there do.
 */
export const bytesInRequest = (placed: Array<PlacedRule>): Map<Rule, number> =>
  new Map(
    [...byPlace(placed)].flatMap(([index, group]) => {
      const always = group.filter(({ file }) => file === undefined)
      const sharing = always.length > 0 ? always : group
      const around = Buffer.byteLength(formatPlaced(group, index))
        - group.reduce((sum, { rule }) => sum + ownBytes(rule), 0)
      const share = Math.round(around / sharing.length)
      return group.map((one) => [one.rule, ownBytes(one.rule) + (sharing.includes(one) ? share : 0)] as const)
    }),
  )

/** Inserts the rules into the history of a request, in place. */
export const insertRules = (history: History, placed: Array<PlacedRule>): void => {
  const like = history.findLast(({ info }) => info.role === 'user')
  if (!like) return
  // From the last to the first: what is inserted moves no place that is still to come.
  for (
    const [index, rules] of [...byPlace(placed)].toSorted(([one], [other]) => (other ?? -1) - (one ?? -1))
  ) {
    const isBefore = index === null || history[index]!.info.role === 'user'
    const message = messageLike(like, `${index ?? 'front'}`, formatPlaced(rules, index))
    history.splice((index ?? 0) + (isBefore ? 0 : 1), 0, message)
  }
}
