/** @jsxImportSource @opentui/solid */
import type { TuiPlugin, TuiPluginApi, TuiPluginModule } from '@opencode-ai/plugin/tui'
import { createMemo, createSignal } from 'solid-js'
import { type RulesBeforeSession, rulesBeforeSessionReader } from './src/delivery/rules-before-session.ts'
import { unresolvedIn, violationKey } from './src/delivery/violations-in-session.ts'
import type { HostConfig } from './src/host/config.ts'
import { NO_RULES, readSessionRules, type SessionRules } from './src/host/panel-schema.ts'
import { type PluginEntry, readSetup, type SetupFault } from './src/host/plugin-entries.ts'
import { projectRoot } from './src/paths/boundary.ts'
import { isFolder } from './src/paths/real-path.ts'
import { markName } from './src/text/hidden-characters.ts'
import { wrapToast } from './src/text/wrap-toast.ts'
import { showBackups } from './src/tui/backups-dialog.ts'
import { Panel } from './src/tui/panel.tsx'
import { type EntryInput, type RulesInput, showEntry, showRules } from './src/tui/rules-dialog.ts'
import { partsReader, readHistory } from './src/tui/session-parts.ts'
import {
  activityIn,
  newOnDisk,
  type SessionView,
  switchedOffPartIn,
  withDisk,
} from './src/tui/session-view.ts'

// The position in the sidebar: below Context, above the host's other sections.
const ORDER = 150
const TOAST_MS = 15_000
// The interval at which the rule files are checked for changes.
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

/** What was read from the disk: the rules that a session's first message would have, and the faults of the setup. */
type Disk = RulesBeforeSession & {
  /** Whether the option `rules` is `false`. */
  isOff: boolean
  /** Whether the host has not loaded the server half, or is too old for it. */
  isUnloaded: boolean
  /** Whether the project is on this disk. A terminal may be connected to a host on another machine. */
  isProjectHere: boolean
  setupFaults: Array<SetupFault>
  /** The entry of SAT that takes effect. */
  active?: PluginEntry | undefined
}

const EMPTY_DISK: Disk = {
  rules: NO_RULES,
  missing: [],
  pathOf: () => undefined,
  isOff: false,
  isUnloaded: false,
  isProjectHere: false,
  setupFaults: [],
}

/**
 * Creates the functions that read the disk: `readDisk` reads everything; `readChanges` is faster, because it reads the
 * setup only if the rules changed.
 */
const diskReader = (api: TuiPluginApi) => {
  let reader: { key: string; read: (isFresh: boolean) => Promise<RulesBeforeSession> } | undefined
  const readDisk = async (): Promise<Disk> => {
    const { directory, worktree } = api.state.path
    const workspace = { directory, worktree }
    const { faults: setupFaults, active, isProjectEntry, options } = await readSetup({
      ...workspace,
      version: api.app.version,
      config: api.state.ready ? api.state.config : undefined,
    })
    if (options === null) return { ...EMPTY_DISK, isUnloaded: true, setupFaults }
    if (options.rules === false) return { ...EMPTY_DISK, isOff: true, setupFaults }
    const { instructions, default_agent, model } = api.state.config
    const key = JSON.stringify([workspace, options.rules, instructions, default_agent, model])
    if (reader?.key !== key) {
      const config = { instructions, default_agent, model } as HostConfig
      reader = { key, read: await rulesBeforeSessionReader(workspace, options.rules ?? {}, config) }
    }
    const rulesBefore = await reader.read(true)
    const isProjectHere = await isFolder(projectRoot(workspace))
    // A folder that an entry for all projects names may be missing in this one.
    const missing = isProjectEntry ? rulesBefore.missing : []
    return { ...EMPTY_DISK, ...rulesBefore, isProjectHere, missing, setupFaults, active }
  }
  const readChanges = async (lastDisk: Disk): Promise<Disk> => {
    if (reader === undefined || lastDisk.isOff || lastDisk.isUnloaded) return lastDisk
    const { rules } = await reader.read(false)
    return rules === lastDisk.rules ? lastDisk : readDisk()
  }
  return { readDisk, readChanges }
}

const PALETTE = { category: 'SAT', namespace: 'palette' }

/** Creates the commands for the list that opens in the prompt. */
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

type PartsOf = ReturnType<typeof partsReader>

/**
 * Creates `readNextRules`, which computes the rules of a session's next request if the disk has new ones, and
 * `nextRulesOf`, which returns them.
 */
const nextRulesReader = (api: TuiPluginApi, partsOf: PartsOf) => {
  const [nextRules, setNextRules] = createSignal<{ session: string; rules: SessionRules } | undefined>(
    undefined,
  )
  const nextRulesOf = (session: string | undefined): SessionRules | undefined =>
    nextRules()?.session === session ? nextRules()?.rules : undefined
  const readNextRules = async (session: string, { rules, rulesIn }: Disk) => {
    const isNew = newOnDisk(readSessionRules(partsOf(session)) ?? NO_RULES, rules).length > 0
    const history = isNew && rulesIn ? await readHistory(api, session) : undefined
    setNextRules(history && rulesIn && { session, rules: await rulesIn(history) })
  }
  return { nextRulesOf, readNextRules }
}

/**
 * Creates `readFixed`, which finds the lines that broke a rule at the last request and no longer do, and `fixed`, which
 * returns their keys.
 */
