/** The locks that a killed host or a full disk left keep nobody waiting. */
import { expect } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { DISCOVER, rewrite, startInHost } from './writer-calls.ts'

const MACHINE = `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`

const HOLDERS = {
  'empty.md': '',
  'ended.md': `${spawnSync('true').pid}\n1\n${MACHINE}`,
  'reused.md': `${process.pid}\n1\n${MACHINE}`,
}

// A lock that counts is waited for ten seconds.
const NO_WAIT_MS = 5_000

story('a lock that is empty, or whose process has ended, keeps no write waiting', async () => {
  const project = await startInHost(Object.fromEntries(Object.keys(HOLDERS).map((name) => [name, 'old\n'])))
  const locks = join((await sharedHost()).home, 'state', 'opencode-sat', 'locks')
  mkdirSync(locks, { recursive: true })
  for (const [name, holder] of Object.entries(HOLDERS)) {
    writeFileSync(
      join(locks, createHash('sha256').update(project.path(name)).digest('hex').slice(0, 32)),
      holder,
    )
  }
  const session = await project.session()
  const { outputs } = await session.turn(
    'write',
    DISCOVER,
    ...Object.keys(HOLDERS).map((name) => rewrite(name, '- new')),
  )
  for (const output of outputs.slice(1)) expect(output).toContain('| Success')
  const parts = (await session.messages()).flatMap((message) => message.parts)
  const times = parts.flatMap(({ state }) => {
    const { start, end } = Object(Object(state).time) as { start?: number; end?: number }
    return start !== undefined && end !== undefined ? [end - start] : []
  })
  expect(times.length).toBeGreaterThanOrEqual(4)
  for (const time of times) expect(time).toBeLessThan(NO_WAIT_MS)
  const left = readdirSync(project.directory).filter((name) => name.startsWith('.') && name.endsWith('.tmp'))
  expect(left).toEqual([])
})
