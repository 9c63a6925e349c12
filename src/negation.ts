import { isContent, plainOf, stemOf, type Token, tokensOf } from './directive.ts'

const stems = (words: string): Set<string> => new Set(words.split(' ').map(stemOf))

/** Words that negate and mean nothing else. */
const PURE = stems(
  'not never avoid avoidance refrain abstain stop cease quit no none nothing nobody nowhere neither nor without against',
)

/** Verbs that say that something is not to be or not to be done. */
const VERBS = stems(
  'forbid forbidden prohibit disallow ban outlaw prevent refuse reject eliminate exclude remove delete drop discard strip ditch omit skip forget neglect hesitate ignore bypass disable lack deny discourage unacceptable impermissible illegal taboo replace',
)

/** Those that negate the words behind them and end where a new thought begins. */
const PREPOSITIONS = new Set(
  'without insteadof no nor neither none nothing nobody zero against replace'.split(' '),
)

const AUXILIARIES = new Set(
  'is are be been being was were must should shall may can could will would might has have had do does'.split(
    ' ',
  ),
)

const SUBORDINATORS = new Set(
  'if when whenever unless where because since that which who whose while until before after as although though to in for so via'
    .split(' '),
)

/** Those that open a clause of their own also behind a comma or in mid-sentence. */
const CLAUSE_OPENERS = new Set(
  'if when whenever unless where because since that which who whose while until although though as'.split(
    ' ',
  ),
)

/** Those whose clause no negation before them governs: `do not commit until the tests pass`. */
const CONDITIONS = new Set('if when whenever unless until before except'.split(' '))

/** Words that begin a new order behind a comma or an `and`. */
const STARTERS = stems(
  'use prefer always choose keep write ensure make instead only do never avoid must should let opt favor favour put pick',
)

/** Words that other languages negate with: what they say is not judged. */
const FOREIGN = new Set(
  'nicht kein keine keinen keinem keiner nie niemals vermeide vermeiden pas jamais aucun aucune évite éviter nunca ningún ninguna evita evitar não evite niet geen nooit inte aldrig ikke aldri'
    .split(' '),
)

const isPrepositional = ({ word, stem }: Token): boolean => PREPOSITIONS.has(word) || stem === 'replac'

/** Whether a word negates. */
export const isNegator = ({ kind, word, stem }: Token): boolean =>
  kind === 'word' && (PURE.has(stem) || VERBS.has(stem) || PREPOSITIONS.has(word))

/** Words that a parser puts into the action of what it calls forbidden all the same. */
const REDUNDANT = stems('not never avoid refrain abstain no without')

/** Whether a word in a forbidden action only says again that it is forbidden. */
export const isRedundantNegator = ({ stem }: Token): boolean => REDUNDANT.has(stem)

/** Stems of verbs that fit any rule, so that they tell nothing about one. */
export const GENERIC_VERBS = stems(
  'use prefer keep make have be do write add create put allow include apply set ensure',
)

/** The stems of the words that tell what a text is about; all of them where none does. */
export const contentStems = (text: string): Array<string> => {
  const words = tokensOf(plainOf(text)).filter(({ kind }) => kind === 'word')
  const content = words.filter((token) => isContent(token) && !isNegator(token))
  return [...new Set((content.length > 0 ? content : words).map(({ stem }) => stem))]
}

const lettersOf = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0

/** Whether a text negates in a language that is not judged, or is mostly not written in Latin letters. */
export const isForeign = (tokens: Array<Token>): boolean => {
  const text = tokens.map(({ word }) => word).join(' ')
  return tokens.some(({ word }) => FOREIGN.has(word))
    || lettersOf(text) > 2 * lettersOf(text.replace(/(?!\p{Script=Latin})\p{L}/gu, ''))
}

type Negation = {
  prepositional: boolean
  determiner: boolean
  verb: boolean
  replaces: boolean
  hasContent: boolean
}

/** How often each token is negated, and the number of the sentence that it stands in. */
export type Negated = Array<Token & { negations: number; sentence: number }>

/**
 * Counts for each word of a directive the negations that govern it: those before it in its clause (`never use x`,
 * `instead of x`), and those that say something about it (`x must not be used`). Linear in the tokens.
 *
 * @param action stems of the parsed action: where it stands behind a comma, a new order begins
 */
