/** Lets a dialog of SAT act on keys before the host does. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'

type Key = { name: string; ctrl?: boolean }

/**
 * Intercepts the keys that the person presses. Returns a function that ends this.
 *
 * @param actionOf returns the action of a key; undefined leaves the key to the host
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
