import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PROJECT_NAMES } from '../instructions/instruction-paths.ts'
import { upwards } from '../paths/boundary.ts'
import { isThere, realPathOr } from '../paths/real-path.ts'

const NAMES = [
  ...PROJECT_NAMES,
  'GEMINI.md',
  '.cursorrules',
  '.windsurfrules',
  join('.github', 'copilot-instructions.md'),
]
const CURSOR_RULES = join('.cursor', 'rules')

/**
 * Finds the instruction files of a project that the host does not load: those of other agents, and a `CLAUDE.md` that an
 * `AGENTS.md` hides.
 *
 * @param root the project's folder; what stands between it and the session's `directory` is found
 * @param loaded the paths of the files that the host loads
 * @returns absolute paths, the nearest first, each file once
 */
export const unloadedFiles = async (
  directory: string,
  root: string,
  loaded: Array<string>,
): Promise<Array<string>> => {
  const candidates = await Promise.all(
    upwards(directory, root).map(async (folder) => {
      const rules = await readdir(join(folder, CURSOR_RULES)).catch(() => [])
      const cursor = rules.filter((name) => name.endsWith('.mdc')).map((name) => join(CURSOR_RULES, name))
      return [...NAMES, ...cursor.sort()].map((name) => join(folder, name))
    }),
  )
  const seen = new Set(await Promise.all(loaded.map(realPathOr)))
  const found: Array<string> = []
  for (const path of candidates.flat()) {
    const realPath = await isThere(path) ? await realPathOr(path) : undefined
    if (realPath === undefined || seen.has(realPath)) continue
    seen.add(realPath)
    found.push(path)
  }
  return found
}
