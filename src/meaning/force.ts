/** How binding a text is: the words that order, and those that leave a choice, in the languages that are compared. */
import { BAN, opensWith } from './negation.ts'
import { type Compared, contentOf, mainClauseOf, orderOf, phrases, plainOf, stemOf } from './words.ts'

/** How binding a text sounds: it orders or forbids, or it leaves a choice. */
export type Force = 'order' | 'advice'

/** Words that only orders have. */
const ORDER = phrases(`
  must, never, always, do not, forbidden, muss, müssen, nie, niemals, immer, darf ni*, darf kein*, dürfen ni*, verboten,
  toujours, jamais, interdit*, doit, doivent, il faut, siempre, nunca, hay que, debe, debes, deben, prohibid*, sempre, deve, devi, devem, devono, всегда,
  никогда, нельзя, обязательно, 必ず, 絶対に, 禁止, てはいけ, てはなら, しないで, 必须, 务必, 绝不, 不得, 严禁, 절대, 반드시, 금지
`)

const ADVICE_WORDS = `
  try to, try not, optional*, ideally, preferably, perhaps, maybe, feel free, consider *ing, may, you may, you might,
  if you like, if you want, if convenient, where convenient, there is no need, it would be nice, idealerweise, am besten,
  darf, dürfen, vous pouvez, opcional*, ideal*ment*, puedes, можно, てもよい, てもいい, できれば, 任意, 可以, 最好, 尽量, 建议
`
/** Words that leave a choice, where they open a sentence. */
const ADVICE = phrases(ADVICE_WORDS)

/** Words that may leave a choice, take an order back, or speak of something else. */
const WEAK = phrases(
  ADVICE_WORDS,
  `can(?! not), could, might, should, would, prefer*, allow*, permi*, ok*, fine, accept*, free*, welcome, nice,
  recommend*, encourag*, help*, possibl*, whether, whatever, choice, matter, care, bother, if that *, if it *, or leave, as you *, need*, requir*,
  *necessary, kann*, könn*, sollt*, möglich*, erlaubt, brauch*, peut*, peuv*, pued*, мож*`,
)

// "You do not have to", "das muss nicht" and the like hold an order's word.
const EXEMPTION =
  / (?:not|never) (?:have|need|necessarily|always)(?= )| or (?:do )?not(?= )| (?:muss|müssen|musst)(?: [^ ]+)* nicht | no (?:hay|tien|hace)| не обязательно|必ずしも/

/** "Nothing else may …", "only … may" and "may not" leave no choice. */
const NO_CHOICE =
  / (?:(?:may|can|could|might) (?:not|never)|no(?! need)|none|nothing|nobody|neither|only|most|nur|höchstens|niemand|nichts|kein[^ ]*|d[aü]rf(?:en)?(?: [^ ]+)* (?:nicht|nie|niemals)) /

/** The strengths of rules that order or forbid. */
export const BINDING: ReadonlyArray<string> = ['obligatory', 'forbidden']

/** Whether a plain sentence leaves a choice: it opens so, or it is one clause and does so without an order. */
const isAdvice = (sentence: string): boolean => {
  const [order, clause] = [`${orderOf(sentence)} `, mainClauseOf(sentence)]
  const isHedged = [sentence, order].some((text) => text.search(ADVICE) === 0)
  const isSoft = clause.search(ORDER) === -1 && clause.search(ADVICE) !== -1 && !/ [,;:] /.test(order)
  return (isHedged || isSoft) && !NO_CHOICE.test(order)
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

/** Words of orders that also tell how something is: they order where they open a sentence. */
const HABIT = phrases(
  'never, always, nie, niemals, immer, toujours, jamais, siempre, nunca, sempre, всегда, никогда',
)

/** Whether a sentence surely orders something itself: no fact ("it never fails"), no title of what follows. */
export const isOrder = (sentence: string): boolean => {
  const plain = plainOf(sentence)
  const clause = mainClauseOf(plain).split(/ (?:what|how|[:,])(?= )/, 1)[0]!
  const isTitle = /[:：]\W*$/.test(sentence)
  return !isTitle && forceOf(sentence) === 'order'
    && (orderOf(plain).search(HABIT) === 0 || `${clause} `.replace(HABIT, ' ').search(ORDER) !== -1)
}

const MODAL = /^(?: [^ ]+){1,4} (?:might|could|can|need not|not need to|not have to) (?:be )?([^ ]+)/

/** Whether doing what a rule orders is only said to be possible. */
const isWeakened = ({ action, said }: Compared): boolean => {
  const [modal = '', verb = ''] = MODAL.exec(orderOf(said)) ?? []
  return contentOf(action).includes(stemOf(verb)) && !NO_CHOICE.test(modal)
}

/** Whether advice became an order or a ban: no word in it leaves a choice. */
const isHardened = ({ action, said }: Compared): boolean => {
  const isOpen = EXEMPTION.test(said) || said.search(WEAK) !== -1 || action === ' avoid '
  return !isOpen && (orderOf(said).search(BAN) === 0 || opensWith(contentOf(action), said))
}

/**
 * Names what is surely wrong with how binding a sentence is, if anything is; less is sure than in English. Below words
 * that leave a choice a sentence may order.
 */
export const forceFault = (compared: Compared, isEnglish: boolean, under: string): string | undefined => {
  const isOrder = BINDING.includes(compared.rule.strength)
  const force = forceOf(compared.said)
  const isTurned = force === (isOrder ? 'advice' : 'order') && forceOf(compared.parsed) !== force
    || isEnglish && (isOrder ? isWeakened : isHardened)(compared)
  const isSoft = !isOrder && plainOf(under).search(WEAK) !== -1
  return isTurned && !isSoft ? (isOrder ? 'leaves a choice' : 'leaves no choice') : undefined
}
