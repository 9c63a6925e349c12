import { expect, test } from 'bun:test'
import { readCommands } from './choose-command.ts'

test.each<[string, Record<string, string>, string | null]>([
  ['src/a.ts', { '*.ts': 'one' }, 'one'],
  ['src/.hidden/.a.ts', { '*.ts': 'one' }, 'one'],
  ['src/a.ts', { 'src/*.ts': 'one', '*.ts': 'two' }, 'one'],
  ['src/a.ts', { '*.ts': 'two', 'src/*.ts': 'one' }, 'two'],
  ['lib/a.ts', { 'src/**': 'one' }, null],
  ['src/deep/a.ts', { './src/**/*.ts': 'one' }, 'one'],
  ['src/a.tsx', { '*.{ts,tsx}': 'one' }, 'one'],
  ['cafe\u0301/a.ts', { 'café/*.ts': 'one' }, 'one'],
  ['café/a.ts', { 'cafe\u0301/*.ts': 'one' }, 'one'],
  ['a.js', { '*.ts': 'one' }, null],
  ['../outside/a.ts', { '*.ts': 'one', '**/*.ts': 'two' }, null],
])('%s under %j is formatted by %s', (path, patterns, words) => {
  expect(
    readCommands(patterns, { directory: '/p', worktree: '/' })(
      decodeURI(new URL(path, 'file:///p/').pathname),
    )?.words
      ?? null,
  ).toBe(words)
})
