import { expect } from 'bun:test'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { formatTypeScript } from './cases.ts'
import { EDITS, MESSAGES, program, SETTINGS } from './programming.ts'

// What the same model does without SAT is a figure of the bench.
story('a session that programs: no edit fails with SAT, and nothing is read again', async () => {
  expect(EDITS).toBeGreaterThanOrEqual(40)
  const { edits, failed, requests, files } = await program(await sharedHost(), SETTINGS.with)
  expect({ edits, failed, requests: requests.length }).toEqual({
    edits: EDITS,
    failed: 0,
    requests: MESSAGES.length + 1,
  })
  for (const text of Object.values(files)) expect(formatTypeScript(text)).toBe(text)
})
