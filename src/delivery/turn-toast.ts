/** Shows the person at the end of a turn, in a toast, what breaks rules: a narrow terminal shows no sidebar. */
import { countViolations, type Violation } from '../checks/violations.ts'
import { callHost } from '../host/client.ts'
import { isRun } from '../host/run-output.ts'
import { pluralize } from '../text/pluralize.ts'
import { nameInSentence, safeName } from '../text/quoted-name.ts'
import type { DeliveryInput } from './hidden-message.ts'
import { unresolvedIn, violationKey } from './violations-in-session.ts'

const MAX_NAMED = 3

/** Formats violations in one line: `2 lines break rules: no-any src/tax.ts:1, no-log src/a.ts:3`. */
const summaryOf = (broken: Array<Violation>): string => {
  const named = broken.slice(0, MAX_NAMED).map(({ rule, path, line }) =>
    `${safeName(rule)} ${nameInSentence(path)}${line === undefined ? '' : `:${line}`}`
  )
  const more = countViolations(broken.slice(MAX_NAMED))
  const noun = broken.every(({ line }) => line === undefined) ? 'file' : 'line'
  const counted = pluralize(countViolations(broken), noun)
  const breaks = broken.length === 1 ? 'breaks a rule' : 'break rules'
  return `${counted} ${breaks}: ${named.join(', ')}${more > 0 ? ` and ${more} more, see /rules` : ''}`
}

/** Creates a function that shows the violations that are new since the last turn, except in `opencode run`. */
export const turnEndToast = (
  session: string,
  { client, toast, places }: Pick<DeliveryInput, 'client' | 'toast' | 'places'>,
) => {
  let lastKeys = new Set<string>()
  let toastCount = 0
  return async (broken: Array<Violation>): Promise<void> => {
    if (isRun() || broken.length + lastKeys.size === 0) return
    const { data } = await callHost(() => client.session.get({ path: { id: session } }))
    // The violations of a subagent are shown at the end of the turn that ran the subagent.
    if (data?.parentID) return
    const unresolved = await unresolvedIn(broken, places.real)
    const newViolations = unresolved.filter((violation) => !lastKeys.has(violationKey(violation)))
    lastKeys = new Set(unresolved.map(violationKey))
    if (newViolations.length > 0) toast(`turn ${toastCount++} of ${session}`, summaryOf(newViolations))
  }
}
