/** Parsed rules that cannot both hold, and rules that are there twice, seen without a model. */
import type { ParsedRule } from '../rule-schema.ts'

/** Two rules by their numbers, from 1: one is obligatory and the other forbidden, or both say the same. */
export type RulePair = { kind: 'contradiction' | 'repetition'; first: number; second: number }

// "tabs over spaces" and "spaces over tabs" have the same words: on which side of one of these a word stands tells.
const RELATIONS = new Set(
  `over instead rather than before after from to into onto by with without within inside outside for of in on above below
  under between against through via as then when while until unless if per since like
  statt anstatt vor nach von zu aus mit ohne für über unter als wenn gegen
  avant après sans avec sur sous pour par dans en de que quand contre comme
  antes después sin con sobre bajo para por como si cuando contra`.split(/\s+/),
)
const ARTICLES = new Set(['a', 'an', 'the'])

/** An English noun in the singular, or what both numbers begin with: `queries`, `classes`; `cach` of `cache`. */
const singularOf = (word: string): string =>
  word.length < 3
    ? word
    : word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : word.replace(/(?<=[sxzh])es?$|(?<![siu])s$/, '')

// "string" is no form of "str": what is left has a vowel. The letter that "committing" doubles is there once.
const withoutEnding = (word: string, ending: RegExp): string => {
  const stem = word.replace(ending, '')
  return (/[aeiouy]/.test(stem) ? stem : word).replace(/([^aeiou])\1$/, '$1')
}

const isEnglish = (word: string): boolean => /^[a-z]+$/.test(word)

/** What the forms of a verb have in common: `us` of `uses`, `using` and `use`. Other words and names stay as they are. */
const verbStemOf = (word: string): string =>
  isEnglish(word)
    ? withoutEnding(withoutEnding(singularOf(word), /ing$|ed$/), /e$/).replace(/(?<=..)i$/, 'y')
    : word

/** What the forms of a noun have in common; no `e` is cut, for a `state` is none of the `stats`. */
const nounStemOf = (word: string): string => isEnglish(word) ? withoutEnding(singularOf(word), /ing$/) : word

const MARKS = ",;:.!?()'‘’"

// By no pattern: one that looks for the end of a run of marks tries each of them as its beginning.
const withoutMarks = (word: string): string => {
  let [start, end] = [0, word.length]
  while (end > 0 && MARKS.includes(word[end - 1]!)) end--
  while (start < end && /['‘(]/.test(word[start]!)) start++
  return word.slice(start, end)
}

// The plural of `API` or `CPU`: in small letters it would end like `redis` or `status`.
const ACRONYM_PLURAL = /(?<=\p{Lu}{2})s(?![\p{L}\p{N}])/gu

/** A text's words by their stems, in any order between two relations. */
const keyOf = (text: string, stemOf: (word: string) => string): string => {
  const words = text.normalize('NFC').replace(ACRONYM_PLURAL, '').toLowerCase().replace(/[`"“”„«»]/g, '')
    .split(/\s+/)
    .map(withoutMarks)
    .filter((word) => word !== '' && !ARTICLES.has(word))
  const sides: Array<Array<string>> = [[]]
  for (const word of words) {
    if (RELATIONS.has(word) || !/[\p{L}\p{N}]/u.test(word)) sides.push([word], [])
    else sides.at(-1)?.push(stemOf(word))
  }
  return sides.map((side) => side.toSorted().join(' ')).join('|')
}

const namesOf = ({ action, target, context }: ParsedRule): Set<string> =>
  new Set([action, target, context ?? ''].flatMap((text) => text.match(/`[^`]+`/g) ?? []))

/** Whether two rules have names in backticks that differ in their case alone: `string` and `String` are two types. */
const haveOtherNames = (one: ParsedRule, other: ParsedRule): boolean => {
  const [names, others] = [namesOf(one), namesOf(other)]
  const lower = new Set([...others].map((name) => name.toLowerCase()))
  return [...names].some((name) => !others.has(name) && lower.has(name.toLowerCase()))
}

const kindOf = (one: ParsedRule, other: ParsedRule): RulePair['kind'] | undefined => {
  if (haveOtherNames(one, other)) return undefined
  if (one.strength === other.strength) return 'repetition'
  const strengths = [one.strength, other.strength]
  return strengths.includes('obligatory') && strengths.includes('forbidden') ? 'contradiction' : undefined
}

/**
 * Finds the rules of the same action, target and context, whatever the case, the endings and the order of their
 * words, that contradict or repeat one before them; each is paired with the first such (spec.md, What is lost, stale,
 * contradictory). Takes time linear in the rules.
 */
export const pairsOf = (rules: Array<ParsedRule>): Array<RulePair> => {
  const firsts = new Map<string, Map<ParsedRule['strength'], number>>()
  return rules.flatMap((rule, index): Array<RulePair> => {
    const key = [
      keyOf(rule.action, verbStemOf),
      keyOf(rule.target, nounStemOf),
      keyOf(rule.context ?? '', nounStemOf),
    ].join('\n')
    const known = firsts.get(key) ?? new Map<ParsedRule['strength'], number>()
    firsts.set(key, known)
    const pairs = [...known.values()].flatMap((first): Array<RulePair> => {
      const kind = kindOf(rules[first]!, rule)
      return kind === undefined ? [] : [{ kind, first: first + 1, second: index + 1 }]
    })
    if (!known.has(rule.strength)) known.set(rule.strength, index)
    return pairs
  })
}
