import { compareMeaning } from '../src/meaning/compare-meaning.ts'
import type { ParsedRule } from '../src/rule-schema.ts'
import { type Rate, ratesOfMeaning } from '../test/corpora/corpus.ts'
import { type Row, toTime } from './measure.ts'

const SUBJECTS = ['tests', 'errors', 'imports', 'branches', 'comments', 'secrets', 'migrations']

/** A number of rules and their texts. */
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

/** Measures the time to compare a number of rules, in milliseconds: the median of nine runs. */
const timeOf = (amount: number): number => {
  const { parsed, formatted } = manyRules(amount)
  const times = Array.from({ length: 9 }, () => {
    const start = performance.now()
    compareMeaning(parsed, [], formatted)
    return performance.now() - start
  })
  return times.toSorted((one, other) => one - other)[4]!
}

const toRow = (what: string, { hits, of }: Rate): Row => ({
  what,
  size: 'ten files',
  figure: `${hits} of ${of}`,
  against: '',
  ratio: `${Math.round(100 * hits / of)} %`,
})

export default async (): Promise<Array<Row>> => {
  const { right, slips } = ratesOfMeaning()
  timeOf(1_000)
  const [hundred, thousand] = [timeOf(100), timeOf(1_000)]
  return [
    toRow('right texts, doubted', right),
    ...[...slips].map(([kind, rate]) => toRow(`slips of the kind ${kind}, doubted`, rate)),
    {
      what: 'comparing meaning',
      size: '1000 rules',
      figure: toTime(thousand),
      against: `100 rules ${toTime(hundred)}`,
      ratio: `${(thousand / hundred).toFixed(1)}×`,
    },
  ]
}
