import type { DiscoveredFiles } from '../writing/shown-files.ts'
import type { PipelineState } from './pipeline-state.ts'

/** Makes the hook that lets a child session use what its parent was shown, and that forgets a deleted session. */
export const sessionEvents = (discovered: DiscoveredFiles, pipelines: PipelineState) => ({
  async event({ event }: { event: { type: string; properties: unknown } }): Promise<void> {
    const { id, parentID } = Object(Object(event.properties).info) as { id?: unknown; parentID?: unknown }
    if (typeof id !== 'string') return
    if (event.type === 'session.created' && typeof parentID === 'string') discovered.adopt(id, parentID)
    if (event.type !== 'session.deleted') return
    discovered.forget(id)
    pipelines.delete(id)
  },
})
