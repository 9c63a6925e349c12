import type { DiscoveredFiles } from '../files/discovered-files.ts'

/** Makes the hook that lets a child session use what its parent was shown, and that forgets deleted sessions. */
export const followSessions = (discovered: DiscoveredFiles) => ({
  async event({ event }: { event: { type: string; properties: unknown } }): Promise<void> {
    const { id, parentID } = Object(Object(event.properties).info) as { id?: unknown; parentID?: unknown }
    if (typeof id !== 'string') return
    if (event.type === 'session.created' && typeof parentID === 'string') discovered.adopt(id, parentID)
    if (event.type === 'session.deleted') discovered.forget(id)
  },
})
