import { basename, dirname, isAbsolute, join } from 'node:path'
import { isFolder, isThere } from '../paths/real-path.ts'
import { isGlob, openGlob } from './glob.ts'

const whyAbsolute = async (entry: string, isPattern: boolean): Promise<string> => {
  if (isGlob(dirname(entry))) {
    return 'OpenCode expands a wildcard only in the last part of an absolute path or one with "~/"'
  }
  const withDot = await openGlob(basename(entry), { directory: dirname(entry), dot: true })
  if (isPattern && (await withDot.data?.files())?.[0] !== undefined) {
    return 'a wildcard of an absolute path or one with "~/" matches no file whose name starts with a dot'
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
    if (isPattern && await isThere(candidate)) {
      return `${candidate} is there, but OpenCode takes the brackets or braces in its name for a pattern`
    }
  }
  return isAbsolute(entry) ? whyAbsolute(entry, isPattern) : whyRelative(entry, folders, isPattern)
}
