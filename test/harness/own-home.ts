/**
 * Preloaded by bunfig.toml before every test: no test reads or writes the home of the person who runs it, even if it
 * passes its own environment to the code. Programs that a test starts with `process.env` get the same home.
 */
import { mock } from 'bun:test'
import { spawn } from 'node:child_process'
import { mkdtempSync, realpathSync } from 'node:fs'
import * as os from 'node:os'
import { join } from 'node:path'

const home = realpathSync(mkdtempSync(join(os.tmpdir(), 'sat-home-')))
// A test run does not notify its modules at the end, but the system closes the standard input of its programs.
spawn('sh', ['-c', 'cat; rm -rf "$0"', home], { stdio: ['pipe', 'ignore', 'ignore'], detached: true }).unref()

for (const name of Object.keys(process.env)) {
  if (/^(?:OPENCODE|XDG|SAT)_/.test(name)) delete process.env[name]
}
Object.assign(process.env, {
  HOME: home,
  USERPROFILE: home,
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_STATE_HOME: join(home, 'state'),
  GIT_CONFIG_GLOBAL: join(home, 'gitconfig'),
})
// Bun has already read the home folder of the system, so `os.homedir` is replaced.
const osWithHome = { ...os, homedir: () => home }
mock.module('node:os', () => ({ ...osWithHome, default: osWithHome }))
