import { expect } from 'bun:test'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { RECORDED_SESSIONS, replay } from './programming.ts'
import type { Setting } from './settings.ts'

/** Prettier starts slowly: SAT runs it once for each step, the host with each edit. */
const SETTINGS: Record<string, Setting> = { shop: 'option', site: 'option', parser: 'host' }

// The bench compares them with the same sessions without SAT.
for (const recorded of RECORDED_SESSIONS) {
  story(`no edit of a programming session fails, and nothing is read again: ${recorded.name}`, async () => {
    const { edits, formatter, messages, name } = recorded
    const played = await replay(await sharedHost(), recorded, SETTINGS[name]!)
    expect({ ...played, requests: played.requests.length }).toMatchObject({
      edits,
      failed: 0,
      requests: messages.length + 1,
    })
    for (const [name, text] of Object.entries(played.files)) {
      expect(await formatter.format(text, `/tmp/${name}`)).toBe(text)
    }
  })
}
