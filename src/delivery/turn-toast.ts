/** Shows new violations in a toast at the end of a turn, because a narrow terminal has no sidebar that lists them. */
import { countViolations, isLacking, type Violation } from '../checks/violations.ts'
import { callHost } from '../host/client.ts'
import { isRun } from '../host/headless-run.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInSentence, safeName } from '../text/quoted-name.ts'
import type { DeliveryInput } from './hidden-message.ts'
import { unmentioned, unresolvedIn, violationKey } from './violations-in-session.ts'

const MAX_NAMED = 3

const summaryOf = (violations: Array<Violation>): string => {
  const named = violations.slice(0, MAX_NAMED).map(({ rule, path, line }) =>
    `${safeName(rule)} ${nameInSentence(path)}${line === undefined ? '' : `:${line}`}`
  )
  const more = countViolations(violations.slice(MAX_NAMED))
  const count = countViolations(violations)
  const counted = pluralize(count, violations.every(isLacking) ? 'file' : 'line')
  const breaks = count === 1 ? 'breaks a rule' : 'break rules'
  return `${counted} ${breaks}: ${named.join(', ')}${more > 0 ? ` and ${more} more, see /rules` : ''}`
}

export const turnEndToast = (session: string, { client, toast, places }: DeliveryInput) => {
  let lastKeys: Array<string> = []
  let toastCount = 0
  return async (violations: Array<Violation>): Promise<void> => {
    // At the end of `opencode run`, SAT prints all violations.
    if (isRun() || violations.length + lastKeys.length === 0) return
    const { data } = await callHost(() => client.session.get({ path: { id: session } }))
    // A subagent's violations are shown at the end of the turn that ran the subagent.
    if (data?.parentID) return
    const unresolved = await unresolvedIn(violations, places.real)
    const newViolations = unmentioned(unresolved, lastKeys)
    lastKeys = unresolved.map(violationKey)
    // `toast` shows nothing for a key that it already knows, so each key contains a new number.
    if (newViolations.length > 0) toast(`turn ${toastCount++} of ${session}`, summaryOf(newViolations))
  }
}
