/** Finds instruction files that the host does not load. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { foldersUpTo } from '../paths/boundary.ts'
import { realPathOrSelf } from '../paths/real-path.ts'
import { existingPaths, PROJECT_NAMES } from './loaded-files.ts'

/** Files in which other tools keep all rules of a project. */
export const RULES_IN_ONE_FILE = ['.cursorrules', '.windsurfrules', '.github/copilot-instructions.md']
const CURSOR_RULES = '.cursor/rules'

// Matches the names that the host loads, and similar ones that it does not: `agents.md`, `AGENT.md`, `Claude.MD`,
// `AGENTS.local.md`. Loaded files are dropped at the end.
const NAMED_SIMILARLY =
  /^(?:agents?|claude|context|gemini)(?:[._-](?:local|override))?\.(?:md|mdc|markdown)$/i

const filesIn = async (folder: string): Promise<Array<string>> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name).sort()
}

/**
 * Finds the instruction files of a project that the host does not load: files of other agents, files whose name
 * resembles one that the host loads, and a `CLAUDE.md` or `CONTEXT.md` that the host ignores because a name before it
 * in `PROJECT_NAMES` exists. The search goes from the session's `directory` up to `root`, the project's folder.
 * Returns absolute paths, each file once, the nearest to `directory` first. `loaded` are the files that the host loads.
 */
export const unloadedFiles = async (
  directory: string,
  root: string,
  loaded: Array<string>,
): Promise<Array<string>> => {
  const paths = [...loaded]
  for (const folder of foldersUpTo(directory, root)) {
    const cursorRules = (await filesIn(join(folder, CURSOR_RULES))).filter((name) => name.endsWith('.mdc'))
    const similar = (await filesIn(folder)).filter((name) => NAMED_SIMILARLY.test(name))
    const names = [
      ...PROJECT_NAMES,
      ...similar,
      'GEMINI.md',
      ...RULES_IN_ONE_FILE,
      ...cursorRules.map((name) => join(CURSOR_RULES, name)),
    ]
    paths.push(...await existingPaths(names.map((name) => join(folder, name))))
  }
  const realPaths = await Promise.all(paths.map(realPathOrSelf))
  return paths.filter((_, index) => index >= loaded.length && realPaths.indexOf(realPaths[index]!) === index)
}
