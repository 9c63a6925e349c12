/** @jsxImportSource @opentui/solid */
import type { TuiPlugin, TuiPluginApi, TuiPluginModule } from '@opencode-ai/plugin/tui'
import { createMemo, createSignal } from 'solid-js'
import { keyOf, standing } from './src/delivery/marks.ts'
import { type RulesBefore, rulesBefore } from './src/delivery/rules-before-session.ts'
import { NO_RULES, type PathOf, sessionRulesOf } from './src/host/panel-schema.ts'
import { checkSetup, type SetupFault } from './src/host/plugin-entries.ts'
import { projectRoot } from './src/paths/boundary.ts'
import { showBackups } from './src/tui/backups-dialog.ts'
import { Panel } from './src/tui/panel.tsx'
import { showEntry, showRules } from './src/tui/rules-dialog.ts'
import { sessionParts } from './src/tui/session-parts.ts'
import { formattingOf, type SessionView } from './src/tui/session-view.ts'

// The position in the sidebar: below Context, above the host's other sections.
const ORDER = 150
const TOAST_MS = 15_000

const sessionInSight = ({ route: { current } }: TuiPluginApi): string | undefined => {
  const id = 'params' in current ? current.params?.['sessionID'] : undefined
  return typeof id === 'string' ? id : undefined
}

const noFolder = (entry: string): SetupFault => {
  const why = `there is no folder ${entry}`
  return { title: 'option rules.directories', why, note: `rules.directories: ${why}` }
}

/** What is on the disk: the rules that a session's first message would hold, and what is wrong with the set-up. */
type Disk = RulesBefore & { isOff: boolean; setup: Array<SetupFault> }

const UNREAD: Disk = { rules: NO_RULES, missing: [], pathOf: () => undefined, isOff: false, setup: [] }

/** Reads the disk; the rules stay those of the `last` reading where they are not shown. */
const readDisk = async (api: TuiPluginApi, last: Disk, isShown: boolean): Promise<Disk> => {
  const { directory, worktree } = api.state.path
  const { options, faults: setup } = await checkSetup({ directory, worktree, version: api.app.version })
  if (options.rules === false) return { ...UNREAD, isOff: true, setup }
  const { instructions = [], default_agent } = api.state.config
  const config = { instructions: [...instructions], ...(default_agent ? { default_agent } : {}) }
  const found = isShown ? await rulesBefore({ directory, worktree }, options.rules ?? {}, config) : last
  return { ...found, isOff: false, setup }
}

const PALETTE = { category: 'SAT', namespace: 'palette' }

/** Gives the commands of the prompt's list. */
const commandsOf = (api: TuiPluginApi, openRules: () => Promise<void>) => [{
  ...PALETTE,
  name: 'opencode-sat.rules',
  title: 'Rules of this session',
  desc: 'Which rules are in force, and why',
  slashName: 'rules',
  run: openRules,
}, {
  ...PALETTE,
  name: 'opencode-sat.backups',
  title: 'Backups of rewritten rules',
  desc: 'Bring back what a rewrite replaced',
  slashName: 'rules-backups',
  run: () => void showBackups(api),
}]

/** The terminal plugin: the section in the sidebar, the lists of rules and of backups, and what the person should fix. */
const tui: TuiPlugin = async (api) => {
  const [disk, setDisk] = createSignal(UNREAD)
  // What broke rules and is gone from its file since the last request.
  const [mended, setMended] = createSignal(new Set<string>())
  const partsOf = sessionParts(api)
  const viewOf = (session: string | undefined): SessionView => {
    const parts = session === undefined ? [] : partsOf(session)
    const sent = sessionRulesOf(parts)
    const { rules, missing, isOff, setup } = disk()
    const faults = [...setup, ...missing.map(noFolder)]
    const shown = sent ?? rules
    const broken = shown.broken.filter((one) => !mended().has(keyOf(one)))
    return { ...formattingOf(parts), rules: { ...shown, broken }, isSent: sent !== null, isOff, faults }
  }
  const pathOf: PathOf = (file) => disk().pathOf(file)
  // At the start, when a list is opened and when a session goes idle. A failure here must not end the terminal.
  const read = async (isShown = true) => {
    const session = sessionInSight(api)
    const broken = session ? sessionRulesOf(partsOf(session))?.broken ?? [] : []
    const still = (await standing(broken, { worktree: projectRoot(api.state.path) })).map(keyOf)
    setMended(new Set(broken.map(keyOf).filter((key) => !still.includes(key))))
    setDisk(await readDisk(api, disk(), isShown).catch(disk))
  }

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
  const openRules = async () => {
    await read()
    showRules(api, viewOf(sessionInSight(api)), pathOf)
  }
  const dispose = api.keymap.registerLayer({ commands: commandsOf(api, openRules) })
  api.lifecycle.onDispose(dispose)
  api.lifecycle.onDispose(
    api.event.on('session.idle', ({ properties: { sessionID } }) => void read(!viewOf(sessionID).isSent)),
  )
  void read().then(() => {
    // Of a missing folder the server's half tells, with the first message.
    const message = disk().setup.map(({ note }) => note).join('\n')
    if (message !== '') api.ui.toast({ variant: 'warning', title: 'SAT', message, duration: TOAST_MS })
  })
}

export default { id: 'opencode-sat', tui } satisfies TuiPluginModule
