import type { ParsedRule } from '../rule-schema.ts'

/** A rule's text as it is compared: in lower case, contractions as words, each word and sign with a space around it. */
export type Plain = string

/** A parsed rule, its action, its target and all of it in plain text, and what the formatted rule tells to do. */
export type Compared = { rule: ParsedRule; action: Plain; target: Plain; parsed: Plain; said: Plain }

/** What is compared of a text: what is longer would take too long. */
export const MAX_LENGTH = 4_000

// "Reason: …" begins a line of its own, or stands in a bullet behind the rule.
const REASON = /(?:^|\n)\W*(?:reason|why|rationale)\W*:|\breason:/i

// A bullet or a number, and "Rule:" with its emphasis.
const LABEL = /^[ \t]*(?:(?:[-*•+>]|\d+[.)])[ \t]+)?[*_]*(?:rule[*_]*:[*_]*)?/gim

/** What a formatted rule tells to do: without its bullet, its label and its reason. */
export const directiveOf = (formatted: string): string => {
  const text = formatted.slice(0, MAX_LENGTH)
  return text.slice(0, REASON.exec(text)?.index).replace(LABEL, '').trim()
}

// A name in backticks is one word, so that `--no-verify` denies nothing.
const WORD = /`[^`\n]+`|\.?[\p{L}\p{N}_]+(?:['.@-][\p{L}\p{N}_]+)*|[^\s\p{L}\p{N}]/gu

/** Puts a text into the form that phrases are looked for in. */
export const plainOf = (text: string): Plain => {
  const bare = text.slice(0, MAX_LENGTH).toLowerCase().replace(/[’‘]/g, "'").replace(/[*"“”]/g, '')
  const words = bare.replace(/\n+/g, ' . ').match(WORD) ?? []
  const spaced = words.map((word) => word.startsWith('`') ? `\`${word.replace(/[\s`]/g, '')}` : word)
  return ` ${spaced.join(' ')} `
    .replace(/ (?:can't|cannot)(?= )/g, ' can not')
    .replace(/(?<= \w+)n't(?= )/g, ' not')
}

/** The entries of a list in words, with commas between them. */
export const listOf = (entries: string): Array<string> => entries.trim().split(/,\s+/)

const escape = (phrase: string): string =>
  phrase.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^ ]*').replaceAll(' … ', ' (?:[^ ]+ ){1,6}?')

/**
 * Lists of phrases as one pattern for `match`, `search` and `replace` in a plain text. `*` stands for the rest of a
 * word, `…` for one to six words between two. What it finds begins with the space before it.
 */
export const phrases = (...lists: Array<string>): RegExp => {
  // By their first letter, so that not every phrase is tried at every word.
  const groups = new Map<string, Array<string>>()
  for (const phrase of lists.flatMap(listOf).sort((a, b) => b.length - a.length)) {
    const [first = ''] = /^\w/.exec(phrase) ?? []
    groups.set(first, [...(groups.get(first) ?? []), escape(phrase.slice(first.length))])
  }
  const patterns = [...groups].map(([first, rests]) => `${first}(?:${rests.join('|')})`)
  return new RegExp(` (?:${patterns.join('|')})(?= )`, 'g')
}

/** Whether a text has a phrase of a list more often than the parsed rule. */
export const hasNew = (plain: Plain, parsed: Plain, pattern: RegExp): boolean => {
  const left: Array<string> = parsed.match(pattern) ?? []
  return [...plain.matchAll(pattern)].some(([phrase]) => {
    const at = left.indexOf(phrase)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

// Words that tell nothing about what a rule speaks of.
const EMPTY = new Set(listOf(`
  a, an, the, of, to, in, on, at, for, with, by, from, and, or, as, is, are, be, been, being, it, its, this, that, these,
  those, any, all, every, each, your, you, we, our, us, me, my, i, their, they, them, should, shall, will, would, do, does,
  did, may, can, could, might, must, has, have, had, if, when, where, then, than, so, not, no, never, always, only, just,
  please, also, user, users, whether, there, here, about, how, what, which, who, whom, into, one, ones
`))

// Scripts without spaces between words: their pairs of characters are compared.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

// "ation", "ing" and the like; no "s" behind "s" or "u", as in "class" and "status".
const ENDING = /(?:(?<=at)ions?|ings?|ied|ies|ed|es|(?<![su])s|e|y)$/

const MAX_STEM = 6

// Rules are written with few words: each is cut once. The map is emptied where a text has more than a language.
const STEMS = new Map<string, string>()
const MAX_STEMS = 20_000

/** What a word has in common with its other forms: `using`, `used` and `use`; `validate` and `validation`. */
export const stemOf = (word: string): string => {
  const known = STEMS.get(word)
  if (known !== undefined || word.startsWith('`')) return known ?? word
  const bare = word.replace(/'s$|-/g, '')
  const end = bare.search(ENDING)
  const stem = (end >= 2 ? bare.slice(0, end) : bare).replace(/(.)\1$/, '$1').slice(0, MAX_STEM)
  if (STEMS.size >= MAX_STEMS) STEMS.clear()
  STEMS.set(word, stem)
  return stem
}

const pairsOf = (word: string): Array<string> =>
  word.length < 2 ? [word] : Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2))

/** The stems of the words that tell what a plain text speaks of. */
export const contentOf = (plain: Plain): Array<string> =>
  plain.trim().split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word) && !EMPTY.has(word.replace(/'s$/, '')))
    .flatMap((word) => word.startsWith('`') || !UNSPACED.test(word) ? [stemOf(word)] : pairsOf(word))

/** The share of words that are among others; all of none. */
export const shareOf = (words: Array<string>, others: ReadonlySet<string>): number =>
  words.length === 0 ? 1 : words.filter((word) => others.has(word)).length / words.length

/** The parts of a text between its commas, colons, dashes, brackets and full stops. */
export const clausesOf = (plain: Plain): Array<Plain> =>
  plain.split(/ [,;:.!?()—–] /).map((clause) => ` ${clause.trim()} `)

// A clause that begins so says when, where or for whom the order holds.
const LEAD_INS = new Set(listOf(`
  if, when, whenever, where, wherever, before, after, once, while, until, unless, as, with, without, in, on, at, for,
  from, by, under, during, within, outside, inside, given, since, because, to, via, per, upon, except, apart, besides
`))

/** A text from the clause on that holds the order: "in tests, never sleep" gives "never sleep". */
export const orderOf = (plain: Plain): Plain => {
  const end = plain.search(/ [,:?] /)
  const [first = ''] = plain.trim().split(' ', 1)
  return end !== -1 && LEAD_INS.has(first) ? orderOf(plain.slice(end + 2)) : plain
}
