import { expect } from 'bun:test'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { program, PROGRAMMES } from './programming.ts'

// What the same model does without SAT is a figure of the bench.
for (const programme of PROGRAMMES) {
  story(
    `a session that programs: no edit fails with SAT, and nothing is read again: ${programme.name}`,
    async () => {
      const { edits, failed, requests, files } = await program(
        await sharedHost(),
        programme,
        programme.setting,
      )
      expect({ edits, failed, requests: requests.length }).toEqual({
        edits: programme.edits,
        failed: 0,
        requests: programme.messages.length + 1,
      })
      for (const [name, text] of Object.entries(files)) {
        expect(await programme.formatter.format(text, `/tmp/${name}`)).toBe(text)
      }
    },
  )
}
