import { gainedDenial, isOrder, lostDenial } from './polarity.ts'
import { type Compared, contentOf, hasNew, orderOf, phrases, stemOf } from './words.ts'

// Allow, recommend or wish.
const ALLOWED = `
  may, can, could, might, would, should, optional, optionally, ideally, prefer*, allow*, permi*, ok, okay, fine, free,
  freely, welcome, acceptable, tolerat*, go ahead, consider, recommend*, encourag*, suggest*, advisable, desirable, nice,
  good, great, better, best, helpful, useful, beneficial, worth*, bonus, plus, appreciated, possible, possibly, perhaps,
  maybe, try, aim, strive, safe, trust*, feel
`

// Say that something is not needed.
const NOT_NEEDED = `
  need not, no need, not need, not needed, needs no, not have, never need*, never have to, not require*, never require*,
  not necessary, not expected, not oblig*, no obligation, not mandatory, no requirement, not a requirement, not always,
  not important, unneeded, unnecessary, needless, superfluous, redundant, irrelevant, skip, spare, not bother, not worry
`

// Leave it to the reader.
const CHOICE = `
  not care, not matter, no matter, no preference, no difference, either, whether, whichever, whatever, whenever, up to you,
  choose, choice, option, options, if you like, if you want, if you wish, if you see, if any, if needed, as you,
  without asking, all the same, mind
`

const WEAK = phrases(ALLOWED, NOT_NEEDED, CHOICE)

const STRONG = phrases(`must, always, never, shall, have to, has to`)

// How an order begins that is none.
const OPENINGS = phrases(`
  try to, try not, ideally, optionally, optional, preferably, perhaps, maybe, feel free to, aim to, strive to,
  you may, you can, you could, you might, could *, might *, where convenient, when convenient, if convenient,
  if you like, if you want, if you feel like, consider *ing, it would be nice, would be nice
`)

// "You may only" and "you can not" leave no choice.
const NO_CHOICE = / (?:may|can|could|might) (?:not|never) | only /

/** Whether an order opens as if it left a choice. */
const isWeakened = ({ action, parsed, said }: Compared): boolean => {
  const order = orderOf(said)
  const opensWeakly = [said, order].some((text) =>
    text.search(OPENINGS) === 0 && hasNew(text, parsed, OPENINGS)
  )
  const [, verb = ''] = /^(?: [^ ]+){1,4} (?:may|might|could) (?:be )?([^ ]+)/.exec(order) ?? []
  return said.search(NO_CHOICE) === -1 && (opensWeakly || contentOf(action).includes(stemOf(verb)))
}

/** Whether nothing in a rule leaves the choice that was parsed, or a strong word stands before it. */
const isHardened = (compared: Compared): boolean => {
  const { action, target, parsed, said } = compared
  const own: Array<string> = `${action}${target}`.match(WEAK) ?? []
  const weak = [...said.matchAll(WEAK)].find(([word]) => !own.includes(word))
  return hasNew(said.slice(0, weak?.index), parsed, STRONG) || weak === undefined && isOrder(compared)
}

/** What is surely wrong with the strength of an English rule, if anything is (sat-spec.md, deontic strength mapping). */
export const strengthFault = (compared: Compared): string | undefined => {
  const { strength } = compared.rule
  if (strength === 'forbidden' && lostDenial(compared)) return 'does not forbid'
  if (strength === 'obligatory' && gainedDenial(compared)) return 'forbids what is obligatory'
  if (strength === 'forbidden' || strength === 'obligatory') {
    return isWeakened(compared)
      ? 'leaves a choice'
      : undefined
  }
  return isHardened(compared) ? 'leaves no choice' : undefined
}
