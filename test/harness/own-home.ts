/** Replaces the home folder with a temporary folder, so that no test reads or writes the person's home. */
import { mock } from 'bun:test'
import { spawn } from 'node:child_process'
import { mkdtempSync, realpathSync } from 'node:fs'
import * as os from 'node:os'
import { join } from 'node:path'

const home = realpathSync(mkdtempSync(join(os.tmpdir(), 'sat-home-')))
// When the test run ends, the system closes the standard input of `cat`, and the folder is removed.
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
// Bun read the home folder before `HOME` was set, so `homedir` is replaced, too.
const osWithHome = { ...os, homedir: () => home }
mock.module('node:os', () => ({ ...osWithHome, default: osWithHome }))
