/** The person's own folders, as the environment names them. An empty variable counts as not set. */
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The environment of the process: variable → value. */
export type Environment = Record<string, string | undefined>

const userHome = (): string => {
  const home = homedir()
  // With an empty HOME Node gives an empty path, and each of these folders would lie in the project.
  return isAbsolute(home) ? home : userInfo().homedir
}

/** Gives the folder that the host means by `~`. */
export const homeFolder = (env: Environment = process.env): string => env['OPENCODE_TEST_HOME'] || userHome()

/** Gives the host's global folder, which has the global `AGENTS.md` and `opencode.json` in it. */
export const configFolder = (env: Environment = process.env): string =>
  env['OPENCODE_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(userHome(), '.config'), 'opencode')

/** Gives SAT's folder for what must outlive a session: `opencode-sat` in `$XDG_STATE_HOME`, else in `~/.local/state`. */
export const stateFolder = (env: Environment = process.env): string => {
  const configured = env['XDG_STATE_HOME'] ?? ''
  // A relative path is invalid by the XDG specification, and would put backups into the project.
  return join(isAbsolute(configured) ? configured : join(userHome(), '.local', 'state'), 'opencode-sat')
}

/** Whether the environment tells the host to leave out what a project configures. */
export const isProjectOff = (env: Environment): boolean =>
  /^(?:true|1)$/i.test(env['OPENCODE_DISABLE_PROJECT_CONFIG'] ?? '')
