/** Joins the hooks of SAT's parts into one set, so that a failing hook does not stop the hooks of other parts. */
import type { Hooks } from '@opencode-ai/plugin'
import { reasonOf } from '../safe.ts'
import { truncate } from '../text/quoted-name.ts'
import type { Log } from './log.ts'

export type { Hooks }

/** The hooks of a part of SAT, except `auth` and `provider`: the host accepts these from one plugin only. */
export type PartHooks = Omit<Hooks, 'auth' | 'provider'>

/** An event of the host, as the `event` hook receives it. */
export type HostEvent = Parameters<NonNullable<Hooks['event']>>[0]['event']

/**
 * The error with which a hook refuses a tool call. It alone reaches the host, which answers the call with its message.
 */
export class RefusedCall extends Error {}

type Hook = (...args: Array<unknown>) => Promise<void>

/**
 * Joins the hooks of independent parts into one set. Hooks of the same name run one after the other, in the order of
 * the parts.
 *
 * An error in a hook can break the session. Therefore any error except a `RefusedCall` goes to `onFailure`, and the
 * hook of the next part runs.
 *
 * @param onFailure receives the name of the hook, the error and the part
 */
export const joinHooks = (
  parts: Array<PartHooks>,
  onFailure: (hook: string, thrown: unknown, part: PartHooks) => void,
): Hooks => {
  const tool = Object.assign({}, ...parts.map((part) => part.tool)) as NonNullable<Hooks['tool']>
  const names = new Set(parts.flatMap((part) => Object.keys(part)))
  names.delete('tool')
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

/** Records failures of hooks. Logs the first failure of each hook, and keeps the last of each part for the panel. */
export class HookFailures {
  readonly #log: Log
  readonly #logged = new Set<string>()
  readonly #last = new Map<PartHooks, string>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Records a failure that `joinHooks` reports. */
  record(hook: string, thrown: unknown, part: PartHooks): void {
    const reason = reasonOf(thrown)
    this.#last.set(part, truncate(reason, MAX_REASON))
    if (!this.#logged.has(hook)) this.#log('error', `The hook ${hook} failed: ${reason}`)
    this.#logged.add(hook)
  }

  /** Returns the failure of a part for the panel, if any. */
  faultOf(part: PartHooks, feature: string): Array<{ feature: string; reason: string }> {
    const reason = this.#last.get(part)
    return reason === undefined ? [] : [{ feature, reason: `failed: ${reason}` }]
  }
}
