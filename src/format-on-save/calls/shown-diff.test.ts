import { expect, test } from 'bun:test'
import { METADATA_KEY } from '../../host/message-parts.ts'
import { markFormatted } from './shown-diff.ts'

test('a call keeps `corrected: true` when it is marked again with `corrected: false`', () => {
  const metadata = {}
  for (const corrected of [true, false]) markFormatted(metadata, { formatted: ['/a.ts'], corrected })
  expect(metadata).toEqual({ [METADATA_KEY]: { formatted: ['/a.ts'], corrected: true } })
})
