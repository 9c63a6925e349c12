import { type Compared, contentOf, hasNew, phrases } from './words.ts'

const EXCEPTIONS = 'unless, except, other than, apart from, as long as, outside'
const EXCEPTION = phrases(EXCEPTIONS)

/** What an exception to something forbidden begins with. */
export const FORBIDDEN_EXCEPTION = phrases(EXCEPTIONS, 'without, until')

/** Words that set a limit or a condition: with one of them, an order may stand for a ban or for an exception. */
export const LIMITS =
  'only, without, except*, but, before, after, first, than, ask*, permission, approv*, other*, un*, to be'
const LIMIT_OR_CONDITION = phrases(LIMITS, 'if, when*, where*, once, for, outside, told, own, request*')

/** Gives the fault of a sentence that has nothing for a parsed exception. */
export const lostException = ({ rule, parsed, said }: Compared): string | undefined => {
  const begin = parsed.search(rule.strength === 'forbidden' ? FORBIDDEN_EXCEPTION : EXCEPTION)
  if (begin === -1) return undefined
  const [exception = ''] = parsed.slice(begin).split(/ [,;.()] /, 1)
  const others = parsed.replace(exception, ' ')
  const [words, known] = [contentOf(said), contentOf(others)]
  const isSaid = contentOf(exception).some((word) => words.includes(word) && !known.includes(word))
  return isSaid || hasNew(said, others, LIMIT_OR_CONDITION) ? undefined : `has lost "${exception.trim()}"`
}
