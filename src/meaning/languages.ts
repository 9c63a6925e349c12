import { DENIAL_OR_LIMIT } from './strength.ts'
import { type Compared, contentOf, EMPTY, LEAD_INS, listOf, phrases, type Plain, shareOf } from './words.ts'

// Small words, and verbs that rules begin with.
const ENGLISH = new Set([
  ...EMPTY,
  ...LEAD_INS,
  ...listOf('use, add, run, write, keep, prefer, edit, change, avoid'),
])

// Words that only German, French or Spanish has; the scripts of Japanese, Chinese and Russian.
const KNOWN = phrases(`
  und, oder, wenn, ist, sind, eine, für, auf, im, zu, zur, wird, werden, immer, les, une, pour, dans, avec, aux, toujours,
  vous, el, los, las, y, siempre, hay, debe
`)
const KNOWN_SCRIPTS = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\p{Script=Cyrillic}]/u

// What every way to forbid something in one of these languages has a part of.
const DENIALS = [
  /nicht|kein|nie|ohne|verb|untersag|tabu|unzul|unterlass|meid|verzicht|statt|nur|erst|weg|weder|frei|raus|außer/,
  / ne |n'|pas|jamais|aucun|sans|interdi|évit|proscri|défen| ni |plutôt|lieu|seul|hors|exclu|bann|sauf|refus/,
  / no |nunca|jam|sin|prohib|evit|ning|nada|tampoco|s[oó]lo|únic|salvo|menos|lugar| vez |exclu|vetad|abst/,
  /な|ません|(?<!必)ず|禁|避|不|厳|だめ|ダメ|控|のみ|だけ|以外|無|非|やめ|前に|まで|後に|止/,
  /勿|别|別|莫|无|没|未|拒|只|仅|免|前|除|绝|严|停|戒/,
  /не|ни|без|нельзя|запре|избег|вместо|только|кроме|исключ|табу|откаж/,
]

const proseOf = (plain: Plain): Plain => plain.replace(/`[^ ]*/g, '')

const isKnown = (prose: Plain): boolean => prose.search(KNOWN) !== -1 || KNOWN_SCRIPTS.test(prose)

/** Tells whether a text is in English: a third or so of its words are small ones, in other languages next to none. */
export const isEnglish = (plain: Plain): boolean => {
  const words = proseOf(plain).match(/\p{L}+/gu) ?? []
  return words.length > 0 && shareOf(words, ENGLISH) > 0.2
}

/** Tells whether a text has a letter or a word that English has not. */
export const isForeign = (plain: Plain): boolean => {
  const prose = proseOf(plain)
  return /[^\P{L}a-z]/u.test(prose) || isKnown(prose)
}

/** Tells where a forbidden rule in one of the known languages has no denial at all. */
export const lostForeignDenial = ({ rule, action, target, parsed, said }: Compared): string | undefined => {
  const prose = proseOf(said)
  if (rule.strength !== 'forbidden' || !isKnown(prose)) return undefined
  const words = new Set(contentOf(said))
  const isSaid = contentOf(action).some((word) => words.has(word)) && shareOf(contentOf(target), words) === 1
  // A ban "without asking" may be worded as "ask first": a parsed rule that has a denial proves nothing.
  const isDenied = DENIALS.some((denials) => denials.test(prose) || denials.test(parsed))
  return isSaid && !isDenied ? 'does not forbid' : undefined
}

const AVOID = phrases('avoid, refrain from, never, do not, must not')

/** Tells whether a ban has no word but those of what it bans, and none of these could deny it, in any language. */
export const isBareBan = ({ rule, action, target, parsed, said }: Compared): boolean => {
  const verb = action.replace(AVOID, '')
  const isBan = (rule.strength === 'forbidden') !== (verb !== action)
  const banned = parsed.replace(AVOID, '')
  const known = new Set(`${banned} use . , ; : !`.split(' '))
  if (!isBan || !said.split(' ').every((word) => known.has(word))) return false
  // "Non usare", an action of two words, may hold its denial.
  const mayDeny = verb.trim().includes(' ') || banned.search(DENIAL_OR_LIMIT) !== -1
    || DENIALS.some((denials) => denials.test(banned))
  return !mayDeny && shareOf(contentOf(target), new Set(contentOf(said))) === 1
}
