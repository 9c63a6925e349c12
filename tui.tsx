/** @jsxImportSource @opentui/solid */
import type { TuiPlugin, TuiPluginApi, TuiPluginModule } from '@opencode-ai/plugin/tui'
import { createMemo } from 'solid-js'
import { isFolder } from './src/delivery/file-state.ts'
import { otherToolsFolders } from './src/delivery/rule-folders.ts'
import { showBackups } from './src/tui/backups-dialog.tsx'
import { Panel } from './src/tui/panel.tsx'
import { showRules } from './src/tui/rules-dialog.tsx'
import { sessionViews } from './src/tui/session-parts.ts'

// Where the section stands in the sidebar: below Context, above the host's other sections.
const ORDER = 150

const sessionInSight = ({ route: { current } }: TuiPluginApi): string | undefined => {
  const id = 'params' in current ? current.params?.['sessionID'] : undefined
  return typeof id === 'string' ? id : undefined
}

const PALETTE = { category: 'SAT', namespace: 'palette' }

const commandsOf = (api: TuiPluginApi, viewOfSession: ReturnType<typeof sessionViews>) => [
  {
    ...PALETTE,
    name: 'opencode-sat.rules',
    title: 'Rules of this session',
    desc: 'Which rules are in force, and why',
    slashName: 'rules',
    run: () => {
      const session = sessionInSight(api)
      const folders = otherToolsFolders(api.state.path).filter(isFolder)
      showRules(api, session === undefined ? null : viewOfSession(session), folders)
    },
  },
  {
    ...PALETTE,
    name: 'opencode-sat.backups',
    title: 'Backups of rewritten rules',
    desc: 'What rewrites replaced, and the difference to now',
    slashName: 'rules-backups',
    run: () => void showBackups(api),
  },
]

/** The terminal's half of SAT: the section in the sidebar, and the lists of rules and of backups. */
const tui: TuiPlugin = async (api) => {
  const viewOfSession = sessionViews(api)
  api.slots.register({
    order: ORDER,
    slots: {
      sidebar_content: (_: unknown, { session_id }: { session_id: string }) => (
        <Panel
          api={api}
          view={createMemo(() => viewOfSession(session_id))}
        />
      ),
    },
  })

  const dispose = api.keymap.registerLayer({ commands: commandsOf(api, viewOfSession) })
  api.lifecycle.onDispose(dispose)
}

export default { id: 'opencode-sat', tui } satisfies TuiPluginModule
