import { join } from 'node:path'
import type { HostView } from '../discover.ts'
import { PROJECT_NAMES } from '../instructions/instruction-paths.ts'
import { configFolder, type Environment, homeFolder, isProjectOff } from '../paths/user-folders.ts'
import type { HostConfig } from './config.ts'

const isOn = (flag: string | undefined): boolean => /^(?:true|yes|on|1|y)$/i.test(flag ?? '')

/** Reads what the host's environment says about instruction files. */
const environmentView = (env: Environment): HostView => {
  const readsClaude = !isOn(env['OPENCODE_DISABLE_CLAUDE_CODE'])
    && !isOn(env['OPENCODE_DISABLE_CLAUDE_CODE_PROMPT'])
  // The host takes fewer words for yes in this variable than in the others.
  const readsProject = !isProjectOff(env)
  const globalFolder = configFolder(env)
  return {
    globalFiles: [
      join(globalFolder, 'AGENTS.md'),
      ...(readsClaude ? [join(homeFolder(env), '.claude', 'CLAUDE.md')] : []),
    ],
    projectNames: readsProject ? PROJECT_NAMES.filter((name) => readsClaude || name !== 'CLAUDE.md') : [],
    ...(readsProject ? {} : { folders: [globalFolder] }),
  }
}

/**
 * Makes the host's view of a session, by which its instruction files are found: from where the session is, the host's
 * environment and its merged config.
 *
 * @param config the merged config; without one, the project's `opencode.json` is read
 */
export const hostViewOf = (
  { worktree, abort }: { worktree?: string | undefined; abort?: AbortSignal | undefined },
  config: HostConfig | undefined,
  env: Environment = process.env,
): HostView => ({
  ...environmentView(env),
  worktree,
  // Another plugin may have put anything there.
  instructions: config && [config.instructions ?? []].flat().filter((entry) => typeof entry === 'string'),
  abort,
})
