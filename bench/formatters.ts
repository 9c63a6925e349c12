/** Measures how often the model's view of a file is true after formatting, in the real host with real formatters. */
import { fuzz } from '../test/formatting/fuzz.ts'
import { type Bench, toRow } from './measure.ts'

const MESSAGES = 600
const SEED = 20_261_121

const bench: Bench = async () => {
  const withSat = await fuzz({ seed: SEED, messages: MESSAGES, settings: ['option', 'host'] })
  const withoutSat = await fuzz({ seed: SEED, messages: MESSAGES / 3, settings: ['without SAT'] })
  // Each row counts messages by one or more of the fuzzer's verdicts. `reports another line`, which is about the
  // checks of rules, has no row; it counts in the total.
  const rows: Array<[label: string, verdicts: Array<keyof typeof withSat>]> = [
    ['true as sent', ['true as sent']],
    ['corrected in the history', ['corrected']],
    ['told by a diff', ['told by a diff']],
    ['told by line numbers, or to read again', ['told by line numbers', 'told to read again']],
    ['removed blank lines, not reported', ['blank lines went']],
    ['wrong, unreported or wrongly reported', ['silent', 'wrong', 'wrong cause']],
    ['a call fails', ['fails']],
  ]
  const sum = (counts: Array<number>) => counts.reduce((total, count) => total + count, 0)
  return rows.map(([label, verdicts]) => {
    const shareOf = (counts: typeof withSat) =>
      sum(verdicts.map((verdict) => counts[verdict])) / sum(Object.values(counts))
    const names = { label, size: `${MESSAGES} messages`, baseline: 'without SAT' }
    return toRow(names, shareOf(withSat), shareOf(withoutSat), (share) => `${(share * 100).toFixed(1)} %`)
  })
}

export default bench
