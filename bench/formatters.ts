/** Measures in the real host how often the model's view of a file is true after formatting, with SAT and without. */
import { type Counts, fuzz } from '../test/formatting/fuzz.ts'
import { type Bench, toRow } from './measure.ts'

const MESSAGES = 600
const MESSAGES_WITHOUT_SAT = 200
const SEED = 20_261_121

// The verdict `reports another line` is not about formatting, so it has no row. The total includes it.
const ROWS: Array<[label: string, verdicts: Array<keyof Counts>]> = [
  ['true as sent', ['true as sent']],
  ['corrected in the history', ['corrected']],
  ['told by a diff', ['told by a diff']],
  ['told line numbers, or told to read again', ['told by line numbers', 'told to read again']],
  ['removed blank lines, not reported', ['blank lines went']],
  ['wrong, unreported or wrongly reported', ['silent', 'wrong', 'wrong cause']],
  ['a call fails', ['fails']],
]

const countOf = (counts: Counts, verdicts = Object.keys(counts) as Array<keyof Counts>): number =>
  verdicts.reduce((sum, verdict) => sum + counts[verdict], 0)

const toPercent = (share: number): string => `${(share * 100).toFixed(1)} %`

const bench: Bench = async () => {
  const withSat = await fuzz({ seed: SEED, messages: MESSAGES, settings: ['option', 'host'] })
  const withoutSat = await fuzz({ seed: SEED, messages: MESSAGES_WITHOUT_SAT, settings: ['without SAT'] })
  return ROWS.map(([label, verdicts]) => {
    const baseline = `without SAT, ${countOf(withoutSat)} messages:`
    const shareOf = (counts: Counts) => countOf(counts, verdicts) / countOf(counts)
    const names = { label, size: `${countOf(withSat)} messages`, baseline }
    return toRow(names, shareOf(withSat), shareOf(withoutSat), toPercent)
  })
}

export default bench
