import { stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { isThere } from '../paths/real-path.ts'
import { isGlob } from './glob.ts'

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then((stats) => stats.isDirectory(), () => false)

const whyAbsolute = (entry: string, isPattern: boolean): string => {
  if (isGlob(dirname(entry))) {
    return 'OpenCode expands a wildcard only in the last part of an absolute path or one with "~/"'
  }
  return isPattern ? 'no file matches' : `no such file: ${entry}`
}

const whyRelative = async (entry: string, folders: Array<string>, isPattern: boolean): Promise<string> => {
  const besideConfig = folders.map((folder) => join(folder, '.opencode', entry))
  const misplaced = (await Promise.all(besideConfig.map(isThere))).indexOf(true)
  if (misplaced >= 0) {
    return `it is looked up from the session's directory, not next to the config file; "${
      join('.opencode', entry)
    }" would name ${besideConfig[misplaced]}`
  }
  const place = folders.length > 1 ? `${folders[0]} or above it, up to ${folders.at(-1)}` : `${folders[0]}`
  return isPattern ? `no file matches in ${place}` : `no such file in ${place}`
}

/**
 * Says why an `instructions` entry matches nothing, in words for the person who wrote it.
 *
 * @param entry the entry, `~/` expanded
 * @param folders where a relative one is looked up, the nearest first
 */
export const whyUnmatched = async (
  entry: string,
  folders: Array<string>,
): Promise<string> => {
  const isPattern = isGlob(entry)
  if (entry.trim() === '') return 'it is empty'
  const candidates = isAbsolute(entry) ? [entry] : folders.map((folder) => join(folder, entry))
  for (const candidate of candidates) {
    if (await isFolder(candidate)) {
      return `${candidate} is a folder; name the files, as in "${join(entry, '*.md')}"`
    }
  }
  return isAbsolute(entry) ? whyAbsolute(entry, isPattern) : whyRelative(entry, folders, isPattern)
}
