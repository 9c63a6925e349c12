import { plainOf } from './words.ts'

/** How binding a text sounds: it orders or forbids, or it leaves a choice. */
export type Force = 'order' | 'advice'

// A word of a list may hold a pattern for its endings.
const patternOf = (list: string): RegExp =>
  new RegExp(` (?:${list.trim().split(/,\s+/).join('|')})(?= )`, 'g')

// Words that only orders have, in English, German, French, Spanish, Portuguese, Italian and Russian.
const ORDER = patternOf(`
  must, never, always, shall, do not, have to, has to, forbidden, prohibited, mandatory, muss, müssen, musst, nie,
  niemals, immer, darf nicht, dürfen nicht, darf kein\\S*, dürfen kein\\S*, darf nie\\S*, dürfen nie\\S*, verboten, zwingend, toujours,
  jamais, interdit\\S*, doit, doivent, devez, il faut, siempre, nunca, jamás, hay que, debe, deben, prohibid\\S*, sempre,
  deve, devem, devono, proibid\\S*, mai, vietat\\S*, всегда, никогда, нельзя, запрещ\\S*, обязательно, должн\\S*
`)
const ORDER_SIGNS =
  /必ず|絶対に|禁止|てはいけ|てはなら|しないで|必须|务必|绝不|不得|严禁|切勿|절대|반드시|금지/

// Words that leave a choice and are no order's.
const ADVICE = patternOf(`
  ideally, preferabl\\S*, optional\\S*, feel free, may, would be nice, if you like, if you want, idealerweise,
  vorzugsweise, nach möglichkeit, gerne?, darfst, dürfen, darf, am besten, idéalement, de préférence, vous pouvez,
  facultati\\S*, preferiblemente, preferibilmente, de preferencia, opcional\\S*, idealmente, puedes, желательно, по возможности, можно
`)
const ADVICE_SIGNS = /てもよい|てもいい|てもかま|望ましい|できれば|なるべく|任意|可以|最好|尽量|建议|좋습니다/

// Words that may take an order back, or speak of something else.
const OTHERWISE = patternOf(`
  may, can, could, might, would, should, prefer\\S*, perhaps, maybe, free, try, aim, strive, consider, possible, nice,
  welcome, fine, ok, okay, needed, necessary, required, allowed, permitted, recommend\\S*, encourag\\S*, suggest\\S*,
  whether, either, kann\\S*, könn\\S*, sollt\\S*, möglich\\S*, erlaubt, brauch\\S*, bevorzug\\S*, empf\\S*, besser, peu[tvx]\\S*,
  préf\\S*, permis\\S*, pued\\S*, pod\\S*, ideal\\S*, posible, permi\\S*, può, possono, мо[жг]\\S*, возможн\\S*, разреш\\S*,
  допусти\\S*, не нужно
`)

// "You do not have to", "das muss nicht" and the like hold an order's word.
const EXEMPTION =
  / (?:not|never) (?:have|need|necessarily|always)(?= )| (?:muss|müssen|musst)(?: [^ ]+)* nicht | no (?:hay|tien|hace)| не обязательно|必ずしも/

/** Tells how binding a text surely sounds; `undefined` where its words say neither, or both. */
export const forceOf = (text: string): Force | undefined => {
  const plain = plainOf(text)
  const isAdvice = (part: string) => part.search(ADVICE) !== -1 || ADVICE_SIGNS.test(part)
  const rest = plain.replace(ORDER, ' ')
  const isOrder = rest !== plain || ORDER_SIGNS.test(plain)
  if (EXEMPTION.test(plain)) return undefined
  if (isOrder) return isAdvice(rest) || rest.search(OTHERWISE) !== -1 ? undefined : 'order'
  // "Nothing else may …" and "only … may" leave no choice.
  if (/ (?:no|none|nothing|nobody|neither|only) /.test(plain)) return undefined
  const sentences = plain.split(/ [.!?] |[。！？]/).filter((sentence) => /\p{L}/u.test(sentence))
  return sentences.length > 0 && sentences.every(isAdvice) ? 'advice' : undefined
}
