/** Lets a dialog of SAT act on keys before the host does. */
import type { TuiPluginApi } from '@opencode-ai/plugin/tui'

type Key = { name: string; ctrl?: boolean }

/** Intercepts keys until the returned function is called. The host gets the keys that have no action. */
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
