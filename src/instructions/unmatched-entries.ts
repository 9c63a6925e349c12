/** Says why OpenCode finds no file for an entry of `instructions` in a config. */
import { dirname, isAbsolute, join } from 'node:path'
import { isFolder, pathExists } from '../paths/real-path.ts'
import { isGlob } from './glob.ts'

const firstWhere = async (paths: Array<string>, test: (path: string) => Promise<boolean>) =>
  paths[(await Promise.all(paths.map(test))).indexOf(true)]

/** Returns the reason why an entry has no match in the folders where OpenCode looks it up. */
export const whyUnmatched = async (entry: string, folders: Array<string>): Promise<string> => {
  const paths = isAbsolute(entry) ? [entry] : folders.map((folder) => join(folder, entry))
  const folderPath = await firstWhere(paths, isFolder)
  if (folderPath) return `${folderPath} is a folder; name the files, as in "${join(entry, '*.md')}"`
  if (isAbsolute(entry) && isGlob(dirname(entry))) {
    return 'OpenCode expands a wildcard only in the last part of an absolute path or one with "~/"'
  }
  const reason = isGlob(entry) ? 'no file matches' : 'no such file'
  if (isAbsolute(entry)) return reason
  const nextToConfig = join('.opencode', entry)
  const misplaced = await firstWhere(folders.map((folder) => join(folder, nextToConfig)), pathExists)
  if (misplaced) {
    return `it is looked up from the session's directory, not next to the config file; "${nextToConfig}" would name ${misplaced}`
  }
  const range = folders.length > 1 ? `${folders[0]} or above it, up to ${folders.at(-1)}` : folders[0]
  return `${reason} in ${range}`
}
