import { expect } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHECKOUT } from './host.ts'
import { story } from './story.ts'
import { KEYS, runOnTerminal, terminalStory } from './terminal.ts'

/** Runs the demo with a temporary folder of its own, so that what it leaves behind is seen. */
const startDemo = () => {
  const scratch = mkdtempSync(join(tmpdir(), 'sat-demo-'))
  const demo = Bun.spawn([process.execPath, 'test/demo.ts'], {
    cwd: CHECKOUT,
    env: { ...process.env, TMPDIR: scratch, NO_COLOR: '1' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const left = () => readdirSync(scratch)
  return { demo, left, forget: () => rmSync(scratch, { recursive: true, force: true }) }
}

const processes = (columns: string): Array<Array<string>> =>
  Bun.spawnSync(['ps', '-eo', columns]).stdout.toString().split('\n').map((line) => line.trim().split(/\s+/))

const childrenOf = (parent: number): Array<string> =>
  processes('pid,ppid').flatMap(([pid = '', ppid]) => ppid === String(parent) ? [pid] : [])

/** A killed process may stand in the table for a moment. */
const isGone = async (pid: string): Promise<boolean> => {
  const isThere = () => processes('pid,stat').some(([id, state]) => id === pid && !state?.startsWith('Z'))
  for (let tries = 0; tries < 300 && isThere(); tries++) await Bun.sleep(100)
  return !isThere()
}

const SHOWN = [
  '→ discover-rules',
  '→ parse-rules',
  '→ format-rules',
  '→ rewrite-rules',
  '| TOTAL ',
  '+Rule: do not use non-null assertions',
  'Allow once',
  '→ add-rules',
  'Restored ',
  'These rules apply from here on, because of `src/limits.ts`.',
  'export const limits = { login: 3, minutes: 20 }',
  'Edit applied successfully.',
  '→ parse-prompt',
  '→ format-prompt',
  '├── 1. Fix the login',
  'opencode plugin ',
]

const startOnTerminal = (rows: number) => {
  const scratch = mkdtempSync(join(tmpdir(), 'sat-demo-'))
  const env = { ...process.env as Record<string, string>, TMPDIR: scratch, NO_COLOR: '1' }
  const terminal = runOnTerminal([process.execPath, 'test/demo.ts'], {
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
    await Bun.sleep(500)
    terminal.type(KEYS.ctrlC)
    expect(await terminal.exited).toBe(130)
    // What the demo wrote last may still be on its way to the screen.
    await terminal.shows(/Stopped\./)
    expect(terminal.screen().trimEnd()).toBe('SAT in the real OpenCode host\nStopped.')
    for (let tries = 0; tries < 300 && left().length > 0; tries++) await Bun.sleep(100)
    expect(left()).toEqual([])
  } finally {
    await terminal.end()
    forget()
  }
})

story('an interrupt ends the demo, its host and its folder', async () => {
  const { demo, left, forget } = startDemo()
  const reader = demo.stdout.getReader()
  for (let shown = ''; !shown.includes('1. An instruction file');) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`The demo ended by itself: ${shown}`)
    shown += new TextDecoder().decode(value)
  }
  const hosts = childrenOf(demo.pid)
  expect(hosts).toHaveLength(1)
  demo.kill('SIGINT')
  expect(await demo.exited).toBe(130)
  for (const host of hosts) expect(await isGone(host)).toBe(true)
  expect(left()).toEqual([])
  forget()
})
