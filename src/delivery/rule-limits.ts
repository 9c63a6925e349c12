import type { Rule } from './rule-files.ts'

// What is beyond is no set of rules that a model could follow (48 MB stood in a request once).
const MAX_RULES = 500
const MAX_BYTES = 512 * 1024

/** Why a rule that applies is not told: the session has as many as it can take. */
export const TOO_MANY = `a session takes at most ${MAX_RULES} rules with ${MAX_BYTES / 1024} KB in all`

/** How many bytes of a rule stand in each request. */
export const bytesOf = ({ kind, body, description = '' }: Rule): number =>
  Buffer.byteLength(kind === 'offered' ? description : body)

/** The rules that a session can still take, in their order; those that it `has` count. */
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
