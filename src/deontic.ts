import { directiveOf, isContent, plainOf, stemOf, type Token, tokensOf } from './directive.ts'
import {
  contentStems,
  countNegations,
  GENERIC_VERBS,
  isForeign,
  isNegator,
  isRedundantNegator,
  type Negated,
} from './negation.ts'
import type { ParsedRule } from './rule-schema.ts'

/** What a rule says that is allowed, recommended, or left to the reader: any of it fits any of the weak strengths. */
const WEAK =
  /\b(?:may|maybe|perhaps|might|can|could|optional(?:ly)?|needless|unnecessary|ideal(?:ly)?|prefer(?:s|red|abl[ey])?|allow(?:ed|s)?|permi(?:t|ts|tted|ssible)|acceptable|fine|ok|okay|welcome|encouraged?|recommend(?:ed|s)?|suggest(?:ed)?|advi[cs]able|appreciated|good (?:to|idea)|whichever|whatever|in any|no (?:required|particular|fixed|prescribed)|consider|free|either|whether|regardless|indifferent|irrelevant|discretion|up to|if (?:you|it|the|they|one|desired|wanted|preferred|helpful|useful|possible|needed|convenient)|(?:where|when|wherever|whenever|as far as) (?:possible|practical|practicable|feasible|convenient|useful|helpful|reasonable)|try|aim|strive|attempt|nice|bonus|good practice|best practice|better|best|best effort|choose|choice|choices|at will|or not|as you (?:like|wish|please)|should|would|worth|beneficial|commendable|praiseworthy|beyond|extra|skip|skipped|omit|omitted|leave out|left out|dispensable|forgo|waive[ds]?|both|equally|interchangeabl[ey]|legitimate|valid option)\b/

const WEAK_HEAD =
  /^(?:(?:you|we|one|developers|contributors|agents|it) )?(?:may|might|could|can|optionally|ideally|perhaps|maybe|feel free|it is (?:ok|okay|fine|optional|permitted|allowed|acceptable))\b(?! only\b)/

const WEAK_TAIL =
  /[,;( ] ?(?:optionally|optional|if you (?:like|want|wish|prefer)|if desired|if wanted)\)?[. ]*$/

const NEGATED_HEAD =
  /^(?:(?:you|we|one) )?(?:may|can|could|ideally|optionally|preferably)[, ]+(?:do not|never|avoid|not|refrain)\b/

/** The surface form of a rule, as `sat-spec.md` maps the strengths. */
export const surfaceForm = ({ strength, action, target, context }: ParsedRule): string => {
  const order = [action, target, context].filter((part) => part !== undefined && part !== '').join(' ')
  switch (strength) {
    case 'obligatory':
      return order
    case 'forbidden':
      return tokensOf(plainOf(action)).some(isRedundantNegator) ? order : `do not ${order}`
    case 'permissible':
      return `may ${order}`
    case 'optional':
      return `optionally ${order}`
    case 'supererogatory':
      return `ideally ${order}`
    case 'indifferent':
      return `either ${order} or not`
    case 'omissible':
      return `need not ${order}`
  }
}

type Reading = { plain: string; tokens: Negated }

const read = (text: string, action: Set<string>): Reading => {
  const plain = plainOf(text).replace(/[ \t]+/g, ' ').trim()
  return { plain, tokens: countNegations(tokensOf(plain), action) }
}

const isOdd = (amount: number): boolean => amount % 2 === 1

/** How often a stem is negated where a sentence first has it; `untested` is `tested`, negated once more. */
const negationsOf = (stem: string, sentence: Negated): number | undefined => {
  const exact = sentence.find((token) => token.stem === stem)
  if (exact) return exact.negations
  const opposite = sentence.find(({ word }) => word.startsWith('un') && stemOf(word.slice(2)) === stem)
  return opposite && opposite.negations + 1
}

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
      const expected = negationsOf(anchor, parsed)
      const got = negationsOf(anchor, sentence)
      if (expected === undefined || got === undefined) continue
      // The first word of a target is its head: it decides where the others are divided.
      votes += (isOdd(expected) === isOdd(got) ? 1 : -1) * (found === 0 ? 2 : 1)
      negated ||= got > 0
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
): { agrees: boolean; negated: boolean } => {
  const telling = action.filter((stem) => !GENERIC_VERBS.has(stem))
  const places = formatted.flatMap(({ stem, word, negations }) => {
    if (telling.includes(stem)) return [{ stem, negations }]
    const opposite = word.startsWith('un') ? stemOf(word.slice(2)) : ''
    return telling.includes(opposite) ? [{ stem: opposite, negations: negations + 1 }] : []
  })
  return {
    agrees: places.length > 0
      && places.every(({ stem, negations }) => isOdd(negations) === isOdd(negationsOf(stem, parsed) ?? 0)),
    negated: places.some(({ negations }) => negations > 0),
  }
}

const PRONOUNS = new Set(['it', 'them', 'these', 'those', 'this', 'that', 'so'])

