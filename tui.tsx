/** @jsxImportSource @opentui/solid */
/** The terminal half of SAT: shows a session's rules and faults, updated from the disk every two seconds. */
import type { TuiPlugin, TuiPluginApi, TuiPluginModule } from '@opencode-ai/plugin/tui'
import { isDeepStrictEqual } from 'node:util'
import { createMemo, createSignal } from 'solid-js'
import { type RulesBeforeSession, rulesBeforeSessionReader } from './src/delivery/rules-before-session.ts'
import { unresolvedIn, violationKey } from './src/delivery/violations-in-session.ts'
import type { HostConfig } from './src/host/config.ts'
import { NO_RULES, readSessionRules, type SessionRules } from './src/host/panel-schema.ts'
import { readSetup, type Setup, type SetupFault } from './src/host/setup.ts'
import { projectRoot } from './src/paths/boundary.ts'
import { isFolder } from './src/paths/real-path.ts'
import { markName } from './src/text/hidden-characters.ts'
import { wrapToast } from './src/text/wrap-toast.ts'
import { activityIn } from './src/tui/activity.ts'
import { showBackups } from './src/tui/backups-dialog.ts'
import { Panel } from './src/tui/panel.tsx'
import { type RulesInput, showEntry, showRules } from './src/tui/rules-dialog.ts'
import { partsReader, readHistory } from './src/tui/session-parts.ts'
import { type SessionView, switchedOffPartIn } from './src/tui/session-view.ts'
import { newOnDisk, withDisk } from './src/tui/with-disk.ts'

const TOAST_MS = 15_000
const POLL_MS = 2_000

const shownSession = ({ route: { current } }: TuiPluginApi): string | undefined => {
  const id = 'params' in current ? current.params?.['sessionID'] : undefined
  return typeof id === 'string' ? id : undefined
}

const missingFolderFault = (entry: string): SetupFault => ({
  title: `no folder ${entry}`,
  why: 'named in rules.directories',
  note: `rules.directories: there is no folder ${entry}`,
})

/** `setup` is missing until the first read. If SAT is not loaded or its rules are off, there is only `setup`. */
type Disk = Partial<RulesBeforeSession> & {
  setup?: Setup
  /** The host, and with it the project's folder, may be on another machine. */
  isProjectHere?: boolean
}

const diskReader = (api: TuiPluginApi) => {
  // Has a cache, so it is replaced only if `key` changes.
  let rulesReader: { key: string; read: Awaited<ReturnType<typeof rulesBeforeSessionReader>> } | undefined

  const readAll = async (): Promise<Disk> => {
    const { path: { directory, worktree }, config, ready } = api.state
    const workspace = { directory, worktree }
    const loadedConfig = ready ? config : undefined
    const setup = await readSetup({ ...workspace, hostVersion: api.app.version, config: loadedConfig })
    const { options, isProjectEntry } = setup
    if (options === null || options.rules === false) return { setup }
    const { instructions, default_agent, model } = config
    const rulesConfig = { instructions, default_agent, model } as HostConfig
    const key = JSON.stringify([workspace, options.rules, rulesConfig])
    if (rulesReader?.key !== key) {
      rulesReader = { key, read: await rulesBeforeSessionReader(workspace, options.rules ?? {}, rulesConfig) }
    }
    const rulesBeforeSession = await rulesReader.read('fresh')
    const isProjectHere = await isFolder(projectRoot(workspace))
    // A config for all projects may name folders that only some projects have.
    const missing = isProjectEntry ? rulesBeforeSession.missing : []
    return { ...rulesBeforeSession, setup, isProjectHere, missing }
  }

  const readIfChanged = async (last: Disk): Promise<Disk> => {
    const hasNoRules = last.setup && !last.rules
    if (!rulesReader || hasNoRules) return last
    const { rules } = await rulesReader.read('cached')
    return rules === last.rules ? last : readAll()
  }
  return { readAll, readIfChanged }
}

const screenState = (api: TuiPluginApi) => {
  const partsOf = partsReader(api)
  const { readAll, readIfChanged } = diskReader(api)
  const [disk, setDisk] = createSignal<Disk>({})
  // Null if not read yet, or if no rule on the disk is new.
  const [nextRules, setNextRules] = createSignal<{ session: string; rules: SessionRules } | null>(null)
  const [fixedKeys, setFixedKeys] = createSignal<Array<string>>([], { equals: isDeepStrictEqual })
  const nextRulesOf = (session: string | undefined): SessionRules | undefined =>
    nextRules()?.session === session ? nextRules()?.rules : undefined
  const readNextRules = async (session: string): Promise<void> => {
    const { rules = NO_RULES, rulesAfter } = disk()
    const storedRules = readSessionRules(partsOf(session)) ?? NO_RULES
    const hasNewRules = rulesAfter && newOnDisk(storedRules, rules).length > 0
    setNextRules(hasNewRules ? { session, rules: await rulesAfter(await readHistory(api, session)) } : null)
  }
  const readFixedKeys = async (session: string): Promise<void> => {
    const broken = readSessionRules(partsOf(session))?.broken ?? []
    const unresolved = await unresolvedIn(broken, { worktree: projectRoot(api.state.path) }, disk().allRules)
    const unresolvedKeys = unresolved.map(violationKey)
    setFixedKeys(broken.map(violationKey).filter((key) => !unresolvedKeys.includes(key)))
  }
  const updateWith = (readDisk: (last: Disk) => Promise<Disk>) => async (session: string | undefined) => {
    try {
      const last = disk()
      setDisk(await readDisk(last))
      if (session === undefined) return
      // Reading the whole history is slow, so the next rules are kept until the disk changes.
      const hasDiskChanged = disk() !== last
      if (hasDiskChanged || !nextRulesOf(session)) await readNextRules(session)
      await readFixedKeys(session)
    } catch {
      // A failure must not end the terminal.
    }
  }
  const [updateAll, updateIfChanged] = [updateWith(readAll), updateWith(readIfChanged)]
  return { partsOf, disk, nextRulesOf, fixedKeys, updateAll, updateIfChanged }
}

