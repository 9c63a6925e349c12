import { expect, test } from 'bun:test'
import { ruleFolders, type RuleSources } from './rule-folders.ts'

const place = { directory: '/w', worktree: '/w' }
const folders = (sources: Partial<RuleSources>): Array<string> =>
  ruleFolders({ place, directories: [], env: {}, home: '/home/me', ...sources }).map(({ path }) => path)

const GLOBAL: Array<[env: RuleSources['env'], path: string]> = [
  [{}, '/home/me/.config/opencode/rules'],
  [{ XDG_CONFIG_HOME: '/xdg' }, '/xdg/opencode/rules'],
  [{ XDG_CONFIG_HOME: '' }, '/home/me/.config/opencode/rules'],
  [{ XDG_CONFIG_HOME: '/xdg', OPENCODE_CONFIG_DIR: '/own' }, '/own/rules'],
]

for (const [env, path] of GLOBAL) {
  test(`the global folder with ${JSON.stringify(env)}`, () => expect(folders({ env })[0]).toBe(path))
}

test('the project has the folders from the root of its worktree down to the directory, then the given ones', () => {
  expect(
    folders({
      place: { directory: '/w/a/b', worktree: '/w' },
      directories: ['rules', '../shared', '~/mine', '/abs', 'rules'],
    }).slice(1),
  ).toEqual([
    '/w/.opencode/rules',
    '/w/a/.opencode/rules',
    '/w/a/b/.opencode/rules',
    '/w/a/b/rules',
    '/w/a/shared',
    '/home/me/mine',
    '/abs',
  ])
})

test('a directory outside of its worktree, or without one, has its own folder only', () => {
  for (const worktree of ['/', '', '/other', '/w/a/b/c']) {
    expect(folders({ place: { directory: '/w/a', worktree } }).slice(1)).toEqual(['/w/a/.opencode/rules'])
  }
})