/** Whether a ban speaks of its target by a pronoun: `treat x as given, never change it`. */
const bansByPronoun = (action: Array<string>, formatted: Negated): boolean =>
  formatted.some(({ word, negations }, index) => {
    const before = formatted[index - 1]
    return PRONOUNS.has(word) && isOdd(negations) && before !== undefined && isContent(before)
      && !isNegator(before)
  }) && !formatted.some(({ stem, negations }) => action.includes(stem) && !isOdd(negations))

const CONDITION = /\b(?:if|when|whenever|unless|until|except)\b/i

type Judgement = {
  votes: number
  negated: boolean
  action: { stems: Array<string>; agrees: boolean; negated: boolean }
}

const judge = (rule: ParsedRule, formatted: Negated): Judgement | undefined => {
  const action = contentStems(rule.action)
  const not = rule.strength === 'forbidden' ? 'do not ' : ''
  const parsed = read(`${not}${rule.action} ${rule.target}`, new Set(action)).tokens
  // What stands in a condition is not what the order is about.
  const [object = ''] = rule.target.split(CONDITION)
  const target = contentStems(object)
  const judged = agreement(target, parsed, formatted) ?? agreement(action, parsed, formatted)
  return judged && { ...judged, action: { stems: action, ...actionAgreement(action, parsed, formatted) } }
}

const negates = (tokens: Array<Token>): boolean => tokens.some(isNegator)

const isNegation = (rule: ParsedRule, { plain, tokens }: Reading): boolean => {
  if (isForeign(tokens)) return true
  const exceeds = /\d|\b(?:more|longer|larger|greater|deeper|higher|over|above|exceed\w*|than)\b/i.test(
    rule.target,
  )
  if (exceeds && /\batmost\b/.test(plain)) return true
  const isLimited = /\b(?:unless|except|other than|outside)\b/i.test(`${rule.target} ${rule.context}`)
  if (isLimited && /\bonly\b/.test(plain)) return true
  const judged = judge(rule, tokens)
  if (judged === undefined) return negates(tokens)
  // `forbidden, avoid, x` is a negation said twice by the parser, and meant once.
  const saidTwice = tokensOf(plainOf(rule.action)).some(isRedundantNegator)
  return (judged.negated && (saidTwice || judged.votes > 0))
    || (judged.action.agrees && judged.action.negated)
    || bansByPronoun(judged.action.stems, tokens)
}

const LIMIT =
  /\b(?:not|never) (?:be |have |contain |take )?(?:exceed|longer|larger|more|greater|deeper|over|above)\b/

const isReversed = (rule: ParsedRule, { plain, tokens }: Reading): boolean => {
  const parsed = plainOf(`${rule.action} ${rule.target}`)
  if (LIMIT.test(plain) && !LIMIT.test(`not ${parsed}`)) return false
  const judged = judge(rule, tokens)
  if (judged !== undefined) return judged.votes < 0 && !judged.action.agrees
  return !negates(tokensOf(parsed)) && /^(?:do not|never|avoid|must not|no|refrain|stop)\b/.test(plain)
}

const isWeakened = (rule: ParsedRule, { plain }: Reading): boolean => {
  const parsed = plainOf(`${rule.action} ${rule.target} ${rule.context ?? ''}`)
  const [main = ''] = plain.split(/\b(?:if|when|unless|where|because|since|that|which)\b/)
  return WEAK_HEAD.test(plain)
    || (WEAK_TAIL.test(plain) && !/optional|if /.test(parsed))
    || (/\b(?:needless|indifferent)\b/.test(main) && !/\b(?:needless|indifferent)\b/.test(parsed))
}

/**
 * How a formatted rule's strength differs from the parsed one's (spec.md, Meaning): what is expected of the strength,
 * or `undefined` where it reads as it should. Wording is free; a lost or added negation is not.
 */
export const strengthFault = (rule: ParsedRule, formatted: string): string | undefined => {
  const reading = read(directiveOf(formatted), new Set(contentStems(rule.action)))
  switch (rule.strength) {
    case 'forbidden':
      if (!isNegation(rule, reading)) return 'has to read as a negation'
      return WEAK_HEAD.test(reading.plain)
        ? 'has to read as a plain negation, without may, optionally or ideally'
        : undefined
    case 'obligatory':
      if (isForeign(reading.tokens)) return undefined
      if (isReversed(rule, reading)) return 'must not read as a negation'
      return isWeakened(rule, reading)
        ? 'has to read as a plain order, without may, optionally or ideally'
        : undefined
    default: {
      const negatedHead = rule.strength !== 'omissible' && rule.strength !== 'indifferent'
        && NEGATED_HEAD.test(reading.plain) && !negates(tokensOf(plainOf(`${rule.action} ${rule.target}`)))
      if (isForeign(reading.tokens) || (WEAK.test(reading.plain) && !negatedHead)) return undefined
      return `has to read as ${rule.strength}, neither as an order nor as a ban`
    }
  }
}
