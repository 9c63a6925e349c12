import { expect, test } from 'bun:test'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { configFolder, type Environment, homeFolder, stateFolder } from './user-folders.ts'

const HOME = homedir()
const CONFIG = join(HOME, '.config/opencode')
const STATE = join(HOME, '.local/state/opencode-sat')
const ALL_EMPTY = { OPENCODE_TEST_HOME: '', OPENCODE_CONFIG_DIR: '', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }
const ONE_EACH = { OPENCODE_TEST_HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }

const FOLDERS: Array<[variables: string, env: Environment, home: string, config: string, state: string]> = [
  ['no variable is set', {}, HOME, CONFIG, STATE],
  ['one variable is set for each folder', ONE_EACH, '/h', '/c/opencode', '/s/opencode-sat'],
  ['the config folder is set twice', { OPENCODE_CONFIG_DIR: '/o', XDG_CONFIG_HOME: '/c' }, HOME, '/o', STATE],
  ['all variables are empty', ALL_EMPTY, HOME, CONFIG, STATE],
  ['the state folder is relative, which XDG forbids', { XDG_STATE_HOME: 'state' }, HOME, CONFIG, STATE],
]

test.each(FOLDERS)('the home, config and state folders are found if %s', (_, env, home, config, state) => {
  expect([homeFolder(env), configFolder(env), stateFolder(env)]).toEqual([home, config, state])
})
