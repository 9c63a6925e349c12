import type { ParsedRule } from '../rule-schema.ts'

/** A rule's text as it is compared: in lower case, "n't" as "not", a space around each word and sign. */
export type Plain = string

/** A parsed rule and a formatted one; plain: the action, the target, all that was parsed, what the formatted one orders. */
export type Compared = Record<'action' | 'target' | 'parsed' | 'said', Plain> & {
  rule: ParsedRule
  text: string
}

/** How many UTF-16 units of a text are compared: more would take too long. */
export const MAX_LENGTH = 4_000

/** Joins what was parsed of a rule into one text: all but its strength and its reason. */
export const parsedTextOf = ({ action, target, context = '' }: ParsedRule): string =>
  `${action} ${target} ${context}`.slice(0, MAX_LENGTH).trim()

// "Reason: …" begins a line of its own, or stands in a bullet behind the rule.
const REASON = /(?:^|\n)\W*(?:reason|why|rationale)\W*:|\breason:/i

// A bullet or a number, and "Rule:" with its emphasis.
const LABEL = /^[ \t]*(?:(?:[-*•+>]|\d+[.)])[ \t]+)?[*_]*(?:rule[*_]*:[*_]*)?/gim

/** Cuts a formatted rule down to what it orders: without its bullet, its label and its reason. */
export const directiveOf = (formatted: string): string => {
  const text = formatted.slice(0, MAX_LENGTH)
  return text.slice(0, REASON.exec(text)?.index).replace(LABEL, '').trim()
}

// A name in backticks is one word, so that `--no-verify` denies nothing.
const WORD = /`[^`\n]+`|\.?[\p{L}\p{N}_]+(?:['.@-][\p{L}\p{N}_]+)*|[^\s\p{L}\p{N}]/gu

/** Turns a text into the form that phrases are looked for in: "Don't use it." gives " do not use it . ". */
export const plainOf = (text: string): Plain => {
  const bare = text.slice(0, MAX_LENGTH).toLowerCase().replace(/[’‘]/g, "'").replace(/[*"“”]/g, '')
  const words = bare.replace(/\n+/g, ' . ').match(WORD) ?? []
  const spaced = words.map((word) => word.startsWith('`') ? `\`${word.replace(/[\s`]/g, '')}` : word)
  return ` ${spaced.join(' ')} `
    .replace(/ (?:can't|cannot)(?= )/g, ' can not')
    .replace(/(?<= \w+)n't(?= )/g, ' not')
}

/** Splits a list at its commas. */
export const listOf = (entries: string): Array<string> => entries.trim().split(/,\s+/)

/**
 * Turns lists of phrases into one pattern for `match`, `search` and `replace` in a plain text. `*` stands for any part of
 * a word; what is found begins with the space before it.
 */
export const phrases = (...lists: Array<string>): RegExp => {
  const patterns = lists.flatMap(listOf).sort((a, b) => b.length - a.length)
    .map((phrase) => phrase.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^ ]*'))
  return new RegExp(` (?:${patterns.join('|')})(?= )`, 'g')
}

/** Tells whether a text has a phrase of a pattern more often than the parsed rule. */
export const hasNew = (plain: Plain, parsed: Plain, pattern: RegExp): boolean => {
  const [found, known] = [[...plain.match(pattern) ?? []], [...parsed.match(pattern) ?? []]]
  const countIn = (all: Array<string>, phrase: string) => all.filter((one) => one === phrase).length
  return found.some((phrase) => countIn(found, phrase) > countIn(known, phrase))
}

/** Words that tell nothing about what a rule speaks of. */
export const EMPTY = new Set(listOf(`
  a, an, the, of, to, in, on, at, for, with, by, from, and, or, as, is, are, be, been, being, it, its, this, that, these,
  those, any, all, every, each, your, you, we, our, us, me, my, i, their, they, them, should, shall, will, would, do, does,
  did, may, can, could, might, must, has, have, had, if, when, where, then, than, so, not, no, never, always, only, just,
  please, also, user, users, whether, there, here, about, how, what, which, who, whom, into, one, ones
`))

// Scripts without spaces between words: their pairs of characters are compared.
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

// "ion" behind "at", "ing" and the like; no "s" behind "s" or "u", as in "class" and "status".
const ENDING = /(?:(?<=at)ions?|ings?|ied|ies|ed|es|(?<![su])s|e|y)$/

const MAX_STEM = 6

/** Cuts a word to what its forms have in common: "using", "used" and "use" give "us". */
export const stemOf = (word: string): string => {
  if (word.startsWith('`')) return word
  const bare = word.replace(/'s$|-/g, '')
  const end = bare.search(ENDING)
  return (end >= 2 ? bare.slice(0, end) : bare).replace(/(.)\1$/, '$1').slice(0, MAX_STEM)
}

const pairsOf = ([...letters]: string): Array<string> =>
  letters.length === 1 ? letters : letters.slice(1).map((letter, at) => letters[at] + letter)

/** Lists the stems of the words that tell what a plain text speaks of. */
export const contentOf = (plain: Plain): Array<string> =>
  plain.trim().split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word) && !EMPTY.has(word.replace(/'s$/, '')))
    .flatMap((word) => word.startsWith('`') || !UNSPACED.test(word) ? stemOf(word) : pairsOf(word))

/** Gives the share of words that are among others, from 0 to 1; 1 where there is no word. */
export const shareOf = (words: Array<string>, others: ReadonlySet<string>): number =>
  words.length === 0 ? 1 : words.filter((word) => others.has(word)).length / words.length

/** A clause that begins so says when, where or for whom the order holds. */
export const LEAD_INS = new Set(listOf(`
  if, when, whenever, where, wherever, before, after, once, while, until, unless, as, with, without, in, on, at, for,
  from, by, under, during, within, outside, inside, given, since, because, to, via, per, upon, except, apart, besides
`))

/** Cuts off what stands before the order: "in tests, never sleep" gives "never sleep". */
export const orderOf = (plain: Plain): Plain => {
  const end = plain.search(/ [,:?] /)
  const [first = ''] = plain.trim().split(' ', 1)
  return end !== -1 && LEAD_INS.has(first) ? plain.slice(end + 2) : plain
}
