/** Validation of a model's text, compared with JSON.parse of the same text. */
import { ParseResponseSchema } from '../src/rule-schema.ts'
import { validateJson } from '../src/validate.ts'
import { type Row, sideBySide } from './measure.ts'

const AMOUNT = 1_000

const TEXT = JSON.stringify({
  rules: Array.from({ length: AMOUNT }, (_, index) => ({
    strength: 'forbidden',
    action: 'use',
    target: `non-null assertions in part ${index}`,
    reason: 'Use narrowing type guards to verify values before accessing them.',
  })),
})

export default async (): Promise<Array<Row>> => [
  await sideBySide(
    { what: 'validation', size: `${AMOUNT} rules`, against: 'JSON.parse' },
    () => validateJson(TEXT, ParseResponseSchema),
    () => JSON.parse(TEXT),
  ),
]
