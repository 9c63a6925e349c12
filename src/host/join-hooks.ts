import type { Hooks } from '@opencode-ai/plugin'

export type { Hooks }

/** What a part of the plugin gives to the host; the hooks whose results the host takes as they are stay out. */
export type HooksPart = Omit<Hooks, 'auth' | 'provider'>

type Hook = (...given: Array<unknown>) => Promise<void>

/**
 * Joins the hooks of independent parts: of one name they run one after the other, in the parts' order.
 *
 * A throw in a hook can break the person's session, so none gets out: it is told to `onFailure`, and the next part
 * has its turn.
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
        onFailure(name, thrown)
      }
    }
  }
  return { tool, ...Object.fromEntries([...hooks].map(([name, all]) => [name, run(name, all)])) }
}
