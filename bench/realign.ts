/** Measures how fast SAT "realigns" edits (finds their new text in the formatted file), and how many it can realign. */
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { safe } from '../src/safe.ts'
import { realign } from '../src/steps/realign/realign.ts'
import type { Span } from '../src/text/changed-range.ts'
import { drawEdit } from '../test/formatting/fuzz/edits.ts'
import { createDprint } from '../test/formatting/fuzz/formatters.ts'
import { randomOf } from '../test/formatting/fuzz/random.ts'
import { readSources } from '../test/formatting/fuzz/sources.ts'
import { LARGE_CALLS, LARGE_TEXT, type LargeCall, playLarge } from '../test/formatting/large.ts'
import { DPRINT_SETTINGS } from '../test/harness/dprint.ts'
import { startPlugin } from '../test/harness/in-process.ts'
import { longestHold } from '../test/harness/longest-hold.ts'
import { type Bench, inFolder, medianOfRuns, type Row, sideBySide, timeOf, toRow, toTime } from './measure.ts'

const SIZES = [10_000, 100_000, 1_000_000]

const bench: Bench = async () => {
  const rows: Array<Row> = []
  for (const size of SIZES) {
    rows.push(await rowOfFormattedEdit(size))
    rows.push(await rowOfFormattedFile('every line formatted', fileOf(size), 'export'))
  }
  rows.push(await rowOfFormattedFile('one line', oneLineOf(1_000_000), '{'))
  for (const size of SIZES) rows.push(await rowOfHooks(size))
  for (const call of LARGE_CALLS) rows.push(await rowOfLargeCall(call))
  return [...rows, rowOfRate()]
}

export default bench

type Sample = { tidy: string; untidy: string }

const fileOf = (characters: number): Sample => {
  const file = { tidy: '', untidy: '' }
  for (let index = 0; file.tidy.length < characters; index += 1) {
    file.tidy +=
      `export const v${index} = (one, two) => {\n  return compute(one, 'text', [two, ${index}]);\n};\n`
    file.untidy += `export const v${index}=(one,two)=>{\n    return compute( one,"text",[two,${index}] )\n}\n`
  }
  return file
}

const oneLineOf = (characters: number): Sample => {
  const count = Math.ceil(characters / '{ "key10000": [1, 2] }'.length)
  const items = Array.from({ length: count }, (_, index) => index)
  return {
    tidy: `[${items.map((index) => `{ "key${index}": [1, 2] }`).join(', ')}]\n`,
    untidy: `[${items.map((index) => `{"key${index}":[1,2]}`).join(',')}]\n`,
  }
}

const middleOf = (text: string): number => text.lastIndexOf('export', text.length / 2)

const counterpartOf = (before: string, after: string, range: Span): Span => {
  const counterpart = realign(before, after)(range)
  if (counterpart === null) throw new Error(`no counterpart in ${after.length} characters`)
  return counterpart
}

const besideHash = (label: string, text: string, work: () => unknown): Promise<Row> =>
  sideBySide(
    { label, size: `${Math.round(text.length / 1_000)} kB`, baseline: 'sha256 of the file' },
    work,
    () => createHash('sha256').update(text).digest('hex'),
  )

const rowOfFormattedEdit = (characters: number): Promise<Row> => {
  const { tidy } = fileOf(characters)
  const addedAt = middleOf(tidy)
  const withAdded = (text: string) => tidy.slice(0, addedAt) + text + tidy.slice(addedAt)
  const added = 'const added = {one:1,two:"2"}\n'
  const before = withAdded(added)
  const after = withAdded("const added = { one: 1, two: '2' };\n")
  const range = { from: addedAt, to: addedAt + added.length }
  return besideHash('realigning, one edit formatted', tidy, () => counterpartOf(before, after, range))
}

const rowOfFormattedFile = (name: string, { tidy, untidy }: Sample, start: string): Promise<Row> => {
  const from = untidy.indexOf(start, untidy.length / 2)
  const range = { from, to: untidy.indexOf('}', from) + 1 }
  return besideHash(`realigning, ${name}`, tidy, () => counterpartOf(untidy, tidy, range))
}

