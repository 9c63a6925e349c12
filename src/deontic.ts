import {
  bannedByPronoun,
  bansByPronoun,
  bansOpposite,
  isPermitted,
  judge,
  read,
  type Reading,
} from './agreement.ts'
import { directiveOf, isContent, plainOf, stemOf, type Token, tokensOf } from './directive.ts'
import { contentStems, isForeign, isNegator, isRedundantNegator } from './negation.ts'
import type { ParsedRule } from './rule-schema.ts'
import { SYNONYMS } from './synonyms.ts'

/** What a rule says that is allowed, recommended, or left to the reader: any of it fits any of the weak strengths. */
const WEAK =
  /\b(?:may|maybe|perhaps|might|can|could|optional(?:ly)?|needless|unnecessary|ideal(?:ly)?|prefer(?:s|red|abl[ey])?|allow(?:ed|s)?|permi(?:t|ts|tted|ssible)|acceptable|tolerated|fine|ok|okay|welcome|encouraged?|recommend(?:ed|s)?|suggest(?:ed)?|advi[cs]able|appreciated|good (?:to|idea)|whichever|whatever|in any|no (?:required|particular|fixed|prescribed)|consider|free|either|whether|regardless|indifferent|irrelevant|discretion|up to|if (?:you|it|the|they|one|desired|wanted|preferred|helpful|useful|possible|needed|convenient)|(?:where|when|wherever|whenever|as far as) (?:possible|practical|practicable|feasible|convenient|useful|helpful|reasonable)|try|aim|strive|attempt|nice|bonus|a plus|good practice|best practice|better|best|best effort|choose|choice|choices|at will|or not|as you (?:like|wish|please)|should|would|worth|beneficial|commendable|praiseworthy|beyond|extra|skip|skipped|omit|omitted|leave out|left out|dispensable|forgo|waive[ds]?|both|equally|interchangeabl[ey]|legitimate|valid option|love|not require|no [^.;,]{0,120} required|(?:wherever|however) you (?:like|want|wish|prefer|please))\b/

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

const negates = (tokens: Array<Token>): boolean => tokens.some(isNegator)

/** How a ban on editing is said without a negation. */
const INTACT =
  /\bread-?only\b|\bhands off\b|\bleave\b[^.;,]{0,120}\b(?:alone|intact|as (?:is|are|they are|it is))\b/

const EDITS = SYNONYMS.get(stemOf('edit')) ?? new Set()

const isNegation = (rule: ParsedRule, { plain, tokens }: Reading): boolean => {
  if (isForeign(tokens)) return true
  const exceeds = /\d|\b(?:more|longer|larger|greater|deeper|higher|over|above|exceed\w*|than)\b/i.test(
    rule.target,
  )
  if (exceeds && /\batmost\b/.test(plain)) return true
  const limits = `${rule.target} ${rule.context}`
  if (
    /\b(?:unless|until|before|except|other than|outside|without)\b/i.test(limits) && /\bonly\b/.test(plain)
  ) return true
  if (/\bwithout\b/i.test(limits) && /\b(?:requires?|needs?)\b/.test(plain) && !negates(tokens)) {
    return true
  }
  if (EDITS.has(stemOf(rule.action)) && INTACT.test(plain) && !negates(tokens)) return true
  const judged = judge(rule, tokens)
  if (judged === undefined) return negates(tokens)
  if (bansOpposite(judged.action.stems, tokens)) return false
  if (judged.action.ordered && !judged.action.agrees && !negates(tokensOf(plainOf(rule.action)))) return false
  // `forbidden, avoid, x` is a negation said twice by the parser, and meant once.
  const saidTwice = tokensOf(plainOf(rule.action)).some(isRedundantNegator)
  return (judged.negated && (saidTwice || judged.votes > 0))
    || (judged.action.agrees && judged.action.negated)
    || bansByPronoun(judged.action.stems, tokens)
}

