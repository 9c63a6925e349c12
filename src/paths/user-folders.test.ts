import { expect, test } from 'bun:test'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { configFolder, type Environment, homeFolder, stateFolder } from './user-folders.ts'

const HOME = homedir()
const CONFIG = join(HOME, '.config/opencode')
const STATE = join(HOME, '.local/state/opencode-sat')
const EMPTY = { OPENCODE_TEST_HOME: '', OPENCODE_CONFIG_DIR: '', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }
const ALL = { OPENCODE_TEST_HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }

const FOLDERS: Array<[variables: string, env: Environment, home: string, config: string, state: string]> = [
  ['nothing set', {}, HOME, CONFIG, STATE],
  ['all set', ALL, '/h', '/c/opencode', '/s/opencode-sat'],
  ['a config folder of its own', { OPENCODE_CONFIG_DIR: '/o', XDG_CONFIG_HOME: '/c' }, HOME, '/o', STATE],
  ['all set to nothing', EMPTY, HOME, CONFIG, STATE],
  // The XDG specification forbids a relative path.
  ['a relative state folder', { XDG_STATE_HOME: 'state' }, HOME, CONFIG, STATE],
]

test.each(FOLDERS)("the person's folders: %s", (_, env, home, config, state) => {
  expect([homeFolder(env), configFolder(env), stateFolder(env)]).toEqual([home, config, state])
})
