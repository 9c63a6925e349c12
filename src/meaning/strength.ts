import { FORBIDDEN_EXCEPTION, LIMITS } from './exceptions.ts'
import { areSidesTurned, isForbiddenWanted } from './sides.ts'
import { type Compared, contentOf, hasNew, orderOf, phrases, type Plain, shareOf, stemOf } from './words.ts'

// Words that say no, keep away from something, or call it bad.
const DENIALS = `
  never, no, none, nothing, nobody, nowhere, neither, nor, not, zero, instead, rather, over, avoid*, refrain*, refuse*,
  reject*, resist*, stop*, skip*, omit*, exclud*, leav*, ignor*, abstain*, beware*, forbid*, prohibit*, ban, banned,
  disallow*, prevent*, discourag*, deprecat*, replac*, from being, out, away, off*, *off, no-go, taboo, clear of, free of,
  *-free, wrong, mistake*, bug, bad, illegal, ❌, 🚫, ⛔
`
const DENIAL = phrases(DENIALS)
export const DENIAL_OR_LIMIT = phrases(DENIALS, LIMITS)

// Two denials make an order, as in "never forget to": a general verb takes their place.
const DOUBLE = / (?:do not|never) (?:avoid|refrain|forget|hesitate|fail|neglect|omit|shy)(?= )/g

const BAN = phrases(`
  never, do not, must not, should not, shall not, may not, can not, will not, no, avoid, refrain from, stop, refuse to
`)

// Words that leave a choice where an order opens with them.
const HEDGES = `
  try to, try not, optional*, ideally, preferably, perhaps, maybe, feel free, aim to, strive to, consider *ing, you may,
  you can, you could, you might, if you like, if you want, if you wish, if convenient, when convenient,
  where convenient, it would be nice, no need, there is no need
`
const HEDGE = phrases(HEDGES)

// Words that allow, recommend or wish, leave it to the reader, or say that something is not needed.
const CHOICES = `
  may, can, could, might, would, should, prefer*, allow*, permi*, ok, okay, fine, accept*, tolerat*, free*, welcome, nice,
  recommend*, encourag*, suggest*, useful, help*, worth*, possibl*, appropriate, only, either, whether, whichever,
  whatever, whenever, choos*, choice, discretion, preference, difference, matter, mind, care, up to, as you, hesitate,
  bother, worry, need*, requir*, necessary, unnecessary, oblig*, mandatory, expected, not have, never have, not always
`
const WEAK = phrases(HEDGES, CHOICES)

const STRONG = phrases('must, always, never, shall, have to, has to')

// "You may only", "you can not" and "nothing may" leave no choice.
const NO_CHOICE =
  / (?:may|can|could|might) (?:not|never) | only |^ (?:no(?! need )|none|nothing|nobody|neither|not) /

// Verbs that say little, so that one stands for another.
const GENERAL = contentOf('use prefer apply put add make give write include follow run check set allow')

/** Tells whether an order opens with one of some verbs, given by their stems; one general verb stands for another. */
const opensWith = (verbs: Array<string>, order: Plain): boolean => {
  const opening = stemOf(order.trim().split(' ', 1)[0]!)
  return verbs.includes(opening) || GENERAL.includes(opening) && verbs.some((verb) => GENERAL.includes(verb))
}

/** Tells whether a forbidden rule has the action and its target, and nothing that denies them. */
const lostDenial = ({ action, target, parsed, said }: Compared): boolean => {
  const [verbs, objects] = [contentOf(action), contentOf(target)]
  const text = said.replace(DOUBLE, ' use')
  // "`dist/` is generated: edit the sources" has the verb and its object in two sentences.
  const isSaid = text.split(/ [;.:] /).some((sentence) => {
    const words = new Set(contentOf(sentence))
    return verbs.some((verb) => words.has(verb))
      ? shareOf(objects, words) >= 0.5
      : opensWith(verbs, orderOf(sentence)) && shareOf(objects, words) > 0.75
  })
  // "Ssh is for incidents" has the exception of "no ssh unless there is an incident" in other words.
  const isReworded = parsed.search(FORBIDDEN_EXCEPTION) !== -1 && text.search(FORBIDDEN_EXCEPTION) === -1
  return isSaid && !isReworded && orderOf(text).search(BAN) !== 0 && !hasNew(text, parsed, DENIAL_OR_LIMIT)
}

/** Tells whether an obligatory rule opens with a ban on its own action. */
const gainedDenial = ({ action, target, parsed, said }: Compared): boolean => {
  const order = orderOf(said)
  const [ban] = order.matchAll(BAN)
  // "Agents must never", but not "the build fails if no"
  if (ban === undefined || order.slice(0, ban.index).split(' ').length > 3) return false
  const [banned = ''] = order.slice(ban.index + ban[0].length).split(/ [,;:.!?()—–] /, 1)
  const [first = '', second = first] = contentOf(banned).filter((word) => !GENERAL.includes(word))
  const known = contentOf(parsed)
  // "The tests must not be run", but not "Secrets must not be stored in code"
  const [, verb = ''] = /^ be ([^ ]+)/.exec(banned) ?? []
  const isPassive = contentOf(action).includes(stemOf(verb))
    && contentOf(banned).every((word) => known.includes(word))
  const isOwn = isPassive || contentOf(`${action}${target}`).includes(first) && known.includes(second)
  const isDenial = `${action}${target}`.search(DENIAL) !== -1
  return isOwn && !isDenial && !hasNew(order.replace(ban[0], ''), parsed, DENIAL_OR_LIMIT)
}

/** Tells whether an order opens as if it left a choice. */
const isWeakened = ({ action, parsed, said }: Compared): boolean => {
  const order = orderOf(said)
  const isHedged = (text: Plain) => text.search(HEDGE) === 0 && hasNew(text, parsed, HEDGE)
  const [, verb = ''] =
    /^(?: [^ ]+){1,4} (?:may|might|could|can|need not|not need to|not have to) (?:be )?([^ ]+)/.exec(order)
      ?? []
  const opensWeakly = isHedged(said) || isHedged(order) || contentOf(action).includes(stemOf(verb))
  return opensWeakly && order.search(NO_CHOICE) === -1
}

/** Tells whether a rule that is to leave a choice is an order or a ban with nothing weak, or with a strong word before. */
const isHardened = ({ action, parsed, said }: Compared): boolean => {
  const known: Array<string> = parsed.match(WEAK) ?? []
  const weak = [...said.matchAll(WEAK)].find(([word]) => !known.includes(word))
  if (hasNew(said.slice(0, weak?.index), parsed, STRONG)) return true
  const order = orderOf(said)
  // "Sharing is fine" and "share it if that helps" are no orders.
  const isImperative = !/^ [^ ]+ing /.test(order) && !hasNew(said, parsed, / if(?= )/g)
  const isOrder = order.search(BAN) === 0 || isImperative && opensWith(contentOf(action), order)
  return weak === undefined && isOrder
}

/** Tells what is surely wrong with the strength of an English rule, if anything is. */
export const strengthFault = (compared: Compared): string | undefined => {
  const { strength } = compared.rule
  // "Use B instead of A" has what forbids "A instead of B".
  if (strength === 'forbidden' && !areSidesTurned(compared)) {
    if (isForbiddenWanted(compared) || lostDenial(compared)) return 'does not forbid'
  }
  if (strength === 'obligatory' && gainedDenial(compared)) return 'forbids what is obligatory'
  const isStrict = strength === 'forbidden' || strength === 'obligatory'
  if (isStrict && isWeakened(compared)) return 'leaves a choice'
  return !isStrict && isHardened(compared) ? 'leaves no choice' : undefined
}
