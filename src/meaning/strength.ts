import { FORBIDDEN_EXCEPTION, LIMITS } from './exceptions.ts'
import { ADVICE, forceOf, WEAK } from './force.ts'
import { areSidesTurned } from './sides.ts'
import { type Compared, contentOf, hasNew, orderOf, phrases, type Plain, shareOf, stemOf } from './words.ts'

// Words that say no, keep away from something, or call it bad.
const DENIALS = `
  never, no, none, nothing, nobody, nor, not, instead, rather, over, avoid*, refrain*, stop*, skip*, omit*, leav*,
  forbid*, prohibit*, ban, banned, prevent*, replac*, out, away, off*, clear of, free of, *-free, wrong, ❌
`
const BANS = `
  never, do not, must not, should not, may not, can not, no, avoid, refrain from, stop, refuse to
`
const BAN = phrases(BANS)
const DENIAL = phrases(DENIALS, BANS)
export const DENIAL_OR_LIMIT = phrases(DENIALS, BANS, LIMITS)

// Two denials make an order, as in "never forget to": a general verb takes their place.
const DOUBLE = / (?:do not|never) (?:avoid|refrain|forget|hesitate|fail|neglect|omit|shy)(?= )/g

const STRONG = phrases('must, always, never')

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

/** Tells whether an order's own action is banned: "never store dates in local time" bans another one. */
const gainedDenial = ({ action, target, parsed, said }: Compared): boolean => {
  const order = orderOf(said)
  const [ban] = order.matchAll(BAN)
  // "Agents must never", but not "the build fails if no"
  if (ban === undefined || order.slice(0, ban.index).split(' ').length > 3) return false
  const [banned = ''] = order.slice(ban.index + ban[0].length).split(/ (?:[,;:.!?()—–]|if|when|via|such) /, 1)
  const words = contentOf(banned)
  const isOwn = [...contentOf(`${action}${target}`), ...GENERAL].includes(words[0] ?? '')
    && shareOf(words, new Set([...contentOf(parsed), ...GENERAL])) > 0.8
    && shareOf(contentOf(target), new Set(contentOf(said))) >= 0.5
  return isOwn && parsed.search(DENIAL) === -1 && !hasNew(order.replace(ban[0], ''), parsed, DENIAL_OR_LIMIT)
}

/** Tells whether an order opens as if it left a choice. */
const isWeakened = ({ action, parsed, said }: Compared): boolean => {
  const order = orderOf(said)
  const isHedged = (text: Plain) => text.search(ADVICE) === 0 && hasNew(text, parsed, ADVICE)
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
  return weak === undefined && isOrder && !order.startsWith(' avoid ')
}

/** Tells what is surely wrong with the strength of an English rule, if anything is. */
export const strengthFault = (compared: Compared): string | undefined => {
  const { strength } = compared.rule
  // "Use B instead of A" has what forbids "A instead of B".
  if (strength === 'forbidden' && !areSidesTurned(compared)) {
    if (lostDenial(compared)) return 'does not forbid'
  }
  if (strength === 'obligatory' && gainedDenial(compared)) return 'forbids what is obligatory'
  const isStrict = strength === 'forbidden' || strength === 'obligatory'
  if (isStrict && isWeakened(compared)) return 'leaves a choice'
  return !isStrict && isHardened(compared) ? 'leaves no choice' : undefined
}

/** Tells where a sentence in another language sounds surely like advice and is none, or the other way round. */
export const foreignStrengthFault = ({ rule: { strength }, parsed, said }: Compared): string | undefined => {
  const force = forceOf(said)
  const isStrict = strength === 'forbidden' || strength === 'obligatory'
  if (force === undefined || isStrict === (force === 'order') || forceOf(parsed) === force) return undefined
  return isStrict ? 'leaves a choice' : 'leaves no choice'
}
