import type { TuiPluginApi } from '@opencode-ai/plugin/tui'

/** A key that the person pressed, as the host passes it to an interceptor. */
type Key = { name: string; ctrl?: boolean }

/**
 * Handles keys before the host does.
 *
 * @param actionOf returns the action of a key; undefined leaves the key to the host
 * @returns a function that ends the interception
 */
export const interceptKeys = (
  { keymap }: TuiPluginApi,
  actionOf: (key: Key) => (() => void) | undefined,
): () => void =>
  keymap.intercept('key', ({ event, consume }: { event: Key; consume: () => void }) => {
    const action = actionOf(event)
    if (action === undefined) return
    consume()
    action()
  }, { priority: 1 })
