/**
 * Measures how often the model's view of a file is true after formatting, with SAT and without, in the real host with
 * real formatters. The fuzzer plays messages with random edits, and gives each message a verdict.
 */
import { fuzz } from '../test/formatting/fuzz.ts'
import { type Bench, toRow } from './measure.ts'

const MESSAGES = 600
const MESSAGES_WITHOUT_SAT = 200
const SEED = 20_261_121

/** How many messages got each verdict. */
type Counts = Awaited<ReturnType<typeof fuzz>>

/**
 * The rows: each counts the messages with one of its verdicts. `reports another line` (a check reports a line that no call
 * wrote) has no row, because it is not about formatting; it counts in the total.
 */
const ROWS: Array<[label: string, verdicts: Array<keyof Counts>]> = [
  ['true as sent', ['true as sent']],
  ['corrected in the history', ['corrected']],
  ['told by a diff', ['told by a diff']],
  ['told by line numbers, or to read again', ['told by line numbers', 'told to read again']],
  ['removed blank lines, not reported', ['blank lines went']],
  ['wrong, unreported or wrongly reported', ['silent', 'wrong', 'wrong cause']],
  ['a call fails', ['fails']],
]

const sumOf = (counts: Array<number>): number => counts.reduce((total, count) => total + count, 0)

/** Returns the share of the messages that got one of the verdicts. */
const shareOf = (counts: Counts, verdicts: Array<keyof Counts>): number =>
  sumOf(verdicts.map((verdict) => counts[verdict])) / sumOf(Object.values(counts))

const toPercent = (share: number): string => `${(share * 100).toFixed(1)} %`

const bench: Bench = async () => {
  const withSat = await fuzz({ seed: SEED, messages: MESSAGES, settings: ['option', 'host'] })
  const withoutSat = await fuzz({ seed: SEED, messages: MESSAGES_WITHOUT_SAT, settings: ['without SAT'] })
  return ROWS.map(([label, verdicts]) => {
    const names = { label, size: `${MESSAGES} messages`, baseline: 'without SAT' }
    return toRow(names, shareOf(withSat, verdicts), shareOf(withoutSat, verdicts), toPercent)
  })
}

export default bench
