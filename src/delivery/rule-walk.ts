import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { contains } from '../paths/boundary.ts'
import { safe } from '../safe.ts'
import { type FileState, stateOf } from './file-state.ts'

/** A file or folder that is left out, and why. `line` is counted from 1. */
export type LeftOut = { path: string; line?: number; reason: string }

/**
 * What is in a rule folder: its files relative to it with `/`, its folders with their states before they were read, and
 * what was left out.
 */
export type Walk = { files: Array<string>; folders: Map<string, FileState>; leftOut: Array<LeftOut> }

/** The bounds of a walk: which files are wanted, and the real folders that links may lead into. */
type WalkBounds = { isWanted: (path: string) => boolean; roots: Array<string> }

// Rules are written by hand. A folder with more was linked or named by mistake.
const MAX_FILES = 5_000
const MAX_FOLDERS = 1_000

const byCodeUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/**
 * Lists the files of a rule folder. Links are followed where they lead into `roots`, and else left out: a link out of
 * the project once put 48 MB of somebody's disk into each request.
 *
 * @param isTrusted whether the person named the folder in the options; it may then lie or lead anywhere
 */
export const walkRules = (folder: string, bounds: WalkBounds, isTrusted: boolean): Walk => {
  const walk: Walk = { files: [], folders: new Map(), leftOut: [] }
  const real = safe(() => realpathSync(folder)).data
  if (real === null) return walk
  if (!isTrusted && !isAllowed(real, bounds)) {
    walk.leftOut.push(leadsOut(folder, real))
    return walk
  }
  const roots = isTrusted ? [...bounds.roots, real] : bounds.roots
  const seen = new Set([real])
  const waiting = ['']
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (walk.folders.size >= MAX_FOLDERS || walk.files.length > MAX_FILES) {
      const reason =
        `it has more than ${MAX_FOLDERS} folders or ${MAX_FILES} files; the rest is not looked at`
      walk.leftOut.push({ path: folder, reason })
      break
    }
    waiting.push(...lookThrough(folder, at, walk, { ...bounds, roots }, seen))
  }
  walk.leftOut.sort((one, other) => byCodeUnits(one.path, other.path))
  walk.files.sort(byCodeUnits).splice(MAX_FILES)
  return walk
}

const isAllowed = (real: string, { roots }: WalkBounds): boolean => roots.some((root) => contains(root, real))

const leadsOut = (path: string, real: string): LeftOut => ({
  path,
  reason: `it leads out of the project to ${real}; name that folder in rules.directories to have its rules`,
})

/** Tells whether an entry is a folder or a link to one, and its real path, `null` for a link that leads nowhere. */
const targetOf = (entry: Dirent, path: string): { isFolder: boolean; real: string | null } =>
  entry.isSymbolicLink()
    ? safe(() => {
      const real = realpathSync(path)
      return { isFolder: statSync(real).isDirectory(), real }
    }).data ?? { isFolder: false, real: null }
    : { isFolder: entry.isDirectory(), real: safe(() => realpathSync(path)).data }

/** Reads the entries of one folder into `walk`; gives the folders in it that are to be read next. */
const lookThrough = (
  folder: string,
  at: string,
  walk: Walk,
  bounds: WalkBounds,
  seen: Set<string>,
): Array<string> => {
  walk.folders.set(join(folder, at), stateOf(join(folder, at)))
  const entries = safe(() => readdirSync(join(folder, at), { withFileTypes: true })).data ?? []
  return entries.flatMap((entry) => {
    const name = at === '' ? entry.name : `${at}/${entry.name}`
    const isPlainFile = entry.isFile()
    if (entry.name.startsWith('.') || (isPlainFile && !bounds.isWanted(name))) return []
    const path = join(folder, name)
    const { isFolder, real } = isPlainFile ? { isFolder: false, real: null } : targetOf(entry, path)
    if (!isFolder && !bounds.isWanted(name)) return []
    if (entry.isSymbolicLink() && real !== null && !isAllowed(real, bounds)) {
      walk.leftOut.push(leadsOut(path, real))
      return []
    }
    if (!isFolder) walk.files.push(name)
    if (!isFolder || real === null || seen.has(real)) return []
    seen.add(real)
    return [name]
  })
}
