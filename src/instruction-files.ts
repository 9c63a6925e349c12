/**
 * Which files the host puts into the system prompt, found as the host finds them (measured with OpenCode 1.18.33):
 *
 * 1. the global `AGENTS.md`, or where there is none `~/.claude/CLAUDE.md`;
 * 2. the first name of `AGENTS.md`, `CLAUDE.md`, `CONTEXT.md` that stands anywhere from the session's directory up to
 *    the root of its worktree: every file of that name, the nearest first;
 * 3. the `instructions` of the merged config, entry by entry. A relative one is globbed in the session's directory and
 *    in each one above, up to the root of the worktree, dotfiles included; in an absolute one or one with `~/` only
 *    the last part is a pattern, which matches no dotfiles.
 */
import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { globFiles, isGlob, upwards } from './instruction-globs.ts'
import { whyUnmatched } from './unmatched-entry.ts'

/** Where a session is and what the host was told: all that decides on its instruction files. */
export type InstructionSources = {
  directory: string
  /** The root of the worktree; the root of the disk where there is no repository. */
  worktree: string
  /** The `instructions` of the merged config. */
  instructions: Array<string>
  abort?: AbortSignal | undefined
}

/** Absolute paths in the host's order; entries that the host fetches; entries that match nothing, and why. */
export type InstructionPaths = {
  paths: Array<string>
  remote: Array<string>
  unmatched: Array<{ entry: string; reason: string }>
}

const isOn = (flag: string | undefined): boolean => /^(?:true|yes|on|1|y)$/i.test(flag ?? '')

/** What the host takes from its environment. */
const environment = ({ env } = process) => {
  const home = env['OPENCODE_TEST_HOME'] ?? homedir()
  const configHome = env['XDG_CONFIG_HOME'] || join(homedir(), '.config')
  return {
    home,
    globalFolder: env['OPENCODE_CONFIG_DIR'] ?? join(configHome, 'opencode'),
    readsClaude: !isOn(env['OPENCODE_DISABLE_CLAUDE_CODE'])
      && !isOn(env['OPENCODE_DISABLE_CLAUDE_CODE_PROMPT']),
    // The host reads this one with fewer words than the others.
    readsProject: !/^(?:true|1)$/i.test(env['OPENCODE_DISABLE_PROJECT_CONFIG'] ?? ''),
  }
}

type Environment = ReturnType<typeof environment>

const existing = async (paths: Array<string>): Promise<Array<string>> => {
  const found = await Promise.all(paths.map((path) => access(path).then(() => [path], () => [])))
  return found.flat()
}

const globalFiles = async ({ globalFolder, home, readsClaude }: Environment): Promise<Array<string>> =>
  (await existing([
    join(globalFolder, 'AGENTS.md'),
    ...(readsClaude ? [join(home, '.claude', 'CLAUDE.md')] : []),
  ])).slice(0, 1)

const projectFiles = async (
  { directory, worktree }: InstructionSources,
  { readsClaude, readsProject }: Environment,
): Promise<Array<string>> => {
  const names = readsProject ? ['AGENTS.md', ...(readsClaude ? ['CLAUDE.md'] : []), 'CONTEXT.md'] : []
  for (const name of names) {
    const found = await existing(upwards(directory, worktree).map((folder) => join(folder, name)))
    if (found.length > 0) return found
  }
  return []
}

const entryFiles = async (
  entry: string,
  folders: Array<string>,
  { abort }: InstructionSources,
): Promise<Array<string>> => {
  if (isAbsolute(entry)) return globFiles(basename(entry), { directory: dirname(entry), dot: false, abort })
  const found = await Promise.all(
    folders.map((directory) => globFiles(entry, { directory, dot: true, abort })),
  )
  return found.flat()
}

const isRemote = (entry: string): boolean => entry.startsWith('https://') || entry.startsWith('http://')

/** The files that the host loads in a session, by path alone (spec.md: discover-rules finds what the host loads). */
export const instructionPaths = async (sources: InstructionSources): Promise<InstructionPaths> => {
  const host = environment()
  const folders = host.readsProject
    ? upwards(sources.directory, sources.worktree)
    : [host.globalFolder]
  const remote = sources.instructions.filter(isRemote)
  const entries = sources.instructions.filter((entry) => !isRemote(entry))
  const matches = await Promise.all(entries.map(async (entry) => {
    const spelt = entry.startsWith('~/') ? join(host.home, entry.slice(2)) : entry
    const paths = await entryFiles(spelt, folders, sources)
    const reason = paths.length === 0 ? await whyUnmatched(spelt, folders, await isGlob(spelt)) : ''
    return { entry, reason, paths }
  }))
  const standing = [...await globalFiles(host), ...await projectFiles(sources, host)]
  const paths = [...standing, ...matches.flatMap((match) => match.paths)].map((path) => resolve(path))
  return {
    paths: [...new Set(paths)],
    remote: [...new Set(remote)],
    unmatched: matches.filter((match) => match.paths.length === 0)
      .map(({ entry, reason }) => ({ entry, reason })),
  }
}
