/** Tests which folders SAT searches for rule files. */
import { expect, test } from 'bun:test'
import { ruleFolders } from './rule-folders.ts'

const DIRECTORIES = ['rules', '../shared', '~/mine', '/abs', 'rules']
const ENV = { OPENCODE_CONFIG_DIR: '/config', OPENCODE_TEST_HOME: '/home/me' }
const ENV_WITHOUT_PROJECT = { ...ENV, OPENCODE_DISABLE_PROJECT_CONFIG: 'true' }
const GLOBAL_AND_DIRECTORY = '/config/rules /w/a/.opencode/rules'

test.each<[worktree: string, directory: string, directories: Array<string>, env: object, folders: string]>([
  // a relative entry counts from the worktree and from the directory
  ['/w', '/w/a', ['rules'], ENV, '/config/rules /w/.opencode/rules /w/a/.opencode/rules /w/rules /w/a/rules'],
  // without the config of projects: only folders outside of the project
  ['/w', '/w/a', DIRECTORIES, ENV_WITHOUT_PROJECT, '/config/rules /shared /home/me/mine /abs'],
  // no repository (`/` or empty), or one that does not contain the directory: no parent folder is searched
  ['/', '/w/a', DIRECTORIES, ENV, `${GLOBAL_AND_DIRECTORY} /w/a/rules /w/shared /home/me/mine /abs`],
  ['', '/w/a', [], ENV, GLOBAL_AND_DIRECTORY],
  ['/w/a/b/c', '/w/a', [], ENV, GLOBAL_AND_DIRECTORY],
])('worktree %p, directory %s, option %j, environment %j: rules come from %s', (...row) => {
  const [worktree, directory, directories, env, expected] = row
  const { folders } = ruleFolders({ directory, worktree }, directories, env as Record<string, string>)
  expect(folders.map(({ path }) => path)).toEqual(expected.split(' '))
})
