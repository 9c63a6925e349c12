/** Joins the hooks (functions that the host calls) of SAT's parts, so that a failed hook stops no other hook. */
import type { Hooks } from '@opencode-ai/plugin'
import { reasonOf } from '../safe.ts'
import { truncate } from '../text/quoted-name.ts'
import type { Log } from './log.ts'

export type { Hooks }

/** The host accepts `auth` and `provider` from one plugin only. */
export type PartHooks = Omit<Hooks, 'auth' | 'provider'>

export type HostEvent = Parameters<NonNullable<Hooks['event']>>[0]['event']

/** A hook throws this error to refuse a tool call. */
export class RefusedCall extends Error {}

type Hook = (...args: Array<unknown>) => Promise<void>

/** Lets only a `RefusedCall` reach the host, because any other error could break the session. */
export const joinHooks = (
  parts: Array<PartHooks>,
  onFailure: (hook: string, thrown: unknown, part: PartHooks) => void,
): Hooks => {
  const tool: NonNullable<Hooks['tool']> = Object.assign({}, ...parts.map((part) => part.tool))
  const names = new Set(parts.flatMap((part) => Object.keys(part)).filter((name) => name !== 'tool'))
  const runAll = (name: string): Hook => async (...args) => {
    for (const part of parts) {
      try {
        const hook: Hook | undefined = Object(part)[name]
        await hook?.(...args)
      } catch (thrown) {
        if (thrown instanceof RefusedCall) throw thrown
        onFailure(name, thrown, part)
      }
    }
  }
  return { tool, ...Object.fromEntries([...names].map((name) => [name, runAll(name)])) }
}

const MAX_REASON = 120

/** Creates `record` (the `onFailure` of `joinHooks`) and `faultOf`, which lists a part's last failure. */
export const hookFailures = (log: Log) => {
  const loggedHooks = new Set<string>()
  const lastReasons = new Map<PartHooks, string>()
  const record = (hook: string, thrown: unknown, part: PartHooks): void => {
    const reason = reasonOf(thrown)
    lastReasons.set(part, truncate(reason, MAX_REASON))
    if (!loggedHooks.has(hook)) log('error', `The hook ${hook} failed: ${reason}`)
    loggedHooks.add(hook)
  }
  const faultOf = (part: PartHooks, feature: string): Array<{ feature: string; reason: string }> => {
    const reason = lastReasons.get(part)
    return reason === undefined ? [] : [{ feature, reason: `failed: ${reason}` }]
  }
  return { record, faultOf }
}
