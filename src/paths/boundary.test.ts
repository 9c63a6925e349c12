import { expect, test } from 'bun:test'
import { contains, folderPattern, isInside, pathPattern, resolvePath } from './boundary.ts'

const HOME = '/home/ann'
const PLACE = { directory: '/work/repo/app', worktree: '/work/repo' }

// What a model may write as a path, from a session in /work/repo/app of the worktree /work/repo.
const HOSTILE: Array<[spelling: string, path: string, inside: boolean]> = [
  ['rules.md', '/work/repo/app/rules.md', true],
  ['.//.///rules.md', '/work/repo/app/rules.md', true],
  ['../other/rules.md', '/work/repo/other/rules.md', true],
  ['../../repo/rules.md', '/work/repo/rules.md', true],
  ['/work/repo', '/work/repo', true],
  ['/tmp/../work/repo/rules.md', '/work/repo/rules.md', true],
  ['..rules.md', '/work/repo/app/..rules.md', true],
  ['.../rules.md', '/work/repo/app/.../rules.md', true],
  ['..\\..\\rules.md', '/work/repo/app/..\\..\\rules.md', true],
  ['%2e%2e/%2e%2e/rules.md', '/work/repo/app/%2e%2e/%2e%2e/rules.md', true],
  ['file:///etc/passwd', '/work/repo/app/file:/etc/passwd', true],
  ['$HOME/.bashrc', '/work/repo/app/$HOME/.bashrc', true],
  ['~ann/.bashrc', '/work/repo/app/~ann/.bashrc', true],
  ['rules.md\n', '/work/repo/app/rules.md\n', true],
  [' rules.md', '/work/repo/app/ rules.md', true],
  ['．．/rules.md', '/work/repo/app/．．/rules.md', true],
  ['..∕..∕..∕etc', '/work/repo/app/..∕..∕..∕etc', true],
  ['../../rules.md', '/work/rules.md', false],
  ['../../../../../../../../etc/passwd', '/etc/passwd', false],
  ['a/../../../../etc/passwd', '/etc/passwd', false],
  ['/etc/passwd', '/etc/passwd', false],
  ['//etc/passwd', '/etc/passwd', false],
  ['/', '/', false],
  ['/work', '/work', false],
  ['/work/repo-evil/rules.md', '/work/repo-evil/rules.md', false],
  ['/work/repo.evil/rules.md', '/work/repo.evil/rules.md', false],
  ['/work/Repo/rules.md', '/work/Repo/rules.md', false],
  ['/work/repo/../repo-evil/rules.md', '/work/repo-evil/rules.md', false],
  ['../../repo-evil/rules.md', '/work/repo-evil/rules.md', false],
  ['../..', '/work', false],
  ['../../', '/work', false],
  ['/proc/self/root/work/repo/rules.md', '/proc/self/root/work/repo/rules.md', false],
  ['~', '/home/ann', false],
  ['~/.config/opencode/AGENTS.md', '/home/ann/.config/opencode/AGENTS.md', false],
  ['~/../bob/rules.md', '/home/bob/rules.md', false],
]

test.each(HOSTILE)('%j means %j; inside: %j', (spelling, path, inside) => {
  expect(resolvePath(PLACE.directory, spelling, HOME)).toEqual({ data: path, error: null })
  expect(isInside(PLACE, path)).toBe(inside)
})

test.each(['', ' ', '\t\n', 'rules.md\0', '\0', '../\0/etc'])('%j is no path', (spelling) => {
  expect(resolvePath(PLACE.directory, spelling, HOME).data).toBeNull()
})

test('without a repository the worktree is the root of the disk, and only the directory counts', () => {
  const place = { directory: '/work/repo/app', worktree: '/' }
  expect(isInside(place, '/work/repo/app/rules.md')).toBe(true)
  expect(isInside(place, '/work/repo/rules.md')).toBe(false)
  expect(isInside({ directory: '/work/repo', worktree: '' }, '/etc/passwd')).toBe(false)
})

test('a folder contains what is under it, not what is above it', () => {
  expect(contains('/a/', '/a/b')).toBe(true)
  expect(contains('/a/b', '/a')).toBe(false)
  expect(contains('/', '/a')).toBe(true)
})

test("the patterns are those of the host's own tools", () => {
  expect(pathPattern(PLACE, '/work/repo/app/rules.md')).toBe('app/rules.md')
  expect(pathPattern(PLACE, '/etc/rules.md')).toBe('../../etc/rules.md')
  expect(folderPattern('/etc/x')).toBe('/etc/x/*')
})
