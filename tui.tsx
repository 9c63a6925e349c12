/** @jsxImportSource @opentui/solid */
import type { TuiPlugin, TuiPluginApi, TuiPluginModule } from '@opencode-ai/plugin/tui'
import { createMemo, createSignal } from 'solid-js'
import { type RulesBefore, rulesBefore } from './src/delivery/rules-before.ts'
import { sessionRulesOf } from './src/host/panel-schema.ts'
import { checkSetup, type SetupFault } from './src/host/plugin-entries.ts'
import { showBackups } from './src/tui/backups-dialog.ts'
import { Panel } from './src/tui/panel.tsx'
import { type PathOf, showEntry, showRules } from './src/tui/rules-dialog.ts'
import { sessionParts } from './src/tui/session-parts.ts'
import { formattingOf, NO_RULES, type SessionView } from './src/tui/session-view.ts'

// The position in the sidebar: below Context, above the host's other sections.
const ORDER = 150
const TOAST_MS = 15_000

const sessionInSight = ({ route: { current } }: TuiPluginApi): string | undefined => {
  const id = 'params' in current ? current.params?.['sessionID'] : undefined
  return typeof id === 'string' ? id : undefined
}

const noFolder = (entry: string): SetupFault => {
  const why = `there is no folder ${entry}`
  return { title: 'option rules.directories', why, words: `rules.directories: ${why}` }
}

/** What is on the disk: read at the start, when a list is opened, and when a session that was sent no rules goes idle. */
const diskOf = (api: TuiPluginApi) => {
  const [rules, setRules] = createSignal<RulesBefore>({
    rules: NO_RULES,
    missing: [],
    pathOf: () => undefined,
  })
  const [faults, setFaults] = createSignal<Array<SetupFault>>([])
  const [isOff, setOff] = createSignal(false)
  const read = async (withRules: boolean): Promise<void> => {
    const { directory, worktree } = api.state.path
    const setup = await checkSetup({ directory, worktree, version: api.app.version })
    setFaults(setup.faults)
    const option = setup.options.rules
    setOff(option === false)
    if (!withRules || option === false) return
    const config = { instructions: [...api.state.config.instructions ?? []] }
    setRules(await rulesBefore({ directory, worktree }, option?.directories ?? [], config))
  }
  const allFaults = () => [...faults(), ...rules().missing.map(noFolder)]
  return { rules, faults: allFaults, isOff, read }
}

const PALETTE = { category: 'SAT', namespace: 'palette' }

/** The terminal plugin: the section in the sidebar, the lists of rules and of backups, and what the person should fix. */
const tui: TuiPlugin = async (api) => {
  const disk = diskOf(api)
  const partsOf = sessionParts(api)
  const viewOf = (session: string | undefined): SessionView => {
    const parts = session === undefined ? [] : partsOf(session)
    const sent = sessionRulesOf(parts)
    return {
      ...formattingOf(parts),
      rules: sent ?? disk.rules().rules,
      isSent: sent !== null,
      isOff: disk.isOff(),
      faults: disk.faults(),
    }
  }
  const pathOf: PathOf = (file) => disk.rules().pathOf(file)
  // A failure here must not end the terminal.
  const read = (withRules = true) => disk.read(withRules).catch(() => {})

  api.slots.register({
    order: ORDER,
    slots: {
      sidebar_content: (_: unknown, { session_id }: { session_id: string }) => (
        <Panel
          api={api}
          view={createMemo(() => viewOf(session_id))}
          open={(entry) => void showEntry(api, entry, pathOf)}
        />
      ),
    },
  })
  const dispose = api.keymap.registerLayer({
    commands: [{
      ...PALETTE,
      name: 'opencode-sat.rules',
      title: 'Rules of this session',
      desc: 'Which rules are in force, and why',
      slashName: 'rules',
      run: async () => {
        await read()
        showRules(api, viewOf(sessionInSight(api)), pathOf)
      },
    }, {
      ...PALETTE,
      name: 'opencode-sat.backups',
      title: 'Backups of rewritten rules',
      desc: 'Bring back what a rewrite replaced',
      slashName: 'rules-backups',
      run: () => void showBackups(api),
    }],
  })
  api.lifecycle.onDispose(dispose)
  api.lifecycle.onDispose(
    api.event.on('session.idle', ({ properties: { sessionID } }) => void read(!viewOf(sessionID).isSent)),
  )
  void read().then(() => {
    const message = disk.faults().map(({ words }) => words).join('\n')
    if (message !== '') api.ui.toast({ variant: 'warning', title: 'SAT', message, duration: TOAST_MS })
  })
}

export default { id: 'opencode-sat', tui } satisfies TuiPluginModule
