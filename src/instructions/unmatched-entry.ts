import { dirname, isAbsolute, join } from 'node:path'
import { isFolder, pathExists } from '../paths/real-path.ts'
import { isGlob } from './glob.ts'

/** Gives the first of some paths for which a check holds. */
const firstOf = async (paths: Array<string>, check: (path: string) => Promise<boolean>) =>
  paths[(await Promise.all(paths.map(check))).indexOf(true)]

/**
 * Says why an `instructions` entry matches nothing, in words for the person who wrote it.
 *
 * @param entry the entry, `~/` expanded
 * @param folders where a relative one is looked up, the nearest first
 */
export const whyUnmatched = async (entry: string, folders: Array<string>): Promise<string> => {
  const within = (folder: string) => isAbsolute(entry) ? entry : join(folder, entry)
  const asFolder = await firstOf(folders.map(within), isFolder)
  if (asFolder) return `${asFolder} is a folder; name the files, as in "${join(entry, '*.md')}"`
  const what = isGlob(entry) ? 'no file matches' : 'no such file'
  if (isAbsolute(entry)) {
    return isGlob(dirname(entry))
      ? 'OpenCode expands a wildcard only in the last part of an absolute path or one with "~/"'
      : what
  }
  const besideConfig = join('.opencode', entry)
  const misplaced = await firstOf(folders.map((folder) => join(folder, besideConfig)), pathExists)
  if (misplaced) {
    return `it is looked up from the session's directory, not next to the config file; "${besideConfig}" would name ${misplaced}`
  }
  const place = folders.length > 1 ? `${folders[0]} or above it, up to ${folders.at(-1)}` : folders[0]
  return `${what} in ${place}`
}
