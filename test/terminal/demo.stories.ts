import { expect } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { CHECKOUT } from '../harness/host.ts'
import { KEYS, runOnTerminal, terminalStory } from '../harness/terminal.ts'

const SHOWN = [
  '→ discover-rules',
  '→ parse-rules',
  '→ format-rules',
  '→ rewrite-rules',
  'Allow once',
  'please never use floats for',
  'The shop sells tea. Keep prices in cents;',
  'the first request after a compaction still holds it',
  'Could not find oldString',
  'Edit applied successfully.',
  '▼ SAT',
  '• exports',
  '→ parse-prompt',
  '→ format-prompt',
  '├── 1. Fix the login',
  'opencode plugin ',
]

const startOnTerminal = (rows: number) => {
  const scratch = mkdtempSync(join(tmpdir(), 'sat-demo-'))
  const env = { ...process.env as Record<string, string>, TMPDIR: scratch, NO_COLOR: '1' }
  const terminal = runOnTerminal([process.execPath, 'test/demo/demo.ts'], {
    cwd: CHECKOUT,
    env,
    columns: 80,
    rows,
  })
  return {
    terminal,
    left: () => readdirSync(scratch),
    forget: () => rmSync(scratch, { recursive: true, force: true }),
  }
}

terminalStory(
  'the demo shows each step in 80 columns, goes on by itself or by Enter, and leaves nothing',
  async () => {
    const { terminal, left, forget } = startOnTerminal(500)
    let impatience: ReturnType<typeof setInterval> | undefined
    try {
      await terminal.shows(/Enter goes on/)
      await terminal.shows(/→ rewrite-rules/)
      impatience = setInterval(() => terminal.type(KEYS.enter), 300)
      const screen = await terminal.shows(/In a project of your own/, 300_000)
      expect(await terminal.exited).toBe(0)
      for (const words of SHOWN) expect(screen).toContain(words)
      expect(terminal.wrapped().filter((line) => !line.startsWith('In a project of your own'))).toEqual([])
      expect(screen).toContain('but dont touch the public API!! changelog too')
      expect(screen).toContain('> Constraints: do not touch the public API')
      expect(left()).toEqual([])
    } finally {
      clearInterval(impatience)
      await terminal.end()
      forget()
    }
  },
)

terminalStory('Ctrl-C ends the demo on a clean line, with its host and its folder', async () => {
  const { terminal, left, forget } = startOnTerminal(100)
  try {
    await terminal.shows(/Starting the host … \d/)
    terminal.type(KEYS.ctrlC)
    expect(await terminal.exited).toBe(130)
    // What the demo wrote last may still be on its way to the screen.
    await terminal.shows(/Stopped\./)
    expect(terminal.screen().trimEnd()).toBe('SAT in the real OpenCode host\nStopped.')
    await eventually(left, ({ length }) => length === 0, 'There is still its folder')
  } finally {
    await terminal.end()
    forget()
  }
})
