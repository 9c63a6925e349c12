import { expect } from 'bun:test'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import type { Setting } from './fuzz/formatters.ts'
import { PROGRAMMES, replay } from './programming.ts'

/** Prettier starts slowly: SAT runs it once for each step, the host with each edit. */
const SETTINGS: Record<string, Setting> = { shop: 'option', site: 'option', parser: 'host' }

// The bench compares them with the same sessions without SAT.
for (const programme of PROGRAMMES) {
  story(`no edit of a programming session fails, and nothing is read again: ${programme.name}`, async () => {
    const { edits, formatter, messages, name } = programme
    const played = await replay(await sharedHost(), programme, SETTINGS[name]!)
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
