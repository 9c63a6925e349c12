import { resolvePath } from '../boundary.ts'
import { realPathOr } from '../read-text.ts'
import { toSpellings } from '../resolve.ts'
import { type Backup, findBackup, restoreFile, type RestoreResult } from '../restore.ts'
import { fail, ok, type Result } from '../safe.ts'
import type { Door } from '../write-file.ts'
import { answer, count, type ToolAnswer } from './define-tool.ts'
import { PermissionRefused } from './door.ts'

type Target = { path: string; backup: Result<Backup> }

const toTarget = async (door: Door, spelling: string, wanted: string): Promise<Target> => {
  const resolved = resolvePath(door.place.directory, spelling)
  if (resolved.error !== null) return { path: spelling, backup: resolved }
  const path = resolved.data
  const realPath = await realPathOr(path)
  return { path, backup: await findBackup(door.state, realPath, wanted) }
}

/** The files that are meant: those that were named, or else the only discovered one that has such a backup. */
const targetsOf = async (
  door: Door,
  files: string | Array<string> | undefined,
  wanted: string,
): Promise<Result<Array<Target>>> => {
  const named = files === undefined ? [] : toSpellings(files)
  const paths = named.length > 0 ? named : [...door.discovered]
  const targets = await Promise.all(paths.map((path) => toTarget(door, path, wanted)))
  if (named.length > 0) return ok(targets)
  const possible = targets.filter(({ backup }) => backup.error === null)
  if (possible.length === 1) return ok(possible)
  return fail(
    possible.length === 0
      ? 'None of the discovered files has such a backup, so nothing was written.'
      : `Several files have a backup, so nothing was written. Name one in "files": ${
        possible.map(({ path }) => path).join(', ')
      }`,
  )
}

const restoreTarget = async (
  door: Door,
  { path, backup }: Target,
  stopped: boolean,
): Promise<RestoreResult> => {
  if (backup.error !== null) return { status: 'refused', path, error: backup.error }
  if (stopped) return { status: 'stopped', path, error: 'not asked for after the refusal before it' }
  return restoreFile(door, path, backup.data)
}

const toLine = (result: RestoreResult): string =>
  result.status === 'success'
    ? `Restored ${result.path} from ${result.from}\nBackup of what it said until now: ${result.backup}`
    : `Not restored: ${result.path}: ${result.error}`

/**
 * What rewrite-rules does with `restore`: brings back backups of the files that are meant (spec.md, Nothing is lost).
 *
 * @throws PermissionRefused where a permission was refused and nothing was restored
 */
export const restoreFiles = async (
  door: Door,
  files: string | Array<string> | undefined,
  wanted: string,
): Promise<ToolAnswer> => {
  const targets = await targetsOf(door, files, wanted)
  if (targets.error !== null) return answer('nothing restored', targets.error)
  const results: Array<RestoreResult> = []
  let refusal: RestoreResult | undefined
  for (const target of targets.data) {
    const result = await restoreTarget(door, target, refusal !== undefined)
    if (result.status === 'refused' && result.thrown !== undefined) refusal = result
    results.push(result)
  }
  const restored = results.filter(({ status }) => status === 'success').length
  if (restored === 0 && refusal?.status === 'refused') throw new PermissionRefused(refusal.thrown)
  return answer(`${count(restored, 'file')} restored`, results.map(toLine).join('\n\n'))
}
