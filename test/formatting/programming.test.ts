import { expect } from 'bun:test'
import { sharedHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { program, PROGRAMMES } from './programming.ts'

// What the same model does without SAT is a figure of the bench.
for (const programme of PROGRAMMES) {
  story(
    `in a session that programs no edit fails, and nothing is read again: ${programme.name}`,
    async () => {
      const { edits, formatter, messages, setting } = programme
      const played = await program(await sharedHost(), programme, setting)
      expect({ ...played, requests: played.requests.length }).toMatchObject({
        edits,
        failed: 0,
        requests: messages.length + 1,
      })
      for (const [name, text] of Object.entries(played.files)) {
        expect(await formatter.format(text, `/tmp/${name}`)).toBe(text)
      }
    },
  )
}
