/** Compares the time to validate a model's text with the time of `JSON.parse`. */
import { ParseResponseSchema } from '../src/rule-schema.ts'
import { validateJson } from '../src/validate.ts'
import { type Bench, sideBySide } from './measure.ts'

const COUNT = 1_000

const TEXT = JSON.stringify({
  rules: Array.from({ length: COUNT }, (_, index) => ({
    strength: 'forbidden',
    action: 'use',
    target: `non-null assertions in part ${index}`,
    reason: 'Use narrowing type guards to verify values before accessing them.',
  })),
})

const bench: Bench = async () => [
  await sideBySide(
    { label: 'validation', size: `${COUNT} rules`, baseline: 'JSON.parse' },
    () => validateJson(TEXT, ParseResponseSchema),
    () => JSON.parse(TEXT),
  ),
]

export default bench
