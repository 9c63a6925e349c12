/** Finds the person's own folders from the environment. An empty variable counts as unset. */
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

export type Environment = Record<string, string | undefined>

/** Returns the folder that the host expands `~` to: the real home, unless a test of the host sets another. */
export const homeFolder = (env: Environment = process.env): string => env['OPENCODE_TEST_HOME'] || realHome()

/** Returns the folder of the global `AGENTS.md` and rules: `OPENCODE_CONFIG_DIR` or the host's global config folder. */
export const configFolder = (env: Environment = process.env): string =>
  env['OPENCODE_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(realHome(), '.config'), 'opencode')

/** Returns the folder for SAT's backups and the like: `opencode-sat` in `$XDG_STATE_HOME` or in `~/.local/state`. */
export const stateFolder = (env: Environment = process.env): string => {
  const configured = env['XDG_STATE_HOME'] ?? ''
  // A relative path, which the XDG specification forbids, would put backups into the project.
  return join(isAbsolute(configured) ? configured : join(realHome(), '.local', 'state'), 'opencode-sat')
}

const realHome = (): string => {
  const home = homedir()
  // If HOME is empty, Node returns an empty path, and the folders below it would be inside the project.
  return isAbsolute(home) ? home : userInfo().homedir
}

/** Whether the environment tells the host to ignore the config of projects. */
export const ignoresProjectConfig = (env: Environment): boolean =>
  /^(?:true|1)$/i.test(env['OPENCODE_DISABLE_PROJECT_CONFIG'] ?? '')
