import { type Compared, contentOf, hasNew, phrases } from './words.ts'

const EXCEPTIONS = 'unless, except, other than, apart from, aside from, as long as, provided that, outside'

/** What an exception begins with. */
export const EXCEPTION = phrases(EXCEPTIONS)

// In what is forbidden an exception may begin so as well.
const FORBIDDEN_EXCEPTION = phrases(EXCEPTIONS, 'without, until')

// What may stand for an exception, in whatever words.
const CONDITIONS = `
  except*, exempt*, if, when*, where*, while, until, till, without, only, but, other, others, otherwise, else, besides,
  beyond, save, once, after, before, first, for, alone, so long as, bar, just, upon, (, ?, need*, explicit*, approv*,
  permission, ask*, un*, told, request*, instruct*, go-ahead, confirm*, default, normally, usually, generally
`
const RESERVES = phrases(EXCEPTIONS, CONDITIONS)

/** Says so where an exception was parsed for which nothing stands. */
export const lostException = ({ rule, parsed, said }: Compared): string | undefined => {
  const begin = parsed.search(rule.strength === 'forbidden' ? FORBIDDEN_EXCEPTION : EXCEPTION)
  if (begin === -1) return undefined
  const [exception = ''] = parsed.slice(begin).split(/ [,;.()] /, 1)
  const others = parsed.replace(exception, ' ')
  const [words, known] = [contentOf(said), contentOf(others)]
  const isSaid = contentOf(exception).some((word) => words.includes(word) && !known.includes(word))
  return isSaid || hasNew(said, others, RESERVES) ? undefined : `has lost "${exception.trim()}"`
}