export const countNegations = (tokens: Array<Token>, action: Set<string>): Negated => {
  const negated: Negated = tokens.map((token) => ({ ...token, negations: 0, sentence: 0 }))
  const outer: Array<Array<Negation>> = []
  let active: Array<Negation> = []
  let sentence = 0
  let clauseStart = 0
  let leading = false
  let lastComma = -1

  const startClause = (index: number) => {
    active = []
    clauseStart = index
    leading = false
  }
  const isOrder = ({ stem }: Token): boolean => STARTERS.has(stem) || action.has(stem)
  const starts = (token: Token | undefined): boolean =>
    token?.kind === 'word' && (isOrder(token) || token.word === 'not')
  // `do not add, commit, or push x` is one order with three verbs.
  const isListed = (after: Token | undefined): boolean => after?.kind === 'comma' || after?.word === 'or'
  const isPending = () => active.length > 0 && active.every(({ hasContent }) => !hasContent)
  /** What stands before a word when auxiliaries, negators and adverbs are passed over: `is not strictly`. */
  const isVerbal = ({ word, stem }: Token): boolean =>
    AUXILIARIES.has(word) || PURE.has(stem) || /ly$/.test(word)
  const verbStart = (index: number): number => {
    let start = index
    while (start > 0 && tokens[start - 1]!.kind === 'word' && isVerbal(tokens[start - 1]!)) start--
    return start
  }
  // `x must not be used`, `x is not strictly forbidden`
  const isPredicate = (index: number): boolean =>
    tokens.slice(verbStart(index), index).some(({ word }) => AUXILIARIES.has(word))
  // `x: never`, `x; do not.`
  const isVerdict = (index: number): boolean =>
    tokens[verbStart(index) - 1]?.kind === 'break' && (tokens[index + 1]?.kind ?? 'break') === 'break'

  negated.forEach((token, index) => {
    token.sentence = sentence
    const next = tokens[index + 1]
    if (token.kind === 'break') {
      sentence++
      startClause(index + 1)
    } else if (token.kind === 'open') {
      outer.push(active)
      active = []
    } else if (token.kind === 'close') {
      active = outer.pop() ?? active
    } else if (token.kind === 'comma') {
      lastComma = index
      active = active.filter(({ prepositional }) => !prepositional)
      if (leading || (starts(next) && !isListed(tokens[index + 2]) && !isPending())) startClause(index + 1)
    } else if (CONDITIONS.has(token.word) && index > clauseStart) {
      startClause(index + 1)
    } else if (token.word === 'but' || (token.word === 'and' && starts(next))) {
      startClause(index + 1)
    } else {
      if (index === clauseStart && SUBORDINATORS.has(token.word)) leading = true
      else if (CLAUSE_OPENERS.has(token.word)) clauseStart = index
      if (token.word === 'with' || token.word === 'by') active = active.filter(({ replaces }) => !replaces)
      if (isOrder(token) && active.at(-1)?.hasContent) {
        // `no direct commits` has a noun where `without asking commit` has an order.
        active = active.filter(({ prepositional, determiner, hasContent }) =>
          !prepositional || !hasContent || (determiner && !STARTERS.has(token.stem))
        )
      }
      // `disable or skip x` negates x once.
      const isJoined = VERBS.has(token.stem) && /^(?:or|and|,)$/.test(tokens[index - 1]?.word ?? '')
        && VERBS.has(tokens[index - 2]?.stem ?? '')
      if (isJoined) active = active.filter(({ verb }) => !verb)
      token.negations += active.length
      if (isNegator(token)) {
        // `never delete x without y` negates y by its first word and its last.
        if (isPrepositional(token)) active = active.filter(({ verb }) => !verb)
        active.push({
          prepositional: isPrepositional(token),
          determiner: token.word === 'no',
          replaces: token.stem === 'replac',
          verb: VERBS.has(token.stem),
          hasContent: false,
        })
        if (isVerdict(index)) {
          for (const before of negated.filter((one) => one.sentence === sentence - 1)) before.negations++
        }
        if (isPredicate(index)) {
          // `use x, y is not allowed` says nothing about x; `x, y and z are not allowed` does.
          const first = tokens[clauseStart]
          const from = first !== undefined && isOrder(first)
            ? Math.max(clauseStart, lastComma + 1)
            : clauseStart
          for (const before of negated.slice(from, index)) before.negations++
        }
      } else if (isContent(token)) { for (const negation of active) negation.hasContent = true }
    }
  })
  return negated
}
