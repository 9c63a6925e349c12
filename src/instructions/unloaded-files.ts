/** Finds instruction files that the host does not load. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { foldersUpTo } from '../paths/boundary.ts'
import { realPathOrSelf } from '../paths/real-path.ts'
import { existingPaths, PROJECT_NAMES } from './loaded-files.ts'

export const RULES_IN_ONE_FILE = ['.cursorrules', '.windsurfrules', '.github/copilot-instructions.md']
const CURSOR_RULES = '.cursor/rules'

const NAMED_SIMILARLY =
  /^(?:\.?agents?|claude|context|gemini)(?:[._-](?:local|override))?\.(?:md|mdc|markdown)$/i
// Case matters, because a lowercase `claude` may be a script.
const OTHER_NAMES = /^(?:\.clinerules|(?:AGENTS?|CLAUDE|GEMINI)(?:\.txt)?)$/

const filesIn = async (folder: string): Promise<Array<string>> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name).sort()
}

/** Lists the instruction files from `directory` up to `root` that are not `loaded`, the nearest first. */
export const unloadedFiles = async (
  directory: string,
  root: string,
  loaded: Array<string>,
): Promise<Array<string>> => {
  // The loaded files come first, so that a link to a loaded file is removed as a duplicate.
  const paths = [...loaded]
  for (const folder of foldersUpTo(directory, root)) {
    const cursorRules = (await filesIn(join(folder, CURSOR_RULES))).filter((name) => name.endsWith('.mdc'))
    const similar = (await filesIn(folder)).filter((name) =>
      [NAMED_SIMILARLY, OTHER_NAMES].some((pattern) => pattern.test(name))
    )
    const names = [
      ...PROJECT_NAMES,
      ...similar,
      'GEMINI.md',
      '.claude/CLAUDE.md',
      ...RULES_IN_ONE_FILE,
      ...cursorRules.map((name) => join(CURSOR_RULES, name)),
    ]
    paths.push(...await existingPaths(names.map((name) => join(folder, name))))
  }
  const realPaths = await Promise.all(paths.map(realPathOrSelf))
  return paths.filter((_, index) => index >= loaded.length && realPaths.indexOf(realPaths[index]!) === index)
}
