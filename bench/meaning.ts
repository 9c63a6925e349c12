/**
 * Measures how often SAT doubts that a rewritten rule kept its meaning, for right texts and for wrong texts (slips).
 * Also measures how fast SAT compares meanings.
 */
import { compareMeaning } from '../src/meaning/compare-meaning.ts'
import type { ParsedRule } from '../src/rule-schema.ts'
import { doubtRates, type Rate } from '../test/corpora/corpus.ts'
import { type Bench, medianOfRuns, type Row, timeOf, toRow } from './measure.ts'

const SUBJECTS = ['tests', 'errors', 'imports', 'branches', 'comments', 'secrets', 'migrations']

const manyRules = (count: number): { parsed: Array<ParsedRule>; formatted: Array<string> } => {
  const targetAt = (index: number): string => `${SUBJECTS[index % SUBJECTS.length]} of \`module${index}\``
  const targets = Array.from({ length: count }, (_, index) => targetAt(index))
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

const timeToCompare = (count: number): Promise<number> => {
  const { parsed, formatted } = manyRules(count)
  return medianOfRuns(9, () => timeOf(() => compareMeaning(parsed, [], formatted)))
}

const rateRow = (label: string, { doubted, of }: Rate): Row => ({
  label,
  size: 'ten files',
  figure: `${doubted} of ${of}`,
  baseline: '',
  ratio: `${Math.round(100 * doubted / of)} %`,
})

const bench: Bench = async () => {
  const { right, slips } = doubtRates()
  // The first run makes the engine compile the code.
  await timeToCompare(1_000)
  const ofHundred = await timeToCompare(100)
  const ofThousand = await timeToCompare(1_000)
  return [
    rateRow('right texts, doubted', right),
    ...[...slips].map(([kind, rate]) => rateRow(`slips of the kind ${kind}, doubted`, rate)),
    toRow({ label: 'comparing meaning', size: '1000 rules', baseline: '100 rules' }, ofThousand, ofHundred),
  ]
}

export default bench
