/** Format on save in the real host, with real sources and formatters: what a model is left to believe. */
import { fuzz } from '../test/format-on-save-fuzz.ts'
import { type Row, toRatio } from './measure.ts'

const EDITS = 600
const SEED = 20_261_121

export default async (): Promise<Array<Row>> => {
  const withSat = await fuzz({ edits: EDITS, seed: SEED, settings: ['option', 'host'] })
  const without = await fuzz({ edits: EDITS / 3, seed: SEED, settings: ['without SAT'] })
  const share = (part: number, all: typeof withSat) =>
    part / Object.values(all).reduce((sum, count) => sum + count, 0)
  const toPercent = (part: number) => `${(part * 100).toFixed(1)} %`
  const rows: Array<[string, Array<keyof typeof withSat>]> = [
    ['true as sent', ['true as sent']],
    ['corrected in the history', ['corrected']],
    ['told by a note', ['noted']],
    ['untrue and untold', ['silent', 'wrong']],
    ['the next edit fails', ['fails']],
  ]
  return rows.map(([what, verdicts]) => {
    const sum = (all: typeof withSat) => share(verdicts.reduce((total, one) => total + all[one], 0), all)
    return {
      what,
      size: `${EDITS} edits`,
      figure: toPercent(sum(withSat)),
      against: `without SAT ${toPercent(sum(without))}`,
      ratio: toRatio(sum(withSat), sum(without)),
    }
  })
}
