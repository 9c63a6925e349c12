import { EXCEPTION } from './exceptions.ts'
import { clausesOf, type Compared, contentOf, hasNew, orderOf, phrases, shareOf, stemOf } from './words.ts'

// Say no, or what is to be done in its place.
const NO = `never, no, none, nothing, nobody, nowhere, neither, nor, not, zero, instead, rather, over`

// Keep away from something, or call it bad.
const AWAY = `
  avoid*, refrain*, refuse*, reject*, resist*, stop*, skip*, omit*, exclud*, leav*, ignor*, abstain*, beware*, forbid*,
  prohibit*, ban, banned, disallow*, disabl*, prevent*, deny, remove*, drop, dropped, strip*, delete*, discard*, minimi*,
  discourag*, deprecat*, replac*, out, away, off, off-limits, hands-off, no-go, taboo, clear of, free of, *-free,
  keep … from, alone, untouched, frozen, read-only, immutable, wrong, mistake*, bug, bad, illegal, invalid, obsolete,
  ❌, 🚫, ⛔
`

// Set a bound or a condition, or leave it to somebody else.
const BOUND = `
  only, just, solely, exclusively, without, unless, until, till, except, but, before, after, first, than, restrict*, limit*,
  reserved, at most, max, maximum, ceiling, cap, sole, belong*, stay*, stick*, block*, wait*, ask*, permission, approval,
  require*, need*, else, other, others, another, someone, somebody, un*
`

const DENIALS = phrases(NO, AWAY, BOUND)

// An order with one of these may well be worded as a ban.
const OWN_DENIALS = phrases(NO, AWAY)

// Two denials that make an order: "never forget to".
const DOUBLE = / (?:not|never) (?:avoid|refrain|forget|hesitate|fail|neglect|omit|shy)(?= )/g

const BANS = phrases(`
  never, do not, must not, should not, shall not, may not, can not, will not, no, avoid, refrain from, stop, refuse to
`)

// Verbs that say little, so that one stands for another.
const GENERAL = new Set(contentOf('use apply put add make give write include follow run check set allow'))

// A verb behind one of these is ordered or allowed.
const AFTER_MODAL =
  / (?:may|can|could|must|should|shall|always|to|will|and|please)(?= (?:always |be )*([^ ]+) )/g

// Allow what stands before them.
const PERMITS = phrases(`fine, ok, okay, allowed, permitted, welcome, acceptable`)

const openingOf = (order: string): string => stemOf(order.trim().split(' ', 1)[0] ?? '')

/** Whether a sentence has the action that was parsed, or opens with a general verb where that is one. */
const hasAction = (verbs: Array<string>, sentence: string): boolean =>
  contentOf(sentence).some((word) => verbs.includes(word))
  || GENERAL.has(openingOf(orderOf(sentence))) && verbs.some((verb) => GENERAL.has(verb))

/** Whether a forbidden rule reads as an order to do what is forbidden, or as leave to do it. */
export const lostDenial = ({ action, target, parsed, said }: Compared): boolean => {
  const verbs = contentOf(action)
  const text = said.replace(DOUBLE, ' always')
  const objects = contentOf(target)
  const share = (part: string) => shareOf(objects, new Set(contentOf(part)))
  // "`dist/` is generated: edit the sources" has the verb and its object in two sentences.
  const isSaid = text.split(/ [;.:] /).some((part) => hasAction(verbs, part) && share(part) >= 0.75)
  const isOrdered = text !== said || verbs.includes(openingOf(orderOf(text))) || text.search(PERMITS) !== -1
    || [...text.matchAll(AFTER_MODAL)].some(([, verb = '']) => verbs.includes(stemOf(verb)))
  if (!isSaid && !(isOrdered && share(text) >= 0.5)) return false
  // "Ssh is for incidents" says "no ssh unless there is an incident".
  const isReworded = parsed.search(EXCEPTION) !== -1 && text.search(EXCEPTION) === -1
  return !isReworded && !clausesOf(text).some((clause) => clause.search(BANS) === 0)
    && !hasNew(text, parsed, DENIALS)
}

/** Whether a text opens with an order, or with a ban, of the action that was parsed or of a general one. */
export const isOrder = ({ action, said }: Compared): boolean => {
  const order = orderOf(said)
  const opening = openingOf(order)
  return contentOf(action).includes(opening) || GENERAL.has(opening) || order.search(BANS) === 0
}

/** Whether an obligatory rule opens with a ban on its own action. */
export const gainedDenial = ({ action, target, parsed, said }: Compared): boolean => {
  const order = orderOf(said)
  const [clause = ''] = clausesOf(order)
  const [ban] = clause.matchAll(BANS)
  if (ban === undefined || `${action}${target}`.search(OWN_DENIALS) !== -1) return false
  const [before, behind] = [clause.slice(0, ban.index), clause.slice(ban.index + ban[0].length)]
  // "Agents must never", but not "the build fails if no"
  if (before.split(' ').length > 3 || hasNew(order.replace(ban[0], ''), parsed, DENIALS)) return false
  const banned = contentOf(behind).filter((word) => !GENERAL.has(word))
  const [first = '', second = first] = banned
  return contentOf(`${action}${target}`).includes(first) && contentOf(parsed).includes(second)
}
