import { expect, test } from 'bun:test'
import { ruleFolders } from './rule-folders.ts'

const ENV = { OPENCODE_CONFIG_DIR: '/config', OPENCODE_TEST_HOME: '/home/me' }

const foldersOf = (worktree: string, directory: string, directories: Array<string>, more: object = {}) => {
  const { folders } = ruleFolders({ directory, worktree }, directories, { ...ENV, ...more })
  return folders.map(({ path }) => path).join(' ')
}

test('a relative entry of `rules.directories` is resolved from the worktree and from the directory', () =>
  expect(foldersOf('/w', '/w/a', ['rules', 'rules']))
    .toBe('/config/rules /w/.opencode/rules /w/a/.opencode/rules /w/rules /w/a/rules'))

const DIRECTORIES = ['rules', '../shared', '~/mine', '/abs']

// From `/w`, the entry `../shared` is `/shared`. From `/w/a`, it is `/w/shared`, which is in the project.
test('if the config of projects is disabled, only folders outside of the project are searched', () =>
  expect(foldersOf('/w', '/w/a', DIRECTORIES, { OPENCODE_DISABLE_PROJECT_CONFIG: 'true' }))
    .toBe('/config/rules /shared /home/me/mine /abs'))

// `/` and an empty worktree mean that there is no repository. `/w/a/b` does not contain `/w/a`.
test.each(['/', '', '/w/a/b'])(
  'with the worktree %j, only the directory /w/a counts as the project',
  (worktree) =>
    expect(foldersOf(worktree, '/w/a', DIRECTORIES))
      .toBe('/config/rules /w/shared /home/me/mine /abs /w/a/.opencode/rules /w/a/rules'),
)
