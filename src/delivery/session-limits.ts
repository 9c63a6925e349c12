import type { Rule } from './rule-files.ts'

// A model could not follow more rules than this. A folder that was linked by mistake once put 48 MB into each request.
const MAX_RULES = 500
const MAX_BYTES = 512 * 1024

/** Why a rule that applies is left out. */
export const TOO_MANY = `a session takes at most ${MAX_RULES} rules with ${MAX_BYTES / 1024} KB in all`

/** Counts the bytes of a rule that stand in each request. */
export const bytesOf = ({ kind, body, description = '' }: Rule): number =>
  Buffer.byteLength(kind === 'offered' ? description : body)

/**
 * Chooses the rules that a session can still take, in their order.
 *
 * @param has the sizes of the rules that it has already
 */
export const fitting = (rules: Array<Rule>, has: Iterable<{ bytes: number }> = []): Array<Rule> => {
  let amount = 0
  let bytes = 0
  for (const told of has) {
    amount++
    bytes += told.bytes
  }
  return rules.filter((rule) => {
    const size = bytesOf(rule)
    if (amount + 1 > MAX_RULES || bytes + size > MAX_BYTES) return false
    amount++
    bytes += size
    return true
  })
}
