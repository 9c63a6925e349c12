/** What a parsed rule bans or orders ↔ what its sentence does: a "not" or an exception that was lost, or gained. */
import { type Compared, contentOf, hasNew, mainClauseOf, orderOf, phrases, shareOf, stemOf } from './words.ts'

/** "A over B", "A, not B" and the like, A being what is wanted. */
const OVER =
  / (?:over(?! \d)|instead of|rather than|in place of|statt|au lieu de|en lugar de|in plaats van|, (?:not|never))(?= )|而不是|而非/

/** Gives the stems of the words that are on one side alone, what is wanted first: one on both proves nothing. */
const sidesOf = (plain: string): Array<Array<string>> => {
  const [before = '', after = ''] = orderOf(plain).split(OVER, 2)
  // "Never B over A" wants A.
  if (before.search(DENIAL) !== -1) return []
  const sides = [contentOf(before), contentOf(after)]
  return sides.map((words, at) => words.filter((word) => !sides[1 - at]!.includes(word)))
}

/** Whether the sides of "over", "instead of" or "rather than" have changed places. */
export const areSidesTurned = ({ parsed, said }: Compared): boolean => {
  const [[wanted = [], unwanted = []], [before = [], after = []]] = [sidesOf(parsed), sidesOf(said)]
  return wanted.some((word) => after.includes(word)) && unwanted.some((word) => before.includes(word))
}

const EXCEPTIONS = 'unless, except, other than, apart from, as long as, outside'
const [EXCEPTION, BAN_EXCEPTION] = [phrases(EXCEPTIONS), phrases(EXCEPTIONS, 'without, than')]

// With one of these an order may stand for a ban or for an exception.
const LIMITS = 'only, without, except*, but, before, after, first, than, ask*, other*, un*, non-*, to be'
const LIMIT_OR_CONDITION = phrases(LIMITS, 'if, when*, where*, once, outside, own')

const BANS = 'never, do not, must not, should not, may not, can not, no, avoid'
export const BAN = phrases(BANS)

// Words that deny something, keep away from it, or call it bad.
const DENIALS =
  `none, nothing, nobody, nor, not, instead, rather, over, avoid*, refrain*, stop*, skip*, omit*, leav*,
  remov*, disabl*, forbid*, prohibit*, ban, banned, prevent*, replac*, out, away, off*, clear of, free of, *-free, wrong, ❌`
const DENIAL = phrases(DENIALS, BANS)
const DENIAL_OR_LIMIT = phrases(DENIALS, BANS, LIMITS)

// Two denials make an order, as in "never forget to": a general verb takes their place.
const DOUBLE = / (?:do not|never) (?:avoid|forget|hesitate|fail)(?= )/g

// Verbs that say little, so that one stands for another.
const GENERAL = contentOf(' use prefer apply put add make give write include follow run check set allow ')

/** Gives the fault of an English sentence that has nothing for a parsed exception. */
export const lostException = ({ rule, parsed, said }: Compared): string | undefined => {
  const begin = parsed.search(rule.strength === 'forbidden' ? BAN_EXCEPTION : EXCEPTION)
  if (begin === -1) return undefined
  const [exception = ''] = parsed.slice(begin).split(/ [,;.()] /, 1)
  const others = parsed.replace(exception, ' ')
  const [words, known] = [contentOf(said), contentOf(others)]
  const isSaid = contentOf(exception).some((word) => words.includes(word) && !known.includes(word))
  return isSaid || hasNew(said, others, LIMIT_OR_CONDITION) ? undefined : `has lost "${exception.trim()}"`
}

// What may stand between the words of a ban and denies nothing; in a text without spaces between the letters.
const MORE_WORDS = 'use always immer siempre toujours . , ; : ! 。'.split(' ')
const PARTICLES = /^(?:[をにがではとのも的将把在到]|必ず)*$/

/** Whether a ban has only the words of what it bans, and none of these could deny it, in any language. */
export const isBareBan = ({ rule, action, target, parsed, said }: Compared): boolean => {
  const [verb, banned] = [action, parsed].map((plain) => plain.replace(/ avoid(?= )/, '')) as [string, string]
  const isBan = (rule.strength === 'forbidden') !== (verb !== action)
  // "Non usare", an action of two words, may hold its denial.
  if (!isBan || verb.trim().includes(' ') || banned.search(OVER) !== -1) return false
  const words = banned.trim().split(/ +/)
  // "Verwende" is a form of "verwenden".
  const isForm = (word: string) => word.length > 4 && words.some((one) => one.startsWith(word))
  const isKnown = (word: string) =>
    isForm(word) || PARTICLES.test(words.reduce((rest, one) => rest.replace(one, ''), word))
  // A "no" more than was parsed may be the ban.
  const isMore = (word: string, _: number, all: Array<string>) =>
    /^\p{L}{1,3}$/u.test(word)
    && all.filter((one) => one === word).length > Math.max(1, words.filter((one) => one === word).length)
  return shareOf(contentOf(target), contentOf(said)) === 1 && !said.trim().split(' ').some(isMore)
    && said.trim().split(' ').every((word) => MORE_WORDS.includes(word) || isKnown(word))
}

/** Whether an order opens with one of some verbs, given by their stems; one general verb stands for another. */
export const opensWith = (verbs: Array<string>, plain: string): boolean => {
  const opening = stemOf(orderOf(plain).split(' ', 2)[1]!)
  return verbs.includes(opening) || GENERAL.includes(opening) && verbs.some((verb) => GENERAL.includes(verb))
}

/** Whether the sentence of a ban has the action and its target, and nothing that denies them. */
export const hasLostDenial = ({ action, target, parsed, said }: Compared): boolean => {
  const [verbs, objects] = [contentOf(action), contentOf(target)]
  const places = contentOf(parsed).filter((word) => ![...verbs, ...objects].includes(word))
  const text = said.replace(DOUBLE, ' use')
  // "`dist/` is generated: edit the sources" has the verb and its object in two sentences.
  const isSaid = text.split(/(?= [;.:] )/).some((sentence) => {
    const words = contentOf(sentence)
    const isOwn = verbs.some((verb) => words.includes(verb)) || opensWith(verbs, sentence)
    return isOwn && shareOf(objects, words) >= 0.5 && shareOf(places, words) > 0
  })
  // "A column without a default" has its exception in other words in "every column has a default".
  const isReworded = parsed.search(BAN_EXCEPTION) !== -1 && text.search(BAN_EXCEPTION) === -1
  return isSaid && !isReworded && orderOf(text).search(BAN) !== 0 && !hasNew(text, parsed, DENIAL_OR_LIMIT)
}

/** Whether an order's own action is banned: "never store dates in local time" bans another one. */
export const hasGainedDenial = ({ action, target, parsed, said }: Compared): boolean => {
  const [order, main, known] = [orderOf(said), mainClauseOf(said), contentOf(parsed)]
  const [ban] = main.matchAll(BAN)
  if (ban === undefined) return false
  const words = contentOf(main.slice(ban.index + ban[0].length).split(/ (?:[,;:.!?()—–]|via|such) /, 1)[0]!)
  const isOwn = [...contentOf(`${action}${target}`), ...GENERAL].includes(words[0] ?? '')
    && shareOf(words, [...known, ...GENERAL]) > 0.8
  // "No telemetry" may say "disable telemetry", "never disable it" does not.
  const others = contentOf(action).includes(words[0] ?? '') ? parsed.replace(action, ' ') : parsed
  return isOwn && others.search(DENIAL) === -1 && !hasNew(order.replace(ban[0], ''), parsed, DENIAL_OR_LIMIT)
}
