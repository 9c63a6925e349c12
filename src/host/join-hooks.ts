import type { Hooks } from '@opencode-ai/plugin'

export type { Hooks }

/** The hooks of a part of the plugin. `auth` and `provider` cannot be joined: the host takes them from one part. */
export type HooksPart = Omit<Hooks, 'auth' | 'provider'>

/** An event of the host, as the hook `event` gets it. */
export type HostEvent = Parameters<NonNullable<Hooks['event']>>[0]['event']

/** A tool's call that a hook refuses: the one throw that reaches the host, which answers the call with its message. */
export class RefusedCall extends Error {}

type Hook = (...given: Array<unknown>) => Promise<void>

/**
 * Joins the hooks of independent parts into one set: hooks of the same name run one after the other, in the order of
 * the parts.
 *
 * A throw in a hook can break the person's session. So any but a `RefusedCall` goes to `onFailure`, and the hook of the
 * next part runs.
 */
export const joinHooks = (
  parts: Array<HooksPart>,
  onFailure: (hook: string, thrown: unknown) => void,
): Hooks => {
  const tool = Object.assign({}, ...parts.map((part) => part.tool)) as NonNullable<Hooks['tool']>
  const hooks = new Map<string, Array<Hook>>()
  for (const { tool: _, ...part } of parts) {
    for (const [name, hook] of Object.entries(part)) {
      hooks.set(name, [...(hooks.get(name) ?? []), hook as Hook])
    }
  }
  const run = (name: string, all: Array<Hook>): Hook => async (...given) => {
    for (const hook of all) {
      try {
        await hook(...given)
      } catch (thrown) {
        if (thrown instanceof RefusedCall) throw thrown
        onFailure(name, thrown)
      }
    }
  }
  return { tool, ...Object.fromEntries([...hooks].map(([name, all]) => [name, run(name, all)])) }
}
