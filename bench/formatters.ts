/** Format on save in the real host, with real sources and formatters: whether the model's view of a file stays true. */
import { fuzz } from '../test/formatting/fuzz.ts'
import { type Row, toRatio } from './measure.ts'

const MESSAGES = 600
const SEED = 20_261_121

export default async (): Promise<Array<Row>> => {
  const options = { seed: SEED, calls: 3 }
  const withSat = await fuzz({ ...options, messages: MESSAGES, settings: ['option', 'host'] })
  const without = await fuzz({ ...options, messages: MESSAGES / 3, settings: ['without SAT'] })
  const share = (part: number, all: typeof withSat) =>
    part / Object.values(all).reduce((sum, count) => sum + count, 0)
  const toPercent = (part: number) => `${(part * 100).toFixed(1)} %`
  const rows: Array<[string, Array<keyof typeof withSat>]> = [
    ['true as sent', ['true as sent']],
    ['corrected in the history', ['corrected']],
    ['told by a diff', ['told by a diff']],
    ['told by line numbers', ['told by line numbers', 'told to read again']],
    ['blank lines went', ['blank lines went']],
    ['wrong and not reported', ['silent', 'wrong', 'wrong cause']],
    ['a call fails', ['fails']],
  ]
  return rows.map(([what, verdicts]) => {
    const sum = (all: typeof withSat) => share(verdicts.reduce((total, one) => total + all[one], 0), all)
    return {
      what,
      size: `${MESSAGES} messages`,
      figure: toPercent(sum(withSat)),
      against: `without SAT ${toPercent(sum(without))}`,
      ratio: toRatio(sum(withSat), sum(without)),
    }
  })
}
