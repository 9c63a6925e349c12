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

const MAX_REASON = 120

/**
 * Lets only a `RefusedCall` reach the host, because any other error could break the session. Stores the reason of each
 * part's last error in `failures`.
 */
export const joinHooks = (parts: Array<PartHooks>, log: Log, failures: Map<PartHooks, string>): Hooks => {
  const tool: NonNullable<Hooks['tool']> = Object.assign({}, ...parts.map((part) => part.tool))
  const names = new Set(parts.flatMap((part) => Object.keys(part)).filter((name) => name !== 'tool'))
  const loggedHooks = new Set<string>()
  const runAll = (name: string): Hook => async (...args) => {
    for (const part of parts) {
      try {
        const hook: Hook | undefined = Object(part)[name]
        await hook?.(...args)
      } catch (thrown) {
        if (thrown instanceof RefusedCall) throw thrown
        const reason = reasonOf(thrown)
        failures.set(part, truncate(reason, MAX_REASON))
        if (!loggedHooks.has(name)) log('error', `The hook ${name} failed: ${reason}`)
        loggedHooks.add(name)
      }
    }
  }
  return { tool, ...Object.fromEntries([...names].map((name) => [name, runAll(name)])) }
}
