import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { readCommands } from './choose-command.ts'

test.each<[path: string, globs: Record<string, string>, command: string | null]>([
  ['src/a.ts', { '*.ts': 'one' }, 'one'],
  ['src/.hidden/.a.ts', { '*.ts': 'one' }, 'one'],
  ['src/a.ts', { 'src/*.ts': 'one', '*.ts': 'two' }, 'one'],
  ['src/a.ts', { '*.ts': 'two', 'src/*.ts': 'one' }, 'two'],
  ['lib/a.ts', { 'src/**': 'one' }, null],
  ['src/deep/a.ts', { './src/**/*.ts': 'one' }, 'one'],
  ['src/a.tsx', { '*.{ts,tsx}': 'one' }, 'one'],
  ['cafe\u0301/a.ts', { 'café/*.ts': 'one' }, 'one'],
  ['café/a.ts', { 'cafe\u0301/*.ts': 'one' }, 'one'],
  ['app/[id]/a.ts', { 'app/[id]/*.ts': 'one' }, 'one'],
  ['app/i/a.ts', { 'app/[id]/*.ts': 'one' }, 'one'],
  ['app/id/a.ts', { 'app/[id]/*.ts': 'one' }, null],
  ['app/[[...slug]].tsx', { 'app/[[...slug]].{js,tsx}': 'one' }, 'one'],
  ['app/[id].ts', { 'app/\\[id\\].ts': 'one' }, 'one'],
  ['app/i.ts', { 'app/\\[id\\].ts': 'one' }, null],
  ['b.ts', { '*.[tj]s': 'one' }, 'one'],
  ['../b/a.ts', { '*.ts': 'one' }, 'one'],
  ['../b/a.ts', { 'b/*.ts': 'one' }, 'one'],
  ['../c/a.ts', { 'b/*.ts': 'one' }, null],
  ['../../outside/a.ts', { '*.ts': 'one', '**/*.ts': 'two' }, null],
])('the file %s, with the globs %j, is formatted by %s', (path, globs, command) => {
  const commandOf = readCommands(globs, { directory: '/w/p', worktree: '/w' })
  expect(commandOf(resolve('/w/p', path))?.text ?? null).toBe(command)
})
