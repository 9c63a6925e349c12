/** How binding a text is: the words that order, and those that leave a choice, in the languages that are compared. */
import type { ParsedRule } from '../rule-schema.ts'
import { BAN, opensWith } from './negation.ts'
import { type Compared, contentOf, hasNew, mainClauseOf, orderOf, phrases, plainOf, stemOf } from './words.ts'

/** How binding a text sounds: it orders or forbids, or it leaves a choice. */
export type Force = 'order' | 'advice'

/** Words that only orders have. */
const ORDER = phrases(`
  must, never, always, do not, forbidden, muss, müssen, nie, niemals, immer, darf nicht, dürfen nicht, darf kein*,
  darf nie*, dürfen nie*, verboten, toujours, jamais, interdit*, doit, doivent, il faut, siempre, nunca, hay que, debe*,
  prohibid*, sempre, deve*, всегда, никогда, нельзя, обязательно, 必ず, 絶対に, 禁止, てはいけ, てはなら, しないで, 必须, 务必,
  绝不, 不得, 严禁, 切勿, 절대, 반드시, 금지
`)

const ADVICE_WORDS = `
  try to, try not, optional*, ideally, preferably, perhaps, maybe, feel free, aim to, strive to, consider *ing, may,
  you may, you might, if you like, if you want, if convenient, where convenient, there is no need,
  it would be nice, idealerweise, am besten, darf, dürfen, vous pouvez, opcional*, ideal*ment*, idéalement, puedes, можно,
  てもよい, てもいい, てもかま, 望ましい, できれば, なるべく, 任意, 可以, 最好, 尽量, 建议, 좋습니다
`
/** Words that leave a choice, where they open a sentence. */
const ADVICE = phrases(ADVICE_WORDS)

/** Words that may leave a choice, take an order back, or speak of something else. */
const WEAK = phrases(
  ADVICE_WORDS,
  `can, could, might, should, would, prefer*, allow*, permi*, ok*, fine, accept*, free*, welcome, nice, recommend*, encourag*, practical, help*,
  possibl*, whether, whatever, choice, matter, care, bother, or leave, need*, requir*, *necessary,
  kann*, könn*, sollt*, möglich*, erlaubt, brauch*, peut*, peuv*, pued*, мож*`,
)

// "You do not have to", "das muss nicht" and the like hold an order's word.
const EXEMPTION =
  / (?:not|never) (?:have|need|necessarily|always)(?= )| or (?:do )?not(?= )| (?:muss|müssen|musst)(?: [^ ]+)* nicht | no (?:hay|tien|hace)| не обязательно|必ずしも/

/** "Nothing else may …", "only … may" and "may not" leave no choice. */
const NO_CHOICE =
  / (?:(?:may|can|could|might) (?:not|never)|no(?! need)|none|nothing|nobody|neither|only|most|nur|höchstens|niemand|nichts|kein[^ ]*) /

/** Whether a rule of this strength orders or forbids. */
export const isBinding = (strength: ParsedRule['strength']): boolean =>
  strength === 'obligatory' || strength === 'forbidden'

/** Whether a plain sentence leaves a choice: it opens so, or its main clause does without an order. */
const isAdvice = (sentence: string): boolean => {
  const [order, main] = [orderOf(sentence), mainClauseOf(sentence)]
  const isHedged = [sentence, order].some((text) => text.search(ADVICE) === 0)
  return (isHedged || main.search(ORDER) === -1 && main.search(ADVICE) !== -1) && !NO_CHOICE.test(`${order} `)
}

/** Gives how binding a text surely sounds; `undefined` where its words say neither, or both. */
export const forceOf = (text: string): Force | undefined => {
  const plain = plainOf(text)
  if (EXEMPTION.test(plain)) return undefined
  const sentences = plain.split(/ [.!?](?= )|[。！？]/).filter((sentence) => /\p{L}/u.test(sentence))
  if (sentences.length > 0 && sentences.every(isAdvice)) return 'advice'
  const isWeak = sentences.map(mainClauseOf).join('').replace(ORDER, ' ').search(WEAK) !== -1
  return plain.search(ORDER) !== -1 && !isWeak ? 'order' : undefined
}

const MODAL = /^(?: [^ ]+){1,4} (?:might|could|can|need not|not need to|not have to) (?:be )?([^ ]+)/

/** Whether doing what a rule orders is only said to be possible. */
const isWeakened = ({ action, said }: Compared): boolean => {
  const order = orderOf(said)
  const [, verb = ''] = MODAL.exec(order) ?? []
  return contentOf(action).includes(stemOf(verb)) && !NO_CHOICE.test(order)
}

// What leaves a choice, also where a rule was parsed with it.
const PREFERENCE = phrases(
  'prefer, try to, if possible, where* possible, when* possible, if you can, where* you can',
)

/** Whether advice became an order or a ban: no word in it leaves a choice. */
const isHardened = ({ action, parsed, said }: Compared): boolean => {
  const order = orderOf(said)
  const isOpen = EXEMPTION.test(said) || hasNew(said, parsed.replace(PREFERENCE, ' '), WEAK)
  if (isOpen || action === ' avoid ') return false
  // "Share it if that helps" is no order.
  return order.search(BAN) === 0 || !hasNew(said, parsed, / if(?= )/g) && opensWith(contentOf(action), order)
}

/** Names what is surely wrong with how binding a sentence is, if anything is; less is sure than in English. */
export const forceFault = (compared: Compared, isEnglish: boolean): string | undefined => {
  const isOrder = isBinding(compared.rule.strength)
  const force = forceOf(compared.said)
  const isTurned = force === (isOrder ? 'advice' : 'order') && forceOf(compared.parsed) !== force
    || isEnglish && (isOrder ? isWeakened : isHardened)(compared)
  return isTurned ? (isOrder ? 'leaves a choice' : 'leaves no choice') : undefined
}
