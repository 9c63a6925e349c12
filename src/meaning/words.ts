import type { ParsedRule } from '../rule-schema.ts'

/** A parsed rule and its sentence; plain: the action, the target, all that was parsed, what the sentence orders. */
export type Compared = Record<'action' | 'target' | 'parsed' | 'said' | 'text', string> & { rule: ParsedRule }

/** How many UTF-16 units of a text are compared: more would take too long. */
export const MAX_LENGTH = 4_000

/** Joins what was parsed of a rule into one text: all but its strength and its reason. */
export const parsedTextOf = ({ action, target, context = '' }: ParsedRule): string =>
  `${action} ${target} ${context}`.slice(0, MAX_LENGTH).trim()

// "Reason: …" begins a line of its own, or stands in a bullet after the rule.
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

// Scripts without spaces between words: their pairs of characters are compared.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** Gives the plain form of a text, in which phrases are looked for: "Don't use it." gives " do not use it . "; that of a plain form is the same. */
export const plainOf = (text: string): string => {
  const bare = text.slice(0, MAX_LENGTH).toLowerCase().replace(/[’‘]/g, "'").replace(/[*"“”]/g, '')
  const words = bare.replace(/\n+/g, ' . ').match(WORD) ?? []
  const spaced = words.map((word) => word.startsWith('`') ? `\`${word.replace(/[\s`]/g, '')}\`` : word)
  return ` ${spaced.join(' ')} `.replace(/(?<= \w+)n't(?= )/g, ' not').replaceAll(' cannot ', ' can not ')
}

/**
 * Makes one pattern of lists of phrases with commas between, for `match`, `search` and `replace` in a plain text. `*`
 * is any part of a word; what is found begins with the space before it, or anywhere in a script without spaces.
 */
export const phrases = (...lists: Array<string>): RegExp => {
  const all = lists.flatMap((list) => list.trim().split(/,\s+/))
  const signs = all.filter((phrase) => UNSPACED.test(phrase))
  const words = all.filter((phrase) => !signs.includes(phrase)).map((one) => one.replaceAll('*', '[^ ]*'))
  return new RegExp([` (?:${words.join('|')})(?= )`, ...signs].join('|'), 'g')
}

/** Whether a text has a phrase of a pattern that the parsed rule does not have. */
export const hasNew = (plain: string, parsed: string, pattern: RegExp): boolean => {
  const known: Array<string> = parsed.match(pattern) ?? []
  return plain.match(pattern)?.some((phrase) => !known.includes(phrase)) ?? false
}

// Words that do not show what a rule is about.
const EMPTY = new Set(`
  a an the of to in on at for with by from and or as is are be it its this that any all every each your you my me their
  do may can must should have if when not no never always only whether there about how user user's
`.split(/\s+/))

/** Cuts a word to what its forms have in common: "using", "used" and "use" give "us". */
export const stemOf = (word: string): string =>
  word.startsWith('`') ? word : word.replace(/(?<=..)(?:ings?|ed|es|y?s|e|y)$/, '').slice(0, 6)

/** Lists the stems of the words that show what a plain text is about. */
export const contentOf = (plain: string): Array<string> =>
  plain.split(' ').flatMap((word) => word.startsWith('`') ? word : word.split('-'))
    .filter((word) => /[\p{L}\p{N}]/u.test(word) && !EMPTY.has(word))
    .flatMap((word) => word.startsWith('`') || !UNSPACED.test(word) ? stemOf(word) : [...word])

/** Gives the share of words that are among others, from 0 to 1; 1 where there is no word. */
export const shareOf = (words: Array<string>, others: Iterable<string>): number => {
  const known = new Set(others)
  return words.length === 0 ? 1 : words.filter((word) => known.has(word)).length / words.length
}

const LEAD_IN = /^ (?:if|when|where|before|after|until|unless|as|with|in|on|at|for|to) .*?(?= [,:?] )/

/** Cuts off what stands before the order: "in tests, never sleep" gives "never sleep". */
export const orderOf = (plain: string): string => plain.replace(LEAD_IN, '').replace(/^ [,:?](?= )/, '')

const SUBORDINATE = / (?:that|which|who|because|if|when|where|unless|что)(?= )/

/** Cuts an order off where a clause about something else begins. */
export const mainClauseOf = (plain: string): string => `${orderOf(plain).split(SUBORDINATE, 1)[0]} `

const ENGLISH =
  `the of for with by and are it that not never only if is before unless about always use add run avoid to be
  should can must each every write keep make prefer follow read`.split(/\s+/)

/** Whether a text is in English: a quarter of its words are small English ones, in other languages next to none. */
export const isEnglish = (plain: string): boolean => {
  const words = plain.replace(/`[^ ]*/g, '').match(/\p{L}+/gu) ?? []
  return words.length > 0 && shareOf(words, ENGLISH) > 0.12
}
