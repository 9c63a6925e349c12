import { expect, test } from 'bun:test'
import { KnownFiles } from './known-files.ts'

const WORKSPACE = { directory: '/work/repo/app', worktree: '/work/repo' }
const hasCommand = (path: string) => /\/src\/\w+\.md$/.test(path)
const knownFiles = new KnownFiles(WORKSPACE, { hasCommand, whenOf: () => 'save' })

test.each([
  ['/link/a.md', '/work/repo/a.md', '/work/repo/a.md'],
  ['/work/repo/link/a.md', '/work/repo/a.md', '/work/repo/link/a.md'],
  ['/work/repo/link/a.md', '/work/repo/src/a.md', '/work/repo/src/a.md'],
  ['/work/repo/src/link.md', '/work/repo/src/a.md', '/work/repo/src/link.md'],
  ['/work/repo/link/a.md', '/etc/src/a.md', '/work/repo/link/a.md'],
  ['/link/a.md', '/etc/a.md', '/link/a.md'],
])('the file %s, whose real path is %s, is formatted under the path %s', (path, real, formatted) => {
  expect(knownFiles.pathOf({ path, real })).toBe(formatted)
})
