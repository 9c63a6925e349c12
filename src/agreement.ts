import { isContent, plainOf, stemOf, type Token, tokensOf } from './directive.ts'
import { contentStems, countNegations, GENERIC_VERBS, isNegator, type Negated } from './negation.ts'
import type { ParsedRule } from './rule-schema.ts'
import { ANTONYMS, SYNONYMS } from './synonyms.ts'

/** A text in plain words, and its tokens with the negations that govern each. */
export type Reading = { plain: string; tokens: Negated }

/** Reads a directive; `action` are the stems of the parsed action. */
export const read = (text: string, action: Set<string>): Reading => {
  const plain = plainOf(text).replace(/[ \t]+/g, ' ').trim()
  return { plain, tokens: countNegations(tokensOf(plain), action) }
}

const isOdd = (amount: number): boolean => amount % 2 === 1

/** How often a stem is negated, wherever a sentence has it; `untested` is `tested`, negated once more. */
const negationsOf = (stem: string, sentence: Negated): Array<number> =>
  sentence.flatMap((token) => {
    if (token.stem === stem) return [token.negations]
    const isOpposite = token.word.startsWith('un') && stemOf(token.word.slice(2)) === stem
    return isOpposite ? [token.negations + 1] : []
  })

/**
 * Whether a directive affirms and negates what the parsed rule does, judged by the words that both have: above 0 it
 * does, below it does the opposite, `undefined` where they share no word. `negated` tells whether a negation is there.
 */
const agreement = (
  anchors: Array<string>,
  parsed: Negated,
  formatted: Negated,
): { votes: number; negated: boolean } | undefined => {
  const sentences: Array<Negated> = []
  for (const token of formatted) (sentences[token.sentence] ??= []).push(token)
  let best: { votes: number; negated: boolean; found: number } | undefined
  for (const sentence of sentences) {
    let votes = 0
    let found = 0
    let negated = false
    for (const anchor of anchors) {
      const [expected] = negationsOf(anchor, parsed)
      const got = negationsOf(anchor, sentence)
      if (expected === undefined || got.length === 0) continue
      // An adverb, a word turned round, or else the first word of a target decides where the others are divided.
      const isDecisive = anchor.endsWith('li') || !sentence.some(({ stem }) => stem === anchor)
      const weight = isDecisive ? 3 : found === 0 ? 2 : 1
      votes += got.some((negations) => isOdd(negations) === isOdd(expected)) ? weight : -weight
      negated ||= got.some((negations) => negations > 0)
      found++
    }
    if (found > (best?.found ?? 0)) best = { votes, negated, found }
  }
  return best
}

/** Whether a telling verb of the parsed action stands in the directive and is each time negated as it should be. */
const actionAgreement = (
  action: Array<string>,
  parsed: Negated,
  formatted: Negated,
): Pick<Judgement['action'], 'agrees' | 'negated' | 'ordered'> => {
  const telling = action.filter((stem) => !GENERIC_VERBS.has(stem))
  const places = formatted.flatMap((token) => {
    const { stem, word, negations } = token
    const same = telling.find((one) => one === stem || SYNONYMS.get(one)?.has(stem))
    if (same !== undefined) return [{ stem: same, negations, negates: isNegator(token) }]
    const opposite = word.startsWith('un') ? stemOf(word.slice(2)) : ''
    return telling.includes(opposite) ? [{ stem: opposite, negations: negations + 1, negates: false }] : []
  })
  return {
    agrees: places.length > 0
      && places.every(({ stem, negations }) => isOdd(negations) === isOdd(negationsOf(stem, parsed)[0] ?? 0)),
    negated: places.some(({ negations }) => negations > 0),
    ordered: places.some(({ negates, negations }) => negates && negations === 0),
  }
}

const PRONOUNS = new Set(['it', 'them', 'these', 'those', 'this', 'that', 'so'])

/** The verbs that are banned on what a pronoun stands for: `treat x as given, never change it`. */
export const bannedByPronoun = (formatted: Negated): Array<Token> =>
  formatted.filter((token, index) => {
    const next = formatted[index + 1]
    return next !== undefined && PRONOUNS.has(next.word) && isOdd(next.negations)
      && isContent(token) && !isNegator(token)
  })

/** Whether a directive bans the parsed action, or all that it does, on what a pronoun stands for. */
export const bansByPronoun = (action: Array<string>, formatted: Negated): boolean => {
  const banned = bannedByPronoun(formatted)
  return banned.some(({ stem }) => action.includes(stem))
    || (banned.length > 0
      && !formatted.some(({ stem, negations }) => action.includes(stem) && !isOdd(negations)))
}

const CONDITION = /\b(?:if|when|whenever|unless|until|before|except)\b/i

type Judgement = {
  votes: number
  negated: boolean
  /** `ordered` tells whether its verb, one that negates such as `ignore`, is said as an order. */
  action: { stems: Array<string>; agrees: boolean; negated: boolean; ordered: boolean }
}

/** How a directive agrees with what a parsed rule says to do; `undefined` where they share no word. */
export const judge = (rule: ParsedRule, formatted: Negated): Judgement | undefined => {
  const action = contentStems(rule.action)
  const not = rule.strength === 'forbidden' ? 'do not ' : ''
  const parsed = read(`${not}${rule.action} ${rule.target}`, new Set(action)).tokens
  // What stands in a condition is not what the order is about.
  const [object = ''] = rule.target.split(CONDITION)
  const target = contentStems(object).filter((stem) => !GENERIC_VERBS.has(stem))
  const judged = agreement(target, parsed, formatted) ?? agreement(action, parsed, formatted)
  return judged && { ...judged, action: { stems: action, ...actionAgreement(action, parsed, formatted) } }
}

/** Whether an order is said by a ban on its opposite, and not itself denied. */
export const bansOpposite = (order: Array<string>, formatted: Negated): boolean => {
  const opposites = new Set(order.flatMap((stem) => ANTONYMS.get(stem) ?? []))
  return formatted.some(({ stem, negations }) => opposites.has(stem) && isOdd(negations))
    && !formatted.some(({ stem, negations }) =>
      ANTONYMS.has(stem) && order.includes(stem) && isOdd(negations)
    )
}

/** Whether a rule's own action is what may be done: `tests may be written first`. */
export const isPermitted = (action: Array<string>, tokens: Negated): boolean =>
  tokens.some(({ word, negations, sentence }, index) => {
    if (!/^(?:may|might)$/.test(word) || isOdd(negations)) return false
    const before = tokens.slice(0, index).filter((token) => token.sentence === sentence)
    const verb = tokens.slice(index + 1, index + 4).find(isContent)
    return verb !== undefined && action.includes(verb.stem)
      && !before.some((token) =>
        CONDITION.test(token.word) || /^(?:only|that|which|who|because|since)$/.test(token.word)
      )
  })
