/**
 * Globs as the host expands those of its `instructions`: by the same library, with the same options, so that the
 * matches and their order are the same.
 */
import { dirname } from 'node:path'

// Not the package's own bundle, which would bring other packages without their licences.
const loadGlob = () => import('glob/raw')

export type GlobOptions = { directory: string; dot: boolean; abort?: AbortSignal | undefined }

/** The absolute paths of what matches in a directory, folders excluded; nothing where it cannot be read. */
export const globFiles = async (
  pattern: string,
  { directory, dot, abort }: GlobOptions,
): Promise<Array<string>> => {
  const { glob } = await loadGlob()
  const signal = abort === undefined ? {} : { signal: abort }
  return glob(pattern, { cwd: directory, absolute: true, nodir: true, dot, follow: false, ...signal })
    .catch(() => [])
}

/** Whether a spelling has wildcards, braces included. */
export const isGlob = async (pattern: string): Promise<boolean> =>
  (await loadGlob()).hasMagic(pattern, { magicalBraces: true })

/** A directory and each one above it, up to `top` or the root of the disk. */
export const upwards = (directory: string, top: string): Array<string> => {
  const found = [directory]
  for (let at = directory; at !== top && dirname(at) !== at;) found.push(at = dirname(at))
  return found
}
