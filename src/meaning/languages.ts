import { type Compared, contentOf, phrases, type Plain, shareOf } from './words.ts'

// Words of German, French and Spanish that English has not.
const KNOWN = phrases(`
  der, das, und, nicht, ist, sind, ein, eine, für, mit, auf, im, zu, zur, bei, oder, wird, immer, vor, den, dem, keine, kein,
  le, la, les, des, du, une, est, et, ne, pas, que, pour, dans, avec, sur, sans, aux, ou, toujours, jamais, aucun, vous,
  el, los, las, una, del, en, para, con, por, se, es, y, antes, cada, siempre, nunca, hay, está, son
`)
// Of Swedish, Dutch, Italian, Portuguese and Polish, which are not judged.
const UNKNOWN = phrases(
  'och, att, inte, je, het, een, niet, di, il, che, per, più, não, uma, nie, się, jest, met, van, mag',
)
const KNOWN_SCRIPTS = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\p{Script=Cyrillic}]/u

// What every way to forbid something has a part of: German, French, Spanish, Japanese, Chinese, Russian.
const DENIALS = [
  /nicht|kein|nie|ohne|verb|untersag|tabu|unzul|unterlass|meid|verzicht|statt|nur|erst|weg|weder|frei|raus|außer/,
  / ne |n'|pas|jamais|aucun|sans|interdi|évit|proscri|défen| ni |plutôt|lieu|seul| que |hors|exclu|bann|sauf|refus/,
  / no |nunca|jam|sin|prohib|evit|ning|nada|tampoco|s[oó]lo|únic|salvo|menos|lugar| vez |exclu|vetad|proib|viet|abst/,
  /な|ません|ず|禁|避|不|厳|だめ|ダメ|控|のみ|だけ|以外|無|非|やめ|前に|まで|後に|止/,
  /勿|别|別|莫|无|没|未|拒|只|仅|免|前|除|绝|严|停|戒/,
  /не|ни|без|нельзя|запре|избег|вместо|только|кроме|исключ|табу|откаж/,
]

// Words that rules in English have.
const ENGLISH = phrases(`
  the, a, an, to, of, and, in, on, for, with, use, not, do, is, are, be, it, your, you, when, if, never, always, no, at, by,
  from, that, or, as, before, after, unless, until, this, any, all, each, must, should, may, can, it's, make, only, avoid,
  prefer, write, add, run, keep, edit, change, create, delete, remove, skip, leave, check, commit, code, tests, files, errors
`)

const hits = (plain: Plain, pattern: RegExp): number => plain.match(pattern)?.length ?? 0

const proseOf = (plain: Plain): Plain => plain.replace(/`[^ ]*/g, '')

/** How many more words of English than of other languages a text has. */
export const englishScore = (plain: Plain): number => {
  const prose = proseOf(plain)
  return hits(prose, ENGLISH) - hits(prose, KNOWN) - hits(prose, UNKNOWN) - hits(prose, /[^\P{L}a-z]/gu)
}

/** Says so where a rule that is forbidden in one of the known languages has no denial at all. */
export const lostForeignDenial = ({ rule, action, target, parsed, said }: Compared): string | undefined => {
  const prose = proseOf(said)
  const isKnown = (hits(prose, KNOWN) > 0 || KNOWN_SCRIPTS.test(prose)) && hits(prose, UNKNOWN) === 0
  if (rule.strength !== 'forbidden' || !isKnown) return undefined
  const words = new Set(contentOf(said))
  const isSaid = contentOf(action).some((word) => words.has(word)) && shareOf(contentOf(target), words) === 1
  // "Not without asking" is said as "ask first": what holds a denial itself proves nothing.
  return isSaid && !DENIALS.some((denials) => denials.test(prose) || denials.test(parsed))
    ? 'does not forbid'
    : undefined
}
