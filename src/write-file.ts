import { realpathSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { backUp, stateFolder } from './backup.ts'
import { editPattern, externalPattern, isInside, type Place } from './boundary.ts'
import { DiscoveredFiles } from './discovered-files.ts'
import { BYTE_ORDER_MARK, fingerprintOf, MAX_BYTES, type ReadText, readText } from './read-text.ts'
import { replaceFile } from './replace-file.ts'
import { fail, ok, reasonOf, type Result, safe, safeAsync } from './safe.ts'
import { unifiedDiff } from './unified-diff.ts'

/** A question to the person's permissions, as the host takes it; it throws where the answer is no. */
export type Ask = (question: {
  permission: string
  patterns: Array<string>
  always: Array<string>
  metadata: Record<string, unknown>
}) => Promise<void>

/** What one call of a tool writes under: where it is, whom it asks, what was shown to the model. */
export type Door = {
  place: Place
  ask: Ask
  /** Paths that discover-rules showed; with fingerprints where it is a `DiscoveredFiles`. */
  discovered: Set<string>
  /** SAT's own folder for backups and files in the making. */
  state: string
  abort: AbortSignal
}

/**
 * The door for a caller outside a session: the paths that it names are its own choice and nobody is asked. All that
 * keeps a file whole holds as ever.
 */
export const doorTo = (path: string): Door => ({
  place: { directory: dirname(path), worktree: dirname(path) },
  ask: async () => {},
  discovered: new Set([path]),
  state: stateFolder(),
  abort: new AbortController().signal,
})

/** One change of one file. */
export type Change =
  & {
    path: string
    /** Whether what the file says now is kept as a backup first. */
    backup: boolean
  }
  & (
    /** The new text from the current one; neither has a byte-order mark. */
    | { toText: (text: string) => string }
    /** The new bytes, UTF-8. */
    | { bytes: Buffer }
  )

export type Written = { realPath: string; before: string; after: string; backup: string | null }

/** Why a file was not written; `thrown` is the host's own error where a permission was refused. */
export type Refusal = {
  status: 'readError' | 'writeError' | 'refused' | 'stopped'
  error: string
  thrown?: unknown
}

const refuse = (status: Refusal['status'], error: string) => fail<Refusal>({ status, error })

const DISCOVER_AGAIN = 'Call discover-rules again to see what it says now, then call this tool again.'

// One file, one writer at a time: each sees the last one's result.
const queues = new Map<string, Promise<unknown>>()

const inTurn = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
  const mine = (queues.get(key) ?? Promise.resolve()).then(work, work)
  const settled = mine.catch(() => {})
  queues.set(key, settled)
  try {
    return await mine
  } finally {
    if (queues.get(key) === settled) queues.delete(key)
  }
}

const wasDiscovered = ({ discovered }: Door, path: string, realPath: string): boolean =>
  discovered.has(realPath) || discovered.has(path)

const stillSays = ({ discovered }: Door, { realPath, bytes }: ReadText): boolean =>
  !(discovered instanceof DiscoveredFiles) || discovered.stillSays(realPath, fingerprintOf(bytes))

const putQuestions = async (door: Door, { realPath, text }: ReadText, after: string): Promise<void> => {
  if (!isInside(door.place, realPath)) {
    const pattern = externalPattern(realPath)
    const metadata = { filepath: realPath }
    await door.ask({ permission: 'external_directory', patterns: [pattern], always: [pattern], metadata })
  }
  const pattern = editPattern(door.place, realPath)
  const metadata = { filepath: realPath, diff: await unifiedDiff(pattern, text, after) }
  await door.ask({ permission: 'edit', patterns: [pattern], always: ['*'], metadata })
}

const askPermission = async (
  door: Door,
  current: ReadText,
  after: string,
): Promise<Result<null, Refusal>> => {
  try {
    await putQuestions(door, current, after)
    return ok(null)
  } catch (thrown) {
    return fail({ status: 'refused', error: `permission refused: ${reasonOf(thrown)}`, thrown })
  }
}

// A person may have taken an hour to answer the question.
const changedMeanwhile = async (current: ReadText): Promise<boolean> => {
  const now = await readText(current.realPath)
  return now.error !== null || !now.data.bytes.equals(current.bytes)
}

const toBytes = (current: ReadText, toText: (text: string) => string): Buffer => {
  const mark = current.text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  return Buffer.from(mark + toText(current.text.slice(mark.length)))
}

const writeInTurn = async (
  door: Door,
  change: Change,
  realPath: string,
): Promise<Result<Written, Refusal>> => {
  const stopped = refuse('stopped', 'the call was stopped before this file')
  if (door.abort.aborted) return stopped

  const current = await readText(realPath)
  if (current.error !== null) return refuse('readError', current.error)
  if (!stillSays(door, current.data)) {
    return refuse('refused', `it changed since discover-rules showed it. ${DISCOVER_AGAIN}`)
  }
  const { mode, nlink } = await stat(realPath)
  // A rename needs no right to the file itself; a person who took that right away meant it.
  if ((mode & 0o222) === 0) return refuse('refused', 'it is marked read-only')
  if (nlink > 1) {
    return refuse(
      'refused',
      `it has ${nlink} hard links; writing it safely would part them, so a person has to do it`,
    )
  }
  const after = 'bytes' in change ? change.bytes : toBytes(current.data, change.toText)
  if (after.length > MAX_BYTES) {
    return refuse('refused', `it would have ${after.length} bytes; at most ${MAX_BYTES} are written`)
  }

  const permitted = await askPermission(door, current.data, after.toString())
  if (permitted.error !== null) return permitted
  if (door.abort.aborted) return stopped
  if (await changedMeanwhile(current.data)) {
    return refuse('refused', `it changed while permission was asked for. ${DISCOVER_AGAIN}`)
  }

  const backup = change.backup
    ? await safeAsync(() => backUp(door.state, realPath, current.data.bytes, new Date()))
    : ok(null)
  if (backup.error !== null) {
    return refuse(
      'writeError',
      `nothing was written, for its backup could not be kept in ${door.state}: ${backup.error}`,
    )
  }
  const replaced = await safeAsync(() => replaceFile(realPath, after, join(door.state, 'tmp')))
  if (replaced.error !== null) return refuse('writeError', replaced.error)

  if (door.discovered instanceof DiscoveredFiles) door.discovered.remember(realPath, fingerprintOf(after))
  return ok({ realPath, before: current.data.text, after: after.toString(), backup: backup.data })
}

/**
 * The one door through which SAT changes a person's file: discovered and unchanged since, read as text, permitted,
 * backed up, then replaced as a whole. Writers of one file queue (spec.md, Guard and Nothing is lost).
 *
 * Nothing is thrown; a file that was not written is untouched and the refusal says why.
 */
export const writeFile = async (door: Door, change: Change): Promise<Result<Written, Refusal>> => {
  // Not awaited, so that writers of one file stand in the queue as they came.
  const realPath = safe(() => realpathSync(change.path))
  if (realPath.error !== null) return refuse('readError', realPath.error)
  if (!wasDiscovered(door, change.path, realPath.data)) {
    return refuse(
      'refused',
      'discover-rules has not shown it. Call discover-rules first (with this path in "files" if it shows other files), then call this tool again.',
    )
  }
  return inTurn(realPath.data, async () => {
    try {
      return await writeInTurn(door, change, realPath.data)
    } catch (thrown) {
      return refuse('writeError', reasonOf(thrown))
    }
  })
}