const fixedViolationsReader = (api: TuiPluginApi, partsOf: PartsOf) => {
  const [fixed, setFixed] = createSignal(new Set<string>())
  const readFixed = async (session: string, { allRules }: Disk) => {
    const broken = readSessionRules(partsOf(session))?.broken ?? []
    const worktree = projectRoot(api.state.path)
    const unresolvedKeys = (await unresolvedIn(broken, { worktree }, allRules)).map(violationKey)
    const fixedKeys = broken.map(violationKey).filter((key) => !unresolvedKeys.includes(key))
    if (fixedKeys.some((key) => !fixed().has(key)) || fixedKeys.length < fixed().size) {
      setFixed(new Set(fixedKeys))
    }
  }
  return { fixed, readFixed }
}

/** Creates the functions that return the views of sessions, and `read`, which reads the disk for them. */
const sessionViewer = (api: TuiPluginApi) => {
  const [disk, setDisk] = createSignal(EMPTY_DISK)
  // The folders and files of other tools that the person added to the config. They are no longer offered.
  const [addedPaths, setAddedPaths] = createSignal<Array<string>>([])
  const partsOf = partsReader(api)
  const { nextRulesOf, readNextRules } = nextRulesReader(api, partsOf)
  const { fixed, readFixed } = fixedViolationsReader(api, partsOf)
  const viewOf = (session: string | undefined, off?: ReadonlySet<string>): SessionView => {
    const parts = session === undefined ? [] : partsOf(session)
    const {
      rules: rulesBeforeSession,
      missing,
      isOff,
      isUnloaded,
      isProjectHere,
      setupFaults,
    } = disk()
    const rules = {
      ...nextRulesOf(session) ?? rulesBeforeSession,
      folders: rulesBeforeSession.folders.filter((path) => !addedPaths().includes(path)),
    }
    const sentRules = isUnloaded ? null : readSessionRules(parts, off)
    const shownRules = parts.length > 0
      ? withDisk(sentRules ?? { ...NO_RULES, instructions: rules.instructions }, rules, isProjectHere)
      : rules
    return {
      ...activityIn(parts),
      rules: { ...shownRules, broken: shownRules.broken.filter((line) => !fixed().has(violationKey(line))) },
      isSent: sentRules !== null,
      isOff,
      isUnloaded,
      faults: [...setupFaults, ...missing.map(markName).map(missingFolderFault)],
    }
  }
  const entryInput: EntryInput = {
    pathOf: (file) => disk().pathOf(file),
    ruleNamed: (name) => disk().allRules?.find((rule) => rule.name === name),
  }
  const inputOf = (session: string | undefined): RulesInput => ({
    ...entryInput,
    view: (off) => viewOf(session, off),
    active: disk().active,
    switches: () => session === undefined ? undefined : switchedOffPartIn(session, partsOf(session)),
    onAdded: (offer) => setAddedPaths([...addedPaths(), offer]),
  })
  /** Reads the disk with one of the functions of `diskReader`. A failure must not end the terminal. */
  const read = async (readFrom: (last: Disk) => Promise<Disk>, session: string | undefined) => {
    try {
      const last = disk()
      setDisk(await readFrom(last))
      if (session === undefined) return
      if (disk() !== last || !nextRulesOf(session)) await readNextRules(session, disk())
      await readFixed(session, disk())
    } catch {}
  }
  return { disk, viewOf, inputOf, entryInput, read }
}

const NO_COMMANDS = '/rules and /rules-backups need OpenCode 1.15 or newer'

/**
 * The terminal plugin: a section in the sidebar, lists of rules and of backups, and a toast about faults of the setup.
 */
const tui: TuiPlugin = async (api) => {
  const { disk, viewOf, inputOf, entryInput, read } = sessionViewer(api)
  const { readDisk, readChanges } = diskReader(api)
  const readAll = () => read(readDisk, shownSession(api))
  api.slots.register({
    order: ORDER,
    slots: {
      sidebar_content: (_: unknown, { session_id }: { session_id: string }) => (
        <Panel
          api={api}
          view={createMemo(() => viewOf(session_id))}
          open={(entry) => void showEntry(api, entry, entryInput)}
        />
      ),
    },
  })
  const openRules = async () => {
    await readAll()
    showRules(api, inputOf(shownSession(api)))
  }
  // Before OpenCode 1.15, plugins cannot add commands to the prompt.
  const { keymap }: Partial<typeof api> = api
  if (keymap) api.lifecycle.onDispose(keymap.registerLayer({ commands: commandsOf(api, openRules) }))
  else api.ui.toast({ variant: 'warning', title: 'SAT', message: NO_COMMANDS })
  api.lifecycle.onDispose(api.event.on('session.idle', () => void readAll()))
  let isReading = false
  const pollRules = async () => {
    const session = shownSession(api)
    if (isReading || !(session ?? api.ui.dialog.open)) return
    isReading = true
    await read(readChanges, session)
    isReading = false
  }
  const timer = setInterval(() => void pollRules(), POLL_MS)
  timer.unref()
  api.lifecycle.onDispose(() => clearInterval(timer))
  void readAll().then(() => {
    // Excludes missing folders: the server half reports them with the first message.
    const message = wrapToast(disk().setupFaults.map(({ note }) => note).join('\n'))
    if (message !== '') api.ui.toast({ variant: 'warning', title: 'SAT', message, duration: TOAST_MS })
  })
}

export default { id: 'opencode-sat', tui } satisfies TuiPluginModule
