/** Format on save: how long it takes to realign an edit in a large file, and how many edits can be realigned. */
import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { realign } from '../src/format-on-save/realign.ts'
import { editCase, isFormattedApart } from '../test/format-on-save-cases.ts'
import { type Row, sideBySide, toRatio } from './measure.ts'

const EDITS = 2_000
const SEED = 20_261_121

/** A file of so many characters as a formatter would print it, and as a person might have typed it. */
const fileOf = (characters: number): { tidy: string; untidy: string } => {
  const tidy: Array<string> = []
  const untidy: Array<string> = []
  for (let index = 0, size = 0; size < characters; index += 1) {
    tidy.push(
      `export const value${index} = (one, two) => {\n  return compute(one, 'text', [two, ${index}]);\n};\n`,
    )
    untidy.push(
      `export const value${index}=(one,two)=>{\n    return compute( one,"text",[two,${index}] )\n}\n`,
    )
    size += tidy.at(-1)!.length
  }
  return { tidy: tidy.join(''), untidy: untidy.join('') }
}

/** The time to realign one edit in files of growing size, of which one line or every line was formatted. */
const times = async (characters: number): Promise<Array<Row>> => {
  const { tidy, untidy } = fileOf(characters)
  const size = `${characters / 1_000} kB`
  const edit = 'const added = {one:1,two:"2"}\n'
  const at = tidy.lastIndexOf('export', tidy.length / 2)
  const withEdit = (text: string) => tidy.slice(0, at) + text + tidy.slice(at)
  const before = withEdit(edit)
  const after = withEdit("const added = { one: 1, two: '2' };\n")
  const start = untidy.lastIndexOf('export', untidy.length / 2)
  const range = { start, end: untidy.indexOf('\n}', start) + 1 }
  const hash = () => createHash('sha256').update(tidy).digest('hex')
  const row = (what: string, work: () => unknown) =>
    sideBySide({ what, size, against: 'sha256 of the file' }, work, hash)
  return [
    await row(
      'realigning, one edit formatted',
      () => realign(before, after)({ start: at, end: at + edit.length }),
    ),
    await row('realigning, every line formatted', () => realign(untidy, tidy)(range)),
  ]
}

/** The share of generated edits, formatted by a real formatter, whose formatted counterpart is found. */
const rate = (): Row => {
  const cases = fc.sample(editCase, { numRuns: EDITS, seed: SEED })
  const share = (isFound: (one: (typeof cases)[number]) => boolean) =>
    cases.filter(isFound).length / cases.length
  const found = share(({ raw, formatted, range }) => realign(raw, formatted)(range) !== null)
  const stable = share(({ raw, formatted, range }) =>
    isFormattedApart(raw.slice(0, range.start), raw.slice(range.end), formatted)
  )
  const toPercent = (part: number) => `${(part * 100).toFixed(2)} %`
  return {
    what: 'edits realigned',
    size: `${EDITS} generated`,
    figure: toPercent(found),
    against: `stable ranges ${toPercent(stable)}`,
    ratio: toRatio(found, stable),
  }
}

export default async (): Promise<Array<Row>> => [
  ...await times(10_000),
  ...await times(100_000),
  ...await times(1_000_000),
  rate(),
]
