import { expect } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHECKOUT } from './host.ts'
import { story } from './story.ts'

/** Runs the demo with a temporary folder of its own, so that what it leaves behind is seen. */
const startDemo = () => {
  const scratch = mkdtempSync(join(tmpdir(), 'sat-demo-'))
  const demo = Bun.spawn([process.execPath, 'test/demo.ts'], {
    cwd: CHECKOUT,
    env: { ...process.env, TMPDIR: scratch, NO_COLOR: '1' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  // The host's runtime unpacks native modules into the temporary folder; they are not the demo's.
  const left = () => readdirSync(scratch).filter((name) => name.startsWith('sat-'))
  return { demo, left, forget: () => rmSync(scratch, { recursive: true, force: true }) }
}

const processes = (columns: string): Array<Array<string>> =>
  Bun.spawnSync(['ps', '-eo', columns]).stdout.toString().split('\n').map((line) => line.trim().split(/\s+/))

const childrenOf = (parent: number): Array<string> =>
  processes('pid,ppid').flatMap(([pid = '', ppid]) => ppid === String(parent) ? [pid] : [])

/** A killed process may stand in the table for a moment. */
const isGone = async (pid: string): Promise<boolean> => {
  const isThere = () => processes('pid,stat').some(([id, state]) => id === pid && !state?.startsWith('Z'))
  for (let tries = 0; tries < 50 && isThere(); tries++) await Bun.sleep(100)
  return !isThere()
}

story('the demo shows each step, the file and the tree, and leaves nothing behind', async () => {
  const { demo, left, forget } = startDemo()
  const shown = await new Response(demo.stdout).text()
  expect(await new Response(demo.stderr).text()).toBe('')
  expect(await demo.exited).toBe(0)
  for (
    const words of [
      '→ discover-rules',
      '→ parse-rules',
      '→ format-rules',
      '→ rewrite-rules',
      '| TOTAL ',
      '→ parse-prompt',
      '→ format-prompt',
      '├── 1. Fix the login',
      'opencode plugin ',
    ]
  ) {
    expect(shown).toContain(words)
  }
  expect(left()).toEqual([])
  forget()
})

story('Ctrl-C ends the demo, its host and its folder', async () => {
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