const sessionViewer = ({ partsOf, disk, nextRulesOf, fixedKeys }: ReturnType<typeof screenState>) => {
  const [addedToConfig, setAddedToConfig] = createSignal<Array<string>>([])
  /** `off` contains the keys of switched-off rules. If given, it replaces the keys that the session stores. */
  const viewOf = (session: string | undefined, off?: ReadonlySet<string>): SessionView => {
    const parts = session === undefined ? [] : partsOf(session)
    const { rules: rulesBeforeSession = NO_RULES, missing = [], setup, isProjectHere = false } = disk()
    const isUnloaded = setup?.options === null
    const folders = rulesBeforeSession.folders.filter((path) => !addedToConfig().includes(path))
    // If no rule on the disk is new, `nextRulesOf` returns undefined, and `withDisk` keeps each stored rule's state.
    const rulesOnDisk = { ...nextRulesOf(session) ?? rulesBeforeSession, folders }
    const sentRules = isUnloaded ? null : readSessionRules(parts, off)
    // The host has sent the instruction files, even if SAT has sent nothing.
    const knownRules = sentRules ?? { ...NO_RULES, instructions: rulesOnDisk.instructions }
    const rules = parts.length === 0 ? rulesOnDisk : withDisk(knownRules, rulesOnDisk, isProjectHere)
    const broken = rules.broken.filter((violation) => !fixedKeys().includes(violationKey(violation)))
    return {
      ...activityIn(parts),
      rules: { ...rules, broken },
      areRulesSent: sentRules !== null,
      isOff: setup?.options?.rules === false,
      isUnloaded,
      faults: [...setup?.faults ?? [], ...missing.map(markName).map(missingFolderFault)],
    }
  }
  const inputOf = (session: string | undefined): RulesInput => ({
    view: (off) => viewOf(session, off),
    pathOf: (file) => disk().pathOf?.(file),
    ruleNamed: (name) => disk().allRules?.find((rule) => rule.name === name),
    satEntry: disk().setup?.active,
    switchedOffPart: () => session === undefined ? undefined : switchedOffPartIn(session, partsOf(session)),
    onAdded: (path) => setAddedToConfig([...addedToConfig(), path]),
  })
  return { viewOf, inputOf }
}

const PALETTE = { category: 'SAT', namespace: 'palette' }

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

const NO_COMMANDS = '/rules and /rules-backups need OpenCode 1.15 or newer'

const startPolling = (api: TuiPluginApi, update: (session: string | undefined) => Promise<void>): void => {
  let isRunning = false
  const timer = setInterval(async () => {
    const session = shownSession(api)
    const mayShowRules = session !== undefined || api.ui.dialog.open
    if (isRunning || !mayShowRules) return
    isRunning = true
    await update(session)
    isRunning = false
  }, POLL_MS)
  timer.unref()
  api.lifecycle.onDispose(() => clearInterval(timer))
}

const tui: TuiPlugin = async (api) => {
  const state = screenState(api)
  const { viewOf, inputOf } = sessionViewer(state)
  const updateShown = () => state.updateAll(shownSession(api))
  api.slots.register({
    order: 150, // below Context, above the host's other sections
    slots: {
      sidebar_content: (_: unknown, { session_id }: { session_id: string }) => (
        <Panel
          api={api}
          view={createMemo(() => viewOf(session_id))}
          open={(entry) => void showEntry(api, entry, inputOf(session_id))}
        />
      ),
    },
  })
  const openRules = async () => {
    await updateShown()
    showRules(api, inputOf(shownSession(api)))
  }
  const { keymap }: Partial<typeof api> = api
  if (keymap) api.lifecycle.onDispose(keymap.registerLayer({ commands: commandsOf(api, openRules) }))
  else api.ui.toast({ variant: 'warning', title: 'SAT', message: NO_COMMANDS })
  api.lifecycle.onDispose(api.event.on('session.idle', () => void updateShown()))
  startPolling(api, state.updateIfChanged)
  void updateShown().then(() => {
    // This toast omits missing folders, because the server half reports them with the first message.
    const message = wrapToast((state.disk().setup?.faults ?? []).map(({ note }) => note).join('\n'))
    if (message !== '') api.ui.toast({ variant: 'warning', title: 'SAT', message, duration: TOAST_MS })
  })
}

export default { id: 'opencode-sat', tui } satisfies TuiPluginModule