const LIMIT =
  /\b(?:not|never) (?:be |have |contain |take )?(?:exceed|longer|larger|more|greater|deeper|over|above)\b/

const LONG_LIMIT =
  /\b(?:no|not|never)\b[^.;,]{0,120}\b(?:exceed|(?:longer|larger|more|greater|deeper|higher|wider) than)\b/

const OVER_LIMIT = /\b(?:may|might|can) (?:exceed|be \w+er than)\b/

/** A ban on every other place is an order for this one: `no writes outside a transaction`. */
const ELSEWHERE = /\b(?:no|not|never)\b[^.;,]{0,120}\b(?:outside|anywhere (?:but|except))\b/

const isReversed = (rule: ParsedRule, { plain, tokens }: Reading): boolean => {
  const parsed = plainOf(`${rule.action} ${rule.target}`)
  if (LIMIT.test(plain) && !LIMIT.test(`not ${parsed}`)) return false
  if (/\d/.test(parsed) && LONG_LIMIT.test(plain) && !LONG_LIMIT.test(`not ${parsed}`)) return false
  if (ELSEWHERE.test(plain) && !ELSEWHERE.test(`not ${parsed} ${rule.context ?? ''}`)) return false
  if (bansOpposite(contentStems(parsed), tokens)) return false
  const judged = judge(rule, tokens)
  if (judged !== undefined) {
    const { stems, agrees } = judged.action
    const isDenied = bannedByPronoun(tokens).some(({ stem }) => stems.includes(stem))
    return (judged.votes < 0 && !agrees) || (isDenied && !agrees)
  }
  return !negates(tokensOf(parsed).filter(({ word }) => word !== 'insteadof'))
    && /^(?:do not|never|avoid|must not|no|refrain|stop)\b/.test(plain)
}

const isWeakened = (rule: ParsedRule, { plain, tokens }: Reading): boolean => {
  const parsed = plainOf(`${rule.action} ${rule.target} ${rule.context ?? ''}`)
  const [main = ''] = plain.split(/\b(?:if|when|unless|where|because|since|that|which)\b/)
  return WEAK_HEAD.test(plain)
    || isPermitted(contentStems(rule.action), tokens)
    || (/\d/.test(rule.target) && OVER_LIMIT.test(plain) && !LONG_LIMIT.test(plain))
    || (WEAK_TAIL.test(plain) && !/optional|if /.test(parsed))
    || (/\b(?:needless|indifferent)\b/.test(main) && !/\b(?:needless|indifferent)\b/.test(parsed))
}

/** Whether a directive begins with a ban on the parsed action, whatever weakens it behind: `do not use x if possible`. */
const bansAtOnce = ({ action }: ParsedRule, { plain, tokens }: Reading): boolean => {
  const verb = tokens.find((token) => isContent(token) && !isNegator(token))
  const isWhole = !/\b(?:except|unless|outside)\b/.test(plain)
  return isWhole && /^(?:do not|never)\b/.test(plain) && verb !== undefined
    && contentStems(action).includes(verb.stem)
}

const WORDS = /[\p{L}\p{N}]+/gu

/** What a directive says beyond the parsed words: `optional chaining` makes nothing optional. */
const withoutWordsOf = ({ action, target }: ParsedRule, plain: string): string => {
  const left = new Set(plainOf(`${action} ${target}`).match(WORDS))
  return plain.replace(WORDS, (word) => left.delete(word) ? ' ' : word)
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
        && (NEGATED_HEAD.test(reading.plain) || bansAtOnce(rule, reading))
        && !negates(tokensOf(plainOf(`${rule.action} ${rule.target}`)))
      if (isForeign(reading.tokens) || (WEAK.test(withoutWordsOf(rule, reading.plain)) && !negatedHead)) {
        return undefined
      }
      return `has to read as ${rule.strength}, neither as an order nor as a ban`
    }
  }
}
