import { compareMeaning } from '../src/meaning/compare-with-parsed.ts'
import type { ParsedRule } from '../src/rule-schema.ts'
import { type Rate, ratesOf } from '../test/corpora/corpus.ts'
import { type Row, toTime } from './measure.ts'

const SUBJECTS = ['tests', 'errors', 'imports', 'branches', 'comments', 'secrets', 'migrations']

/** So many rules, and the words for them. */
const manyRules = (amount: number): { parsed: Array<ParsedRule>; formatted: Array<string> } => {
  const targets = Array.from(
    { length: amount },
    (_, index) => `${SUBJECTS[index % SUBJECTS.length]} of \`module${index}\``,
  )
  return {
    parsed: targets.map((target, index) => ({
      strength: index % 2 === 0 ? 'forbidden' : 'obligatory',
      action: 'change',
      target,
      context: 'unless the user asks',
    })),
    formatted: targets.map((target, index) =>
      `Rule: ${index % 2 === 0 ? 'never ' : ''}change ${target} unless you are asked to`
    ),
  }
}

/** The time that comparing so many rules takes, in milliseconds: the median of nine. */
const timeOf = (amount: number): number => {
  const { parsed, formatted } = manyRules(amount)
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now()
    compareMeaning(parsed, formatted)
    return performance.now() - start
  })
  return times.toSorted((one, other) => one - other)[4]!
}

const percent = ({ hits, of }: Rate): string => `${Math.round(100 * hits / of)} %`

export default async (): Promise<Array<Row>> => {
  const rateRows = (['tuned', 'rewrites', 'held out', 'unseen'] as const).flatMap((corpus) => {
    const { right, slips } = ratesOf(corpus)
    const hits = [...slips.values()].reduce((sum, rate) => sum + rate.hits, 0)
    const of = [...slips.values()].reduce((sum, rate) => sum + rate.of, 0)
    const row = ([what, rate]: [string, Rate]): Row => ({
      what,
      size: corpus,
      figure: `${rate.hits} of ${rate.of}`,
      against: '',
      ratio: percent(rate),
    })
    return [
      ...[...right].map(([kind, rate]) => row([`right ${kind}, doubted`, rate])),
      ...(of === 0 ? [] : [row(['slips, doubted', { hits, of }])]),
    ]
  })
  timeOf(1_000)
  const [hundred, thousand] = [timeOf(100), timeOf(1_000)]
  return [
    ...rateRows,
    {
      what: 'comparing meaning',
      size: '1000 rules',
      figure: toTime(thousand),
      against: `100 rules ${toTime(hundred)}`,
      ratio: `${(thousand / hundred).toFixed(1)}×`,
    },
  ]
}