const rowOfHooks = (characters: number): Promise<Row> =>
  inFolder(async (folder) => {
    const { tidy } = fileOf(characters)
    const filePath = join(folder, 'file.ts')
    const hooks = await startPlugin({ directory: folder }, { rules: false })
    // With a formatter in the host's config, SAT follows the edits of files, but runs no formatter itself.
    await hooks.config?.({ formatter: { any: { command: ['true'], extensions: ['.any'] } } })
    const at = middleOf(tidy)
    const oldString = tidy.slice(at, at + 30)
    const args = { filePath, oldString, newString: `let a=1\n${oldString}` }
    const formatted = `${tidy.slice(0, at)}let a = 1;\n${tidy.slice(at)}`

    const playEdit = async (): Promise<number> => {
      const id = randomUUID()
      const ids = { tool: 'edit', sessionID: id, callID: id }
      writeFileSync(filePath, tidy)
      const timeBefore = await timeOf(() => hooks['tool.execute.before']?.(ids, { args: { ...args } }))
      writeFileSync(filePath, formatted)
      const timeAfter = await timeOf(async () => {
        const output = { title: '', output: 'Edit applied successfully.', metadata: { diff: '' } }
        await hooks['tool.execute.after']?.({ ...ids, args: { ...args } }, output)
        const state = { ...output, status: 'completed', input: args, time: { start: 0, end: 1 } }
        const parts = [{ id, messageID: 'message', type: 'tool', ...ids, state }]
        const messages = [{ info: { sessionID: id }, parts }]
        await hooks['experimental.chat.messages.transform']?.({}, { messages } as never)
      })
      return timeBefore + timeAfter
    }

    const label = 'time added to an edit and the next request, without the formatter'
    return toRow(
      { label, size: `${characters / 1_000} kB`, baseline: 'reading the file' },
      await medianOfRuns(15, playEdit),
      await timeOf(() => readFileSync(filePath, 'utf8')),
    )
  })

const HOLD_RUNS = 5

const rowOfLargeCall = async (call: LargeCall): Promise<Row> => {
  let [holdTime, splitTime, megabytes] = [Infinity, Infinity, 0]
  for (let run = 0; run < HOLD_RUNS; run += 1) {
    const { hold } = await playLarge(call)
    // Each run splits another text, so that no cache of the engine helps.
    const splitting = await longestHold(async () => LARGE_TEXT.concat(String(run)).split('\n'))
    holdTime = Math.min(holdTime, hold.ms)
    splitTime = Math.min(splitTime, splitting.ms)
    megabytes = Math.max(megabytes, hold.megabytes)
  }
  const size = `${(call.formatted.length / 1e6).toFixed(1)} MB`
  const names = { label: `longest hold, ${call.name}`, size, baseline: 'splitting 9 MB into lines' }
  return { ...toRow(names, holdTime, splitTime), figure: `${toTime(holdTime)}, ${megabytes.toFixed(0)} MB` }
}

const EDITS = 2_000
const SEED = 20_261_121

/** `range` is the place of the edit's new text in `raw`. */
type Edited = { raw: string; formatted: string; range: Span }

const drawEdited = (): Array<Edited> => {
  const dprint = createDprint(DPRINT_SETTINGS.typescript, DPRINT_SETTINGS.global)
  const format = (text: string) => safe(() => dprint(text, 'file.ts')).data
  const sources = readSources().filter(({ extension }) => extension === '.ts')
  const files = sources.flatMap(({ text }) => format(text) ?? [])
  const random = randomOf(SEED)
  const edited: Array<Edited> = []
  while (edited.length < EDITS) {
    const text = random.pick(files)
    const edit = drawEdit(random, { filePath: 'file.ts', name: '', text, recent: null }, 'edit')
    // An edit that replaces all occurrences has no single range.
    if (edit?.tool !== 'edit' || edit.args['replaceAll']) continue
    const [oldString, newString] = [String(edit.args['oldString']), String(edit.args['newString'])]
    const from = text.indexOf(oldString)
    const raw = text.slice(0, from) + newString + text.slice(from + oldString.length)
    const formatted = format(raw)
    if (formatted === null || formatted === raw) continue
    edited.push({ raw, formatted, range: { from, to: from + newString.length } })
  }
  return edited
}

/** Whether SAT would find the edit even without realigning. */
const isUnchangedAround = ({ raw, formatted, range: { from, to } }: Edited): boolean => {
  const [above, below] = [raw.slice(0, from), raw.slice(to)]
  return formatted.length >= above.length + below.length
    && formatted.startsWith(above) && formatted.endsWith(below)
}

const rowOfRate = (): Row => {
  const edits = drawEdited()
  const shareOf = (isFound: (edit: Edited) => boolean) => edits.filter(isFound).length / edits.length
  return toRow(
    { label: 'edits realigned', size: `${EDITS} drawn`, baseline: 'stable ranges' },
    shareOf(({ raw, formatted, range }) => realign(raw, formatted)(range) !== null),
    shareOf(isUnchangedAround),
    (share) => `${(share * 100).toFixed(2)} %`,
  )
}
