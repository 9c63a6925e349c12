import { expect, test } from 'bun:test'
import { contains, folderPattern, isInProject, pathPattern, resolvePath } from './boundary.ts'

const HOME = '/home/ann'
const WORKSPACE = { directory: '/work/repo/app', worktree: '/work/repo' }
const FILE_NAMES_LIKE_PARENT_OR_HOME =
  '..rules.md|.../rules.md|..\\..\\rules.md|%2e%2e/rules.md|$HOME/a|~ann/a| a\n|．．/a'

test.each<readonly [written: string, path: string, isInside: boolean]>([
  ['.//.///rules.md', '/work/repo/app/rules.md', true],
  ['../other/rules.md', '/work/repo/other/rules.md', true],
  ...FILE_NAMES_LIKE_PARENT_OR_HOME.split('|').map((name) => [name, `/work/repo/app/${name}`, true] as const),
  ['file:///etc/passwd', '/work/repo/app/file:/etc/passwd', true],
  ['../..', '/work', false],
  ['/work/repo/../repo-evil/rules.md', '/work/repo-evil/rules.md', false],
  ['/work/Repo/rules.md', '/work/Repo/rules.md', false],
  ['~', '/home/ann', false],
  ['~/../bob/rules.md', '/home/bob/rules.md', false],
])('the path %j resolves to %j; in the project: %j', (written, path, isInside) => {
  expect(resolvePath(WORKSPACE.directory, written, HOME)).toEqual({ data: path, error: null })
  expect(isInProject(WORKSPACE, path)).toBe(isInside)
})

test.each(['', '\t\n', '../\0/etc'])('%j is not a path', (written) => {
  expect(resolvePath(WORKSPACE.directory, written, HOME).data).toBeNull()
})

test.each(['/', ''])('without a repository (worktree %j), only the directory is the project', (worktree) => {
  const workspace = { directory: '/work/repo/app', worktree }
  expect(isInProject(workspace, '/work/repo/app/rules.md')).toBe(true)
  expect(isInProject(workspace, '/work/repo/rules.md')).toBe(false)
})

test('a folder contains the paths below it, but not its parent', () => {
  expect([contains('/a/', '/a/b'), contains('/a/b', '/a'), contains('/', '/a')]).toEqual([true, false, true])
})

test("permissions use the same patterns as the host's tools", () => {
  expect(pathPattern(WORKSPACE, '/work/repo/app/rules.md')).toBe('app/rules.md')
  expect(pathPattern(WORKSPACE, '/etc/rules.md')).toBe('../../etc/rules.md')
  expect(folderPattern('/etc/x')).toBe('/etc/x/*')
})
