/** Checking what a model sent, against JSON.parse of the same text. */
import { ParseResponseSchema } from '../src/rule-schema.ts'
import { validateJson } from '../src/validate.ts'
import { type Row, sideBySide } from './measure.ts'

const rulesText = (amount: number): string =>
  JSON.stringify({
    rules: Array.from({ length: amount }, (_, index) => ({
      strength: 'forbidden',
      action: 'use',
      target: `non-null assertions in part ${index}`,
      reason: 'Use narrowing type guards to verify values before accessing them.',
    })),
  })

export default async (): Promise<Array<Row>> => {
  const rows: Array<Row> = []
  for (const amount of [10, 100, 1_000, 10_000]) {
    const text = rulesText(amount)
    rows.push(
      await sideBySide(
        { what: 'validation', size: `${amount} rules`, against: 'JSON.parse' },
        () => validateJson(text, ParseResponseSchema),
        () => JSON.parse(text),
      ),
    )
  }
  return rows
}
