import { join } from 'node:path'
import { isThere, realPathOf } from '../paths/real-path.ts'
import { fail, ok, reasonOf, type Result, safeAsync } from '../safe.ts'
import {
  BYTE_ORDER_MARK,
  fingerprintOf,
  isSameText,
  MAX_BYTES,
  type ReadText,
  readText,
} from '../text/read.ts'
import { createFile, replaceFile, whyIrreplaceable } from './atomic-replace.ts'
import { backUp } from './backup.ts'
import { type ChangeKind, DISCOVER_AGAIN, type Moment, NOT_SHOWN, whyUnknown } from './guard.ts'
import { takeLockFile } from './lock-file.ts'
import { withLock } from './lock.ts'
import type { Refusal, WriteContext } from './write-context.ts'

/** One change of one file. */
export type Change = {
  kind: ChangeKind
  path: string
  /** Makes the new bytes of what the file says now, null where it is not there. It runs again after the question. */
  toBytes: (current: ReadText | null, realPath: string) => Promise<Result<Uint8Array>>
}

/** Makes the `toBytes` of a change of text. `toText` gets and gives text without a byte-order mark, which stays. */
export const toTextOf = (toText: (text: string) => string): Change['toBytes'] => async (current) => {
  const text = current?.text ?? ''
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  return ok(Buffer.from(mark + toText(text.slice(mark.length))))
}

/** What became of a file that was written: its text before and after, and the path of the backup if one was made. */
export type Written = {
  realPath: string
  before: string
  after: string
  backup: string | null
  /** Whether the session knew all of what the file said before. */
  isKnown: boolean
}

const refuse = (status: Refusal['status'], error: string) => fail<Refusal>({ status, error })

/** What a file says, null where it is not there, and what a change makes of it. */
type Planned = { realPath: string; current: ReadText | null; after: Uint8Array }

const read = async (
  writeContext: WriteContext,
  change: Change,
  realPath: string,
  moment: Moment,
): Promise<Result<ReadText | null, Refusal>> => {
  if (change.kind === 'restore' && !(await isThere(realPath))) return ok(null)
  const current = await readText(realPath)
  if (current.error !== null) return refuse('readError', current.error)
  if (current.data.realPath !== realPath) {
    return refuse('refused', `it leads to another file now. ${DISCOVER_AGAIN}`)
  }
  const reason = whyUnknown(writeContext, change, current.data, moment) ?? await whyIrreplaceable(realPath)
  return reason === null ? current : refuse('refused', reason)
}

const STOPPED = refuse('stopped', 'the call was stopped before this file')

