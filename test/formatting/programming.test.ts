import { expect } from 'bun:test'
import { bareHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { program, SETTINGS } from './programming/play.ts'
import { EDITS } from './programming/session.ts'

story('a session that programs: no edit fails with SAT, and it asks less often', async () => {
  expect(EDITS).toBeGreaterThanOrEqual(40)
  const host = await bareHost()
  const [sat, bare] = await Promise.all([program(host, SETTINGS.with), program(host, SETTINGS.without)])
  expect({ edits: sat.edits, failed: sat.failed }).toEqual({ edits: EDITS, failed: 0 })
  expect(bare.failed).toBeGreaterThan(5)
  expect(sat.files).toEqual(bare.files)
  expect(sat.requests.length).toBeLessThan(bare.requests.length)
})
