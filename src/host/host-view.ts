/** Finds out where the host (OpenCode) looks for instruction files, such as `AGENTS.md`. */
import { join } from 'node:path'
import type { HostView } from '../discover.ts'
import { PROJECT_NAMES } from '../instructions/loaded-files.ts'
import { configFolder, type Environment, homeFolder, ignoresProjectConfig } from '../paths/user-folders.ts'
import type { HostConfig } from './config.ts'

const isTrue = (flag: string | undefined): boolean => /^(?:true|yes|on|1|y)$/i.test(flag ?? '')

/** `config` is undefined until the host has reported it. */
export const hostViewOf = (
  { worktree, abort }: { worktree?: string | undefined; abort?: AbortSignal | undefined },
  config: HostConfig | undefined,
  env: Environment = process.env,
): HostView => {
  const readsClaude = !isTrue(env['OPENCODE_DISABLE_CLAUDE_CODE'])
    && !isTrue(env['OPENCODE_DISABLE_CLAUDE_CODE_PROMPT'])
  // Does not use `isTrue`: in OPENCODE_DISABLE_PROJECT_CONFIG, the host accepts only `true` and `1`.
  const readsProject = !ignoresProjectConfig(env)
  const globalFolder = configFolder(env)
  return {
    globalFiles: [
      join(globalFolder, 'AGENTS.md'),
      ...(readsClaude ? [join(homeFolder(env), '.claude', 'CLAUDE.md')] : []),
    ],
    projectNames: readsProject ? PROJECT_NAMES.filter((name) => readsClaude || name !== 'CLAUDE.md') : [],
    // A host that ignores the project's config resolves `instructions` in its global folder.
    ...(readsProject ? {} : { folders: [globalFolder] }),
    worktree,
    // Another plugin may have set `instructions` to a string, or to a list with other values.
    instructions: config && [config.instructions ?? []].flat().filter((entry) => typeof entry === 'string'),
    abort,
  }
}
