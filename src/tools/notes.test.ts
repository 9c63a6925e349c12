import { expect, test } from 'bun:test'
import { remainingNote } from './notes.ts'

const NOTHING = { ordering: [], others: [], overtaken: [] }

test.each<[Partial<Parameters<typeof remainingNote>[0]>, Array<RegExp>]>([
  [{}, []],
  [{ ordering: [3] }, [/as they are: line 3 \(an order: was it left out\?\)\.$/]],
  [{ ordering: [3, 5], others: [[1, 1], [7, 9]] }, [/: lines 3, 5 \(an order.*\); lines 1, 7-9\.$/]],
  [{ others: [[2, 4]] }, [/as they are: lines 2-4\.$/]],
  [{ overtaken: [4, 6] }, [/^What stays on line 4, line 6 will stand before the rules/]],
])('the note on %j', (remaining, notes) => {
  expect(remainingNote({ ...NOTHING, ...remaining })).toEqual(
    notes.map((note) => expect.stringMatching(note)),
  )
})
