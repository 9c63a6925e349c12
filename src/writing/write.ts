/** The folder `writing/`: changes the person's files, with permission and backup. */
import { dirname, join } from 'node:path'
import type { Workspace } from '../paths/boundary.ts'
import { pathExists, realPathOf } from '../paths/real-path.ts'
import { stateFolder } from '../paths/user-folders.ts'
import { fail, ok, type Result, safeAsync } from '../safe.ts'
import {
  bomOf,
  fingerprintOf,
  isSameText,
  isUnchangedSince,
  MAX_BYTES,
  type ReadText,
  readText,
  withoutBom,
} from '../text/read.ts'
import type { Refusal } from './ask-host.ts'
import type { Permissions } from './ask-permission.ts'
import { replaceFile, whyNotReplaceable } from './atomic-replace.ts'
import { backUp } from './backup.ts'
import { acquireLockFile } from './lock-file.ts'
import type { ChangeKind, ShownToSession } from './shown-files.ts'
import { DISCOVER_AGAIN, NOT_SHOWN, ShownFiles, whyNotAllowed } from './shown-files.ts'

/** What a call needs to write files: its folders, its permissions, and the files shown to the session. */
export type WriteContext = ShownToSession & {
  workspace: Workspace
  permissions: Pick<Permissions, 'askToEnter' | 'askToEdit'>
  /** SAT's folder for backups, locks and temporary files. */
  state: string
  abort: AbortSignal
}

/** For a caller without a session, the file counts as shown and everything is permitted. */
export const unguardedWriteContext = (path: string): WriteContext => {
  const discovered = new ShownFiles(new Set([path]))
  return {
    workspace: { directory: dirname(path), worktree: dirname(path) },
    permissions: { askToEnter: async () => ok(null), askToEdit: async () => ok(null) },
    discovered,
    shownAtStart: discovered,
    state: stateFolder(),
    abort: new AbortController().signal,
  }
}

export type Change = {
  kind: ChangeKind
  path: string
  /** Called before and after SAT asks for permission, with null if the file is missing. */
  toBytes: (current: ReadText | null, realPath: string) => Promise<Result<Uint8Array>>
}

/** Keeps the file's byte-order mark, which `toText` does not get. */
export const changeText =
  (toText: (text: string) => Result<string> | Promise<Result<string>>): Change['toBytes'] =>
  async (current) => {
    const text = current?.text ?? ''
    const { data, error } = await toText(withoutBom(text))
    return error === null ? ok(Buffer.from(bomOf(text) + data)) : fail(error)
  }

export type Written = {
  status: 'success'
  error?: undefined
  path: string
  before: string
  after: string
  /** Null for an addition, for a new file, and for a file that already had the new text. */
  backup: string | null
}

export type Unwritten = { path: string } & Refusal
type Outcome = Result<Written, Refusal>

const refuse = (status: Refusal['status'], error: string) => fail<Refusal>({ status, error })

const STOPPED = refuse('stopped', 'the call was stopped before it wrote this file')
const LEADS_ELSEWHERE = refuse('refused', `it leads to another file now. ${DISCOVER_AGAIN}`)
const CHANGED_MEANWHILE = refuse('refused', `it changed while SAT waited for permission. ${DISCOVER_AGAIN}`)

type Plan = { current: ReadText | null; before: string; after: string; bytes: Uint8Array }

/** `realPath` is the file's real path at the start of the call. */
type Task = { context: WriteContext; change: Change; realPath: string }

/** Returns null for a missing file, which only a restore may create. */
const readCurrent = async (
  { context, change, realPath }: Task,
  when: string,
): Promise<Result<ReadText | null, Refusal>> => {
  if (change.kind === 'restore' && !(await pathExists(realPath))) return ok(null)
  const current = await readText(realPath)
  if (current.error !== null) return refuse('readError', current.error)
  if (current.data.realPath !== realPath) return LEADS_ELSEWHERE
  const reason = whyNotAllowed(context, change, current.data, when) ?? await whyNotReplaceable(realPath)
  return reason === null ? current : refuse('refused', reason)
}

const planChange = async (task: Task, when: string): Promise<Result<Plan, Refusal>> => {
  if (task.context.abort.aborted) return STOPPED
  const current = await readCurrent(task, when)
  if (current.error !== null) return current
  const { data: bytes, error } = await task.change.toBytes(current.data, task.realPath)
  if (error !== null) return refuse('refused', error)
  if (bytes.length > MAX_BYTES) {
    return refuse('refused', `it would have ${bytes.length} bytes; at most ${MAX_BYTES} are written`)
  }
  const [before, after] = [current.data?.text ?? '', Buffer.from(bytes).toString()]
  return ok({ current: current.data, before, after, bytes })
}

