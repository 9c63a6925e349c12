import type { TuiPluginApi } from '@opencode-ai/plugin/tui'

/** A key that the person pressed, as the host passes it to an interceptor. */
type Key = { name: string; ctrl?: boolean }

/**
 * Handles keys before the host does.
 *
 * @param actionOf returns what a key does; undefined leaves it to the host
 * @returns a function that stops this
 */
export const interceptKeys = (
  { keymap }: TuiPluginApi,
  actionOf: (key: Key) => (() => void) | undefined,
): () => void =>
  keymap.intercept('key', ({ event, consume }: { event: Key; consume: () => void }) => {
    const act = actionOf(event)
    if (act === undefined) return
    consume()
    act()
  }, { priority: 1 })
