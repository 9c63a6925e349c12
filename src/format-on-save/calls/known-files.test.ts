import { expect, test } from 'bun:test'
import { readCommands } from '../run/choose-command.ts'
import { KnownFiles } from './known-files.ts'

const WORKSPACE = { directory: '/work/repo/app', worktree: '/work/repo' }
const commandOf = readCommands({ 'src/*.md': 'fmt' }, WORKSPACE)
const knownFiles = new KnownFiles(WORKSPACE, (path) => commandOf(path) !== null)

test.each([
  ['/link/a.md', '/work/repo/a.md', '/work/repo/a.md'],
  ['/work/repo/link/a.md', '/work/repo/a.md', '/work/repo/link/a.md'],
  ['/work/repo/link/a.md', '/work/repo/src/a.md', '/work/repo/src/a.md'],
  ['/work/repo/src/latest', '/work/repo/src/a.md', '/work/repo/src/a.md'],
  ['/work/repo/src/link.md', '/work/repo/lib/a.md', '/work/repo/src/link.md'],
  ['/work/repo/src/link.md', '/work/repo/src/a.md', '/work/repo/src/link.md'],
  ['/work/repo/link/a.md', '/etc/src/a.md', '/work/repo/link/a.md'],
  ['/link/a.md', '/etc/a.md', '/link/a.md'],
])('the file %s, whose real path is %s, is formatted under the path %s', (path, real, formatted) => {
  expect(knownFiles.pathOf({ path, real })).toBe(formatted)
})