const changesNothing = ({ current, after }: Plan): boolean => current?.text === after

const planAndAsk = async (task: Task): Promise<Result<Plan, Refusal>> => {
  const { context: { discovered, permissions }, change: { kind, path }, realPath } = task
  // Passes no fingerprint, because a file that was never shown is unknown, whatever it contains.
  const isUnknown = discovered.knowledgeOf(path, realPath, '') === 'unknown'
  if (isUnknown && kind !== 'restore') return refuse('refused', NOT_SHOWN)
  // To see whether an unknown file is missing, SAT must enter its folder.
  const entered = isUnknown ? await permissions.askToEnter(realPath) : ok(null)
  if (entered.error !== null) return entered
  const planned = await planChange(task, 'since discover-rules showed it')
  if (planned.error !== null || changesNothing(planned.data)) return planned
  const { before, after } = planned.data
  const permitted = await permissions.askToEdit(path, { kind, realPath, before, after })
  return permitted.error === null ? planned : permitted
}

/** If the session knew the old text, it also knows the new text. */
const recordText = ({ context: { discovered }, change, realPath }: Task, { current, bytes }: Plan): void => {
  const mustKnow = current?.bytes ?? bytes
  const knowledge = discovered.knowledgeOf(change.path, realPath, fingerprintOf(mustKnow))
  // An addition keeps the beginning that was shown, but a restore may change it.
  const knowsOnlyBeginning = knowledge === 'part' && change.kind === 'addition'
  if (knowledge === 'whole' || knowsOnlyBeginning) {
    discovered.record(realPath, fingerprintOf(bytes), knowsOnlyBeginning)
  }
}

const backUpAndReplace = async (task: Task, plan: Plan, isHeld: () => Promise<boolean>): Promise<Outcome> => {
  const { context: { state }, change: { kind, path }, realPath } = task
  const { current, before, after, bytes } = plan
  const saveBackup = async () => current && backUp(state, realPath, current.bytes, new Date(), kind)
  // If an addition overwrites the file in place, `backUpFirst` saves a backup.
  const backup = kind === 'addition' ? ok(null) : await safeAsync(saveBackup)
  if (backup.error !== null) {
    const reason = `nothing was written, because its backup could not be saved in ${state}: ${backup.error}`
    return refuse('writeError', reason)
  }
  const isUnchanged = async () => current ? isUnchangedSince(current) : !(await pathExists(realPath))
  const mayReplace = async () => await isHeld() && isUnchanged()
  const options = { scratch: join(state, 'tmp'), mayReplace, backUpFirst: saveBackup }
  const replaced = await safeAsync(() => replaceFile(realPath, bytes, options))
  if (replaced.error !== null) return refuse('writeError', replaced.error)
  if (!replaced.data) return CHANGED_MEANWHILE
  recordText(task, plan)
  return ok({ status: 'success', path, before, after, backup: backup.data })
}

const withLock = async (
  { context: { state, abort }, realPath }: Task,
  work: (isHeld: () => Promise<boolean>) => Promise<Outcome>,
): Promise<Outcome> => {
  const path = join(state, 'locks', fingerprintOf(Buffer.from(realPath)).slice(0, 32))
  const lock = await safeAsync(() => acquireLockFile(path, abort))
  if (lock.error !== null) {
    const reason = `nothing was written, because no lock file can be created in ${state}: ${lock.error}`
    return abort.aborted ? STOPPED : refuse('writeError', reason)
  }
  return work(lock.data.isHeld).finally(() => lock.data.release())
}

/**
 * Asks the person, saves a backup and replaces the file. Never throws, but refuses if the session does not know the
 * present text (see `ChangeKind`).
 */
export const writeFile = async (context: WriteContext, change: Change): Promise<Written | Unwritten> => {
  const { data: outcome, error: thrown } = await safeAsync(async (): Promise<Outcome> => {
    const task = { context, change, realPath: await realPathOf(change.path) }
    const planned = await planAndAsk(task)
    if (planned.error !== null) return planned
    const { current, before, after } = planned.data
    if (changesNothing(planned.data)) {
      return ok({ status: 'success', path: change.path, before, after, backup: null })
    }
    // The lock is acquired only after the answer, so that an open question blocks no other writer.
    return withLock(task, async (isHeld) => {
      const replanned = await planChange(task, 'while SAT waited for permission')
      if (replanned.error !== null) return replanned
      return change.kind === 'addition' || isSameText(replanned.data.current, current)
        ? backUpAndReplace(task, replanned.data, isHeld)
        : CHANGED_MEANWHILE
    })
  })
  const { data, error } = thrown === null ? outcome : refuse('writeError', thrown)
  return data ?? { path: change.path, ...error }
}
