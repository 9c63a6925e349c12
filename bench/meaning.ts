/** Measures the comparison of parsed rules with their texts: how many right and wrong texts it doubts, and its time. */
import { compareMeaning } from '../src/meaning/compare-meaning.ts'
import type { ParsedRule } from '../src/rule-schema.ts'
import { type Rate, ratesOfMeaning } from '../test/corpora/corpus.ts'
import { type Bench, medianOfRuns, type Row, timeOf, toRow } from './measure.ts'

const SUBJECTS = ['tests', 'errors', 'imports', 'branches', 'comments', 'secrets', 'migrations']

/** Creates a number of rules: each as the model parsed it, and its text. */
const manyRules = (count: number): { parsed: Array<ParsedRule>; formatted: Array<string> } => {
  const subjects = Array.from({ length: count }, (_, index) => SUBJECTS[index % SUBJECTS.length])
  const targets = subjects.map((subject, index) => `${subject} of \`module${index}\``)
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
const timeToCompare = (count: number): Promise<number> => {
  const { parsed, formatted } = manyRules(count)
  return medianOfRuns(9, () => timeOf(() => compareMeaning(parsed, [], formatted)))
}

/** Creates a row: how many texts of the corpus the comparison doubts. */
const rateRow = (label: string, { doubted, of }: Rate): Row => ({
  label,
  size: 'ten files',
  figure: `${doubted} of ${of}`,
  baseline: '',
  ratio: `${Math.round(100 * doubted / of)} %`,
})

const bench: Bench = async () => {
  const { right, slips } = ratesOfMeaning()
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
