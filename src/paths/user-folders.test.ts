import { expect, test } from 'bun:test'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { configFolder, type Environment, homeFolder, stateFolder } from './user-folders.ts'

const HOME = homedir()

const FOLDERS: Array<[what: string, env: Environment, home: string, config: string, state: string]> = [
  ['nothing set', {}, HOME, join(HOME, '.config/opencode'), join(HOME, '.local/state/opencode-sat')],
  [
    'all set',
    { OPENCODE_TEST_HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' },
    '/h',
    '/c/opencode',
    '/s/opencode-sat',
  ],
  [
    'a config folder of its own',
    { OPENCODE_CONFIG_DIR: '/o', XDG_CONFIG_HOME: '/c' },
    HOME,
    '/o',
    join(HOME, '.local/state/opencode-sat'),
  ],
  [
    'all set to nothing',
    { OPENCODE_TEST_HOME: '', OPENCODE_CONFIG_DIR: '', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' },
    HOME,
    join(HOME, '.config/opencode'),
    join(HOME, '.local/state/opencode-sat'),
  ],
  [
    'a relative state folder, which the XDG specification rules out',
    { XDG_STATE_HOME: 'state' },
    HOME,
    join(HOME, '.config/opencode'),
    join(HOME, '.local/state/opencode-sat'),
  ],
]

for (const [what, env, home, config, state] of FOLDERS) {
  test(`the person's folders: ${what}`, () => {
    expect([homeFolder(env), configFolder(env), stateFolder(env)]).toEqual([home, config, state])
  })
}
