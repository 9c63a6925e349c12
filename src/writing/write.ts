/** The folder `writing/`: changes the person's files. `writeFile` below makes all changes but those of formatters. */
import { join } from 'node:path'
import { pathExists, realPathOf } from '../paths/real-path.ts'
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
import type { Refusal } from './ask-permission.ts'
import { replaceFile, whyIrreplaceable } from './atomic-replace.ts'
import { backUp } from './backup.ts'
import { acquireLockFile } from './lock-file.ts'
import { type ChangeKind, DISCOVER_AGAIN, type Moment, NOT_SHOWN, whyNotAllowed } from './shown-files.ts'
import type { WriteContext } from './write-context.ts'

export type Change = {
  kind: ChangeKind
  path: string
  /** Creates the new bytes from the present file (null if missing). Runs before and after the person is asked. */
  toBytes: (current: ReadText | null, realPath: string) => Promise<Result<Uint8Array>>
}

/** Creates a `toBytes` that changes the text. `toText` gets the text without its byte-order mark, which stays. */
export const changeText =
  (toText: (text: string) => Result<string> | Promise<Result<string>>): Change['toBytes'] =>
  async (current) => {
    const text = current?.text ?? ''
    const { data, error } = await toText(withoutBom(text))
    return error === null ? ok(Buffer.from(bomOf(text) + data)) : fail(error)
  }

/** `backup` is null for an addition, and if the old text was missing or the same. */
export type Written = {
  status: 'success'
  error?: undefined
  path: string
  before: string
  after: string
  backup: string | null
}

export type Unwritten = { path: string } & Refusal

const refuse = (status: Refusal['status'], error: string) => fail<Refusal>({ status, error })

const STOPPED = refuse('stopped', 'the call was stopped before this file')
const CHANGED_MEANWHILE = refuse('refused', `it changed while permission was asked for. ${DISCOVER_AGAIN}`)

type Plan = { current: ReadText | null; before: string; after: string; bytes: Uint8Array }

type Task = { context: WriteContext; change: Change; realPath: string }

/** Reads the file to change; returns null for a missing file, which only a restore may create. */
const readCurrent = async (
  { context, change, realPath }: Task,
  moment: Moment,
): Promise<Result<ReadText | null, Refusal>> => {
  if (change.kind === 'restore' && !(await pathExists(realPath))) return ok(null)
  const current = await readText(realPath)
  if (current.error !== null) return refuse('readError', current.error)
  if (current.data.realPath !== realPath) {
    return refuse('refused', `it leads to another file now. ${DISCOVER_AGAIN}`)
  }
  const reason = whyNotAllowed(context, change, current.data, moment) ?? await whyIrreplaceable(realPath)
  return reason === null ? current : refuse('refused', reason)
}

const planChange = async (task: Task, moment: Moment): Promise<Result<Plan, Refusal>> => {
  if (task.context.abort.aborted) return STOPPED
  const current = await readCurrent(task, moment)
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
  // The fingerprint does not matter here: a file that was never shown is unknown whatever it contains.
  if (discovered.knowledgeOf(path, realPath, '') === 'unknown') {
    if (kind !== 'restore') return refuse('refused', NOT_SHOWN)
    // A file outside the project that was never shown is read only with the person's permission.
    const entered = await permissions.askToEnter(realPath)
    if (entered.error !== null) return entered
  }
  const planned = await planChange(task, 'since discover-rules showed it')
  if (planned.error !== null || changesNothing(planned.data)) return planned
  const { before, after } = planned.data
  const permitted = await permissions.askToEdit(path, { kind, realPath, before, after })
  return permitted.error === null ? planned : permitted
}

const backUpAndReplace = async (
  { context: { discovered, state }, change: { kind, path }, realPath }: Task,
  { current, before, after, bytes }: Plan,
  isHeld: () => Promise<boolean>,
): Promise<Result<Written, Refusal>> => {
  const saveBackup = async () => current && backUp(state, realPath, current.bytes, new Date(), kind)
  // An addition needs no backup, unless it is written in place: `backUpFirst` then makes one.
  const backup = kind === 'addition' ? ok(null) : await safeAsync(saveBackup)
  if (backup.error !== null) {
    const reason = `nothing was written, because its backup could not be saved in ${state}: ${backup.error}`
    return refuse('writeError', reason)
  }
  const mayReplace = async () =>
    current === null ? !(await pathExists(realPath)) : await isHeld() && isUnchangedSince(current)
  const replaced = await safeAsync(() =>
    replaceFile(realPath, bytes, { scratch: join(state, 'tmp'), mayReplace, backUpFirst: saveBackup })
  )
  if (replaced.error !== null) return refuse('writeError', replaced.error)
  if (!replaced.data) return CHANGED_MEANWHILE
  // If the session knew the old text, it knows the new one. A missing file has none, so the restored text decides.
  const knowledge = discovered.knowledgeOf(path, realPath, fingerprintOf(current?.bytes ?? bytes))
  // An addition is allowed even if the session did not know the old text. Then it does not know the new one, either.
  if (knowledge === 'whole' || kind === 'addition' && knowledge === 'part') {
    discovered.record(realPath, fingerprintOf(bytes), knowledge === 'part')
  }
  return ok({ status: 'success', path, before, after, backup: backup.data })
}

const withLock = async (
  { context: { state, abort }, realPath }: Task,
  work: (isHeld: () => Promise<boolean>) => Promise<Result<Written, Refusal>>,
): Promise<Result<Written, Refusal>> => {
  const path = join(state, 'locks', fingerprintOf(Buffer.from(realPath)).slice(0, 32))
  const lock = await safeAsync(() => acquireLockFile(path, abort))
  if (lock.error !== null) {
    const reason = `nothing was written, because no lock file can be created in ${state}: ${lock.error}`
    return abort.aborted ? STOPPED : refuse('writeError', reason)
  }
  return work(lock.data.isHeld).finally(() => lock.data.release())
}

/** Changes a person's file, if the session knows its text (see `ChangeKind`) and the person agrees. Never throws. */
export const writeFile = async (context: WriteContext, change: Change): Promise<Written | Unwritten> => {
  const written = await safeAsync(async (): Promise<Result<Written, Refusal>> => {
    const task = { context, change, realPath: await realPathOf(change.path) }
    const planned = await planAndAsk(task)
    if (planned.error !== null) return planned
    const { current, before, after } = planned.data
    if (changesNothing(planned.data)) {
      return ok({ status: 'success', path: change.path, before, after, backup: null })
    }
    // The lock starts only after the answer, so that an open question blocks no other writer.
    return withLock(task, async (isHeld) => {
      const replanned = await planChange(task, 'while permission was asked for')
      if (replanned.error !== null) return replanned
      const isSame = isSameText(replanned.data.current, current)
      // An addition is made all the same, because it removes nothing that was written in the meantime.
      return isSame || change.kind === 'addition'
        ? backUpAndReplace(task, replanned.data, isHeld)
        : CHANGED_MEANWHILE
    })
  })
  const { data, error } = written.error === null ? written.data : refuse('writeError', written.error)
  return data ?? { path: change.path, ...error }
}
