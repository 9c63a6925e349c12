/** Replays recorded programming sessions with formatters. */
import { expect } from 'bun:test'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { RECORDED_SESSIONS, replay } from './programming.ts'
import type { Setting } from './settings.ts'

/** `site` uses SAT's option, because the host would start the slow Prettier after each edit. */
const SETTINGS: Record<string, Setting> = { shop: 'option', site: 'option', parser: 'host' }

for (const recorded of RECORDED_SESSIONS) {
  story(`no edit fails or needs another read, and all files are formatted: ${recorded.name}`, async () => {
    const { edits, formatter, messages, name } = recorded
    const played = await replay(await sharedHost(), recorded, SETTINGS[name]!)
    // A failed edit or a read would add a request.
    expect({ ...played, requests: played.requests.length })
      .toMatchObject({ edits, failed: 0, requests: messages.length + 1 })
    for (const [file, text] of Object.entries(played.files)) {
      expect(await formatter.format(text, `/tmp/${file}`)).toBe(text)
    }
  })
}
