/** Finds the person's own folders from the environment. */
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

export type Environment = Record<string, string | undefined>

/** Returns the folder that the host expands `~` to. */
export const homeFolder = (env: Environment = process.env): string => env['OPENCODE_TEST_HOME'] || realHome()

/** Returns the folder of the global `AGENTS.md` and rules. */
export const configFolder = (env: Environment = process.env): string =>
  env['OPENCODE_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(realHome(), '.config'), 'opencode')

/** Returns the folder of SAT's own files, such as backups. */
export const stateFolder = (env: Environment = process.env): string => {
  const configured = env['XDG_STATE_HOME'] ?? ''
  return join(isAbsolute(configured) ? configured : join(realHome(), '.local', 'state'), 'opencode-sat')
}

const realHome = (): string => {
  const home = homedir()
  // If HOME is empty, Node returns an empty path.
  return isAbsolute(home) ? home : userInfo().homedir
}

export const ignoresProjectConfig = (env: Environment): boolean =>
  /^(?:true|1)$/i.test(env['OPENCODE_DISABLE_PROJECT_CONFIG'] ?? '')
