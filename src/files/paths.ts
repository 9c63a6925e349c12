/**
 * The person's own folders, as the environment names them. A variable that is empty counts as not set.
 *
 * It stands below `host/`, for what is in `files/` keeps its backups in the state folder.
 */
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

export type Environment = Record<string, string | undefined>

const userHome = (): string => {
  const home = homedir()
  // Node hands on an empty HOME as it stands, which would make each of these folders one of the project.
  return isAbsolute(home) ? home : userInfo().homedir
}

/** The folder that the host means by `~`. */
export const homeFolder = (env: Environment = process.env): string => env['OPENCODE_TEST_HOME'] || userHome()

/** The host's global folder, with the global `AGENTS.md` and `opencode.json` in it. */
export const configFolder = (env: Environment = process.env): string =>
  env['OPENCODE_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(userHome(), '.config'), 'opencode')

/** SAT's folder for what must outlive a session: `$XDG_STATE_HOME`, else `~/.local/state`, `opencode-sat` in it. */
export const stateFolder = (env: Environment = process.env): string => {
  const configured = env['XDG_STATE_HOME'] ?? ''
  // A relative path is invalid by the XDG specification, and would put backups into the project.
  return join(isAbsolute(configured) ? configured : join(userHome(), '.local', 'state'), 'opencode-sat')
}
