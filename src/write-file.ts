import { realpathSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { backUp, stateFolder } from './backup.ts'
import { externalPattern, isInside, pathPattern, pathPatterns, type Place } from './boundary.ts'
import { DiscoveredFiles } from './discovered-files.ts'
import { inTurn } from './in-turn.ts'
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
  /** What was discovered when the call was made: the texts that its rules were made from. */
  known: Set<string>
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
  known: new Set([path]),
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

/** What a change rests on: a replacement on what was known when it was made, an addition on what is there now. */
const basisOf = ({ discovered, known }: Door, { backup }: Change): Set<string> => backup ? known : discovered

// A spelling of its own proves nothing: since it was shown, a link to another file may have taken its place.
const wasDiscovered = (basis: Set<string>, path: string, realPath: string): boolean =>
  basis.has(realPath) || (!(basis instanceof DiscoveredFiles) && basis.has(path))

const stillSays = (basis: Set<string>, { realPath, bytes }: ReadText): boolean =>
  !(basis instanceof DiscoveredFiles) || basis.stillSays(realPath, fingerprintOf(bytes))

const putQuestions = async (
  door: Door,
  path: string,
  { realPath, text }: ReadText,
  after: string,
): Promise<void> => {
  if (!isInside(door.place, realPath)) {
    const pattern = externalPattern(realPath)
    const metadata = { filepath: realPath }
    await door.ask({ permission: 'external_directory', patterns: [pattern], always: [pattern], metadata })
  }
  const link = join(await realpath(dirname(path)), basename(path))
  const patterns = pathPatterns(door.place, realPath, [path, link])
  const diff = await unifiedDiff(pathPattern(door.place, realPath), text, after)
  await door.ask({ permission: 'edit', patterns, always: ['*'], metadata: { filepath: realPath, diff } })
}

const askPermission = async (
  ...question: Parameters<typeof putQuestions>
): Promise<Result<null, Refusal>> => {
  try {
    await putQuestions(...question)
    return ok(null)
  } catch (thrown) {
    return fail({ status: 'refused', error: `permission refused: ${reasonOf(thrown)}`, thrown })
  }
}

const isUnchanged = async ({ realPath, bytes }: ReadText): Promise<boolean> => {
  const now = await readText(realPath)
  return now.error === null && now.data.realPath === realPath && now.data.bytes.equals(bytes)
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
  if (current.data.realPath !== realPath) {
    return refuse('refused', `it leads to another file now. ${DISCOVER_AGAIN}`)
  }
  if (!stillSays(basisOf(door, change), current.data)) {
    const cause = stillSays(door.discovered, current.data)
      ? 'another call wrote it after this one was made'
      : 'it changed since discover-rules showed it'
    return refuse('refused', `${cause}. ${DISCOVER_AGAIN}`)
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

  const permitted = await askPermission(door, change.path, current.data, after.toString())
  if (permitted.error !== null) return permitted
  if (door.abort.aborted) return stopped
  // A person may have taken an hour to answer the question.
  const changedMeanwhile = refuse('refused', `it changed while permission was asked for. ${DISCOVER_AGAIN}`)
  if (!(await isUnchanged(current.data))) return changedMeanwhile

  const backup = change.backup
    ? await safeAsync(() => backUp(door.state, realPath, current.data.bytes, new Date()))
    : ok(null)
  if (backup.error !== null) {
    return refuse(
      'writeError',
      `nothing was written, for its backup could not be kept in ${door.state}: ${backup.error}`,
    )
  }
  const replaced = await safeAsync(() =>
    replaceFile(realPath, after, {
      scratch: join(door.state, 'tmp'),
      mayReplace: () => isUnchanged(current.data),
    })
  )
  if (replaced.error !== null) return refuse('writeError', replaced.error)
  if (!replaced.data) return changedMeanwhile

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
  if (!wasDiscovered(basisOf(door, change), change.path, realPath.data)) {
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
