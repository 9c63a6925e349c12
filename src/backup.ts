import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import { fingerprintOf } from './read-text.ts'

/** How many backups of one file are kept. */
export const BACKUPS_KEPT = 20

/** SAT's folder for what must outlive a session: `$XDG_STATE_HOME`, else `~/.local/state`, `opencode-sat` in it. */
export const stateFolder = (env: NodeJS.ProcessEnv = process.env): string => {
  const configured = env['XDG_STATE_HOME'] ?? ''
  // A relative path is invalid by the XDG specification, and would put backups into the project.
  return join(isAbsolute(configured) ? configured : join(homedir(), '.local', 'state'), 'opencode-sat')
}

// A name may be as long as the disk allows; what is put before it must fit too.
const shortName = (path: string): string => basename(path).slice(-60)

/** The folder with the backups of one file: its name for the person, its path's fingerprint for the machine. */
export const backupFolder = (state: string, realPath: string): string =>
  join(state, 'backups', `${shortName(realPath)}-${fingerprintOf(Buffer.from(realPath)).slice(0, 12)}`)

/** The backups of one file, the oldest first. */
export const listBackups = async (state: string, realPath: string): Promise<Array<string>> => {
  const folder = backupFolder(state, realPath)
  const names = await readdir(folder).catch(() => [])
  return names.sort().map((name) => join(folder, name))
}

const prune = async (state: string, realPath: string): Promise<void> => {
  const backups = await listBackups(state, realPath)
  await Promise.all(backups.slice(0, -BACKUPS_KEPT).map((path) => rm(path, { force: true })))
}

// Two backups within one millisecond keep their order by the number at the end.
let written = 0

/**
 * Keeps a copy of what a file says now, and lets go of the oldest copies beyond `BACKUPS_KEPT`.
 *
 * @returns the path of the copy
 * @throws the disk's error where the copy could not be written whole
 */
export const backUp = async (
  state: string,
  realPath: string,
  bytes: Uint8Array,
  now: Date,
): Promise<string> => {
  const folder = backupFolder(state, realPath)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const stamp = now.toISOString().replaceAll(':', '-')
  const path = join(folder, `${stamp}-${String(++written).padStart(6, '0')}-${shortName(realPath)}`)
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } catch (thrown) {
    await rm(path, { force: true })
    throw thrown
  } finally {
    await file.close()
  }
  await prune(state, realPath).catch(() => {})
  return path
}
