import { expect, test } from 'bun:test'
import type { CompletedCall } from '../host/message-parts.ts'
import { findPart } from './find-part.ts'

const partOf = (callID: string, content: string) =>
  ({ callID, state: { input: { content } } }) as unknown as CompletedCall
const [first, other, again] = [partOf('call_1', 'a'), partOf('call_2', 'a'), partOf('call_1', 'b')]

test.each([
  ['call_1', 'a', first],
  ['call_1', 'unknown', again],
  ['call_2', 'unknown', other],
  ['call_3', 'a', undefined],
])(
  'finds the last part with the id %s and the content %p, or else the last part with this id',
  (callID, content, part) => {
    expect(findPart([first!, other!, again!], { callID, args: { content } })).toBe(part)
  },
)
