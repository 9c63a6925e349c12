import { expect, test } from 'bun:test'
import { ruleFolders, type RuleSources } from './rule-folders.ts'

const place = { directory: '/w', worktree: '/w' }
const folders = (sources: Partial<RuleSources>): Array<string> =>
  ruleFolders({ place, directories: [], config: '/home/me/.config/opencode', home: '/home/me', ...sources })
    .map(({ path }) => path)

test('the global folder comes first', () => {
  expect(folders({ config: '/own' })[0]).toBe('/own/rules')
})

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
    // what the project's config names holds in a folder of it, too
    '/w/rules',
    '/w/a/b/rules',
    '/shared',
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
