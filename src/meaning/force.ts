/** The words that order, and those that leave a choice, in the languages that are compared. */
import type { ParsedRule } from '../rule-schema.ts'
import { phrases, plainOf } from './words.ts'

/** How binding a text sounds: it orders or forbids, or it leaves a choice. */
export type Force = 'order' | 'advice'

/** Words that only orders have. */
const ORDER = phrases(`
  must, never, always, do not, forbidden, muss, müssen, nie, niemals, immer, darf nicht, dürfen nicht, darf kein*,
  darf nie*, dürfen nie*, verboten, toujours, jamais, interdit*, doit, doivent, il faut, siempre, nunca, hay que, debe*,
  prohibid*, sempre, deve*, всегда, никогда, нельзя, обязательно
`)
const ORDER_SIGNS =
  /必ず|絶対に|禁止|てはいけ|てはなら|しないで|必须|务必|绝不|不得|严禁|切勿|절대|반드시|금지/

const ADVICE_WORDS = `
  try to, try not, optional*, ideally, preferably, perhaps, maybe, feel free, aim to, strive to, consider *ing, may,
  you may, you can, you could, you might, if you like, if you want, if convenient, where convenient, there is no need,
  it would be nice, idealerweise, am besten, darf, dürfen, vous pouvez, opcional*, ideal*ment*, idéalement, puedes, можно
`
/** Words that leave a choice, where they open a sentence. */
export const ADVICE = phrases(ADVICE_WORDS)
const ADVICE_SIGNS = /てもよい|てもいい|てもかま|望ましい|できれば|なるべく|任意|可以|最好|尽量|建议|좋습니다/

/** Words that may leave a choice, take an order back, or speak of something else. */
export const WEAK = phrases(
  ADVICE_WORDS,
  `can, could, might, should, would, prefer*, allow*, permi*, ok*, fine, accept*, free*, welcome, nice, recommend*, help*,
  possibl*, whether, whatever, choice, matter, care, bother, or do not, or not, or leave, need*, requir*, *necessary,
  not have, never have, kann*, könn*, sollt*, möglich*, erlaubt, brauch*, peut*, peuv*, pued*, мож*`,
)

// "You do not have to", "das muss nicht" and the like hold an order's word.
const EXEMPTION =
  / (?:not|never) (?:have|need|necessarily|always)(?= )| (?:muss|müssen|musst)(?: [^ ]+)* nicht | no (?:hay|tien|hace)| не обязательно|必ずしも/

/** "Nothing else may …", "only … may" and "may not" leave no choice. */
export const NO_CHOICE =
  / (?:(?:may|can|could|might) (?:not|never)|no(?! need)|none|nothing|nobody|neither|only|most|nur|höchstens|niemand|nichts|kein[^ ]*) /

/** Whether a rule of this strength orders or forbids. */
export const isBinding = (strength: ParsedRule['strength']): boolean =>
  strength === 'obligatory' || strength === 'forbidden'

/** Gives how binding a text surely sounds; `undefined` where its words say neither, or both. */
export const forceOf = (text: string): Force | undefined => {
  const plain = plainOf(text)
  if (EXEMPTION.test(plain)) return undefined
  const rest = plain.replace(ORDER, ' ')
  const isOrder = rest !== plain || ORDER_SIGNS.test(plain)
  if (isOrder) return rest.search(WEAK) !== -1 || ADVICE_SIGNS.test(rest) ? undefined : 'order'
  const sentences = plain.split(/ [.!?] |[。！？]/).filter((sentence) => /\p{L}/u.test(sentence))
  const isAdvice = (sentence: string) => `${sentence} `.search(ADVICE) !== -1 || ADVICE_SIGNS.test(sentence)
  return sentences.length > 0 && !NO_CHOICE.test(plain) && sentences.every(isAdvice) ? 'advice' : undefined
}
