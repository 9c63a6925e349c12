import { expect } from 'bun:test'
import { mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { CHECKOUT } from '../harness/host.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { KEYS, runOnTerminal, terminalStory } from '../harness/terminal.ts'

const SCENE_PHRASES = [
  'globs: src/**/*.ts',
  'What was just written to src/draft.ts breaks rules.',
  '▼ SAT',
  '! exports src/draft.ts:1',
  '• exports',
  'Seen: The answer told the model which line breaks the rule',
  'Could not find oldString',
  'Edit applied successfully.',
  'The first request after a compaction still contains the rule.',
  'please never use floats for',
  'Allow once',
  'The shop sells tea. Keep prices in cents;',
  '→ rewrite-rules: 1 file restored',
  'but dont touch the public API!! changelog too',
  '> Constraints: do not touch the public API',
  '├── 1. Fix the login',
  'opencode plugin ',
]

const scratch = scratchFolder()

const startOnTerminal = (rows: number) => {
  const TMPDIR = mkdtempSync(join(scratch, 'demo-'))
  const env = { ...process.env as Record<string, string>, TMPDIR, NO_COLOR: '1' }
  const command = [process.execPath, 'test/demo/demo.ts']
  const terminal = runOnTerminal(command, { cwd: CHECKOUT, env, columns: 80, rows })
  return { ...terminal, remainingFiles: () => readdirSync(TMPDIR) }
}

terminalStory('the demo shows each scene in 80 columns, and leaves no file', async () => {
  await using terminal = startOnTerminal(500) // So many rows that no line scrolls away.
  await terminal.shows(/Enter to go on/)
  // Without Enter, the demo goes on after two seconds.
  await terminal.shows(/2\. OpenCode's formatter/)
  const pressingEnter = setInterval(() => terminal.type(KEYS.enter), 300)
  const screen = await terminal.shows(/In a project of your own/, 300_000)
    .finally(() => clearInterval(pressingEnter))
  expect(await terminal.exited).toBe(0)
  for (const phrase of SCENE_PHRASES) expect(screen).toContain(phrase)
  expect(terminal.wrapped().filter((line) => !line.startsWith('In a project of your own'))).toEqual([])
  expect(terminal.remainingFiles()).toEqual([])
})

terminalStory('Ctrl-C ends the demo with the line `Stopped.`, and removes its folder', async () => {
  await using terminal = startOnTerminal(100)
  await terminal.shows(/Starting the host … \d/)
  terminal.type(KEYS.ctrlC)
  expect(await terminal.exited).toBe(130)
  await terminal.shows(/Stopped\./)
  expect(terminal.screen().trimEnd()).toBe('SAT in the real OpenCode host\nStopped.')
  await eventually(terminal.remainingFiles, ({ length }) => length === 0, 'The demo left its folder')
})