/** Reads the file as it is now and makes its new bytes; changes nothing. */
const plan = async (
  writeContext: WriteContext,
  change: Change,
  realPath: string,
  moment: Moment,
): Promise<Result<Planned, Refusal>> => {
  if (writeContext.abort.aborted) return STOPPED
  const current = await read(writeContext, change, realPath, moment)
  if (current.error !== null) return current
  const after = await change.toBytes(current.data, realPath)
  if (after.error !== null) return refuse('refused', after.error)
  return after.data.length > MAX_BYTES
    ? refuse('refused', `it would have ${after.data.length} bytes; at most ${MAX_BYTES} are written`)
    : ok({ realPath, current: current.data, after: after.data })
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

const CHANGED_MEANWHILE = refuse(
  'refused',
  `it changed while permission was asked for. ${DISCOVER_AGAIN}`,
)

const put = async (
  writeContext: WriteContext,
  { realPath, current, after }: Planned,
  isHeld: () => Promise<boolean>,
): Promise<boolean> => {
  if (current === null) return createFile(realPath, after)
  const mayReplace = async () => {
    const now = await readText(realPath)
    return now.data?.realPath === realPath && isSameText(now.data, current) && await isHeld()
  }
  return replaceFile(realPath, after, { scratch: join(writeContext.state, 'tmp'), mayReplace })
}

const putAndRemember = async (
  writeContext: WriteContext,
  { kind, path }: Change,
  planned: Planned,
  isHeld: () => Promise<boolean>,
): Promise<Result<Written, Refusal>> => {
  const { realPath, current, after } = planned
  const { discovered, state } = writeContext
  const backup = kind === 'append' || current === null
    ? ok(null)
    : await safeAsync(() => backUp(state, realPath, current.bytes, new Date()))
  if (backup.error !== null) {
    return refuse(
      'writeError',
      `nothing was written, for its backup could not be kept in ${state}: ${backup.error}`,
    )
  }
  const isPut = await safeAsync(() => put(writeContext, planned, isHeld))
  if (isPut.error !== null) return refuse('writeError', isPut.error)
  if (!isPut.data) return CHANGED_MEANWHILE
  const isKnown = current === null
    || discovered.knows(path, realPath, fingerprintOf(current.bytes)) === 'whole'
  // A session that was not shown the text before does not know the whole after its own addition.
  if (isKnown || kind === 'restore') discovered.remember(realPath, fingerprintOf(after))
  const before = current?.text ?? ''
  return ok({ realPath, before, after: textOf(after), backup: backup.data, isKnown })
}

// 128 bits of the fingerprint of a file's path name its lock.
const LOCK_DIGITS = 32

/** Runs `work` while no other writer of SAT's, in this process or another, can change the file. */
const withFile = (
  { state, abort }: WriteContext,
  realPath: string,
  work: (isHeld: () => Promise<boolean>) => Promise<Result<Written, Refusal>>,
): Promise<Result<Written, Refusal>> =>
  withLock(realPath, async () => {
    const path = join(state, 'locks', fingerprintOf(Buffer.from(realPath)).slice(0, LOCK_DIGITS))
    const lock = await safeAsync(() => takeLockFile(path, abort))
    if (abort.aborted) {
      await lock.data?.release()
      return STOPPED
    }
    if (lock.error !== null) {
      return refuse(
        'writeError',
        `nothing was written, for no lock and no backup can be kept in ${state}: ${lock.error}`,
      )
    }
    return work(lock.data.isHeld).finally(() => lock.data.release())
  })

/** Plans the change of a file and asks the person for it; gives the plan. */
const planPermitted = async (
  writeContext: WriteContext,
  change: Change,
  realPath: string,
): Promise<Result<Planned, Refusal>> => {
  if (writeContext.discovered.knows(change.path, realPath, '') === 'unknown') {
    if (change.kind !== 'restore') return refuse('refused', NOT_SHOWN)
    // A file outside the project that was never shown is read only after the person allowed it.
    const entered = await writeContext.permissions.toEnter(realPath)
    if (entered.error !== null) return entered
  }
  const planned = await plan(writeContext, change, realPath, 'since discover-rules showed it')
  if (planned.error !== null) return planned
  const { current, after } = planned.data
  const difference = { realPath, before: current?.text ?? '', after: textOf(after) }
  const permitted = await writeContext.permissions.toEdit(change.path, difference)
  return permitted.error === null ? planned : permitted
}

/** How often an addition is tried again where an editor or another program writes the file meanwhile. */
const MORE_TRIES = 3

const writeTo = async (
  writeContext: WriteContext,
  change: Change,
  realPath: string,
): Promise<Result<Written, Refusal>> => {
  const planned = await planPermitted(writeContext, change, realPath)
  if (planned.error !== null) return planned
  // The person may have taken an hour to answer. No lock was held meanwhile, so all is looked at again.
  const putAgain = async (isHeld: () => Promise<boolean>): Promise<Result<Written, Refusal>> => {
    const again = await plan(writeContext, change, realPath, 'while permission was asked for')
    if (again.error !== null) return again
    const isSame = isSameText(again.data.current, planned.data.current)
    // An addition takes nothing away from what was written meanwhile.
    if (!isSame && change.kind !== 'append') return CHANGED_MEANWHILE
    return putAndRemember(writeContext, change, again.data, isHeld)
  }
  return withFile(writeContext, realPath, async (isHeld) => {
    let written = await putAgain(isHeld)
    const mayTryAgain = () => change.kind === 'append' && written.error === CHANGED_MEANWHILE.error
    for (let more = MORE_TRIES; more > 0 && mayTryAgain(); more--) written = await putAgain(isHeld)
    return written
  })
}

/**
 * Changes a person's file; every change of one goes through here (spec.md, Guard and Nothing is lost). The file must
 * have been shown to the session and be unchanged since; the person is asked; what it says is backed up; then it is
 * replaced as a whole. The file is locked only after the answer, so that nobody waits for another's open question.
 *
 * @returns what was written, or why nothing was; it never throws
 */
export const writeFile = async (
  writeContext: WriteContext,
  change: Change,
): Promise<Result<Written, Refusal>> => {
  try {
    return await writeTo(writeContext, change, await realPathOf(change.path))
  } catch (thrown) {
    return refuse('writeError', reasonOf(thrown))
  }
}
