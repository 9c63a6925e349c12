/**
 * Measures how SAT realigns an edit, which means to find, in the formatted file, the text that the edit wrote: how long
 * this takes, and for how many edits the text is found. Also measures the hooks around an edit.
 */
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
  for (const size of SIZES) rows.push(...await rowsOfEdits(size))
  rows.push(await rowOfOneLine(1_000_000))
  for (const size of SIZES) rows.push(await rowOfHooks(size))
  for (const call of LARGE_CALLS) rows.push(await rowOfLargeCall(call))
  return [...rows, rowOfRate()]
}

export default bench

/** The same file as a formatter prints it, and as a person or a program wrote it. */
type Sample = { tidy: string; untidy: string }

/** Creates a file of functions, of at least a given length. */
const fileOf = (characters: number): Sample => {
  const file = { tidy: '', untidy: '' }
  for (let index = 0; file.tidy.length < characters; index += 1) {
    file.tidy +=
      `export const v${index} = (one, two) => {\n  return compute(one, 'text', [two, ${index}]);\n};\n`
    file.untidy += `export const v${index}=(one,two)=>{\n    return compute( one,"text",[two,${index}] )\n}\n`
  }
  return file
}

/** Creates a file of one line, of about a given length. */
const oneLineOf = (characters: number): Sample => {
  const items = Array.from({ length: Math.ceil(characters / 22) }, (_, index) => index)
  return {
    tidy: `[${items.map((index) => `{ "key${index}": [1, 2] }`).join(', ')}]\n`,
    untidy: `[${items.map((index) => `{"key${index}":[1,2]}`).join(',')}]\n`,
  }
}

/** Returns where the function in the middle of a file begins. */
const middleOf = (text: string): number => text.lastIndexOf('export', text.length / 2)

/** Returns the counterpart in `after` of a range of `before`; throws if there is none. */
const counterpartOf = (before: string, after: string, range: Span): Span => {
  const counterpart = realign(before, after)(range)
  if (counterpart === null) throw new Error(`no counterpart in ${after.length} characters`)
  return counterpart
}

/** Creates a row that compares some work on a file with hashing the file. */
const besideHash = (label: string, text: string, work: () => unknown): Promise<Row> =>
  sideBySide(
    { label, size: `${Math.round(text.length / 1_000)} kB`, baseline: 'sha256 of the file' },
    work,
    () => createHash('sha256').update(text).digest('hex'),
  )

/** Measures realigning an edit in the middle of a file: if only the edit is formatted, and if every line is. */
const rowsOfEdits = async (characters: number): Promise<Array<Row>> => {
  const { tidy, untidy } = fileOf(characters)
  const addedAt = middleOf(tidy)
  const withAdded = (text: string) => tidy.slice(0, addedAt) + text + tidy.slice(addedAt)
  const added = 'const added = {one:1,two:"2"}\n'
  const before = withAdded(added)
  const after = withAdded("const added = { one: 1, two: '2' };\n")
  const addedRange = { from: addedAt, to: addedAt + added.length }

  const start = middleOf(untidy)
  const functionRange = { from: start, to: untidy.indexOf('\n}', start) + 1 }
  return [
    await besideHash('realigning, one edit formatted', tidy, () => counterpartOf(before, after, addedRange)),
    await besideHash(
      'realigning, every line formatted',
      tidy,
      () => counterpartOf(untidy, tidy, functionRange),
    ),
  ]
}

/** Measures realigning an edit in a file of one line. */
const rowOfOneLine = async (characters: number): Promise<Row> => {
  const { tidy, untidy } = oneLineOf(characters)
  const start = untidy.indexOf('{', untidy.length / 2)
  const range = { from: start, to: untidy.indexOf('}', start) + 1 }
  return besideHash('realigning, one line', tidy, () => counterpartOf(untidy, tidy, range))
}

const HOOK_RUNS = 15

/**
 * Measures what SAT adds to an edit: the hooks before and after it, and the hook of the next request. Between the first
 * two, the bench writes what the host's edit and its formatter would.
 */
const rowOfHooks = (characters: number): Promise<Row> =>
  inFolder(async (folder) => {
    const { tidy } = fileOf(characters)
    const filePath = join(folder, 'file.ts')
    const hooks = await startPlugin({ directory: folder }, { rules: false })
    // Because of this formatter, SAT leaves formatting to the host.
    await hooks.config?.({ formatter: { any: { command: ['true'], extensions: ['.any'] } } })
    const at = middleOf(tidy)
    const oldString = tidy.slice(at, at + 30)
    const args = { filePath, oldString, newString: `let a=1\n${oldString}` }
    const formatted = `${tidy.slice(0, at)}let a = 1;\n${tidy.slice(at)}`

    /** Plays the edit in a session of its own; returns how long the hooks took. */
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

    const label = 'added to an edit and its request, formatter left out'
    return toRow(
      { label, size: `${characters / 1_000} kB`, baseline: 'reading the file' },
      await medianOfRuns(HOOK_RUNS, playEdit),
      await timeOf(() => readFileSync(filePath, 'utf8')),
    )
  })

const HOLD_RUNS = 5

/**
 * Measures the longest hold of a call on a large file (how long it blocks the host at a time), and the memory that the
 * call takes. Of several runs, the row has the shortest time and the most memory.
 */
const rowOfLargeCall = async (call: LargeCall): Promise<Row> => {
  let [holdTime, splitTime, megabytes] = [Infinity, Infinity, 0]
  for (let run = 0; run < HOLD_RUNS; run += 1) {
    const { hold } = await playLarge(call)
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

/** An edited file as the call wrote it and as dprint formatted it, and the range of the new text. */
type Edited = { raw: string; formatted: string; range: Span }

/** Draws random edits of real sources, as the fuzzer does, until dprint has changed the file after `EDITS` of them. */
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

const isRealigned = ({ raw, formatted, range }: Edited): boolean => realign(raw, formatted)(range) !== null

/** Whether formatting changed only the text of the edit. Without realigning, SAT would find only such edits. */
const isUnchangedAround = ({ raw, formatted, range: { from, to } }: Edited): boolean => {
  const [above, below] = [raw.slice(0, from), raw.slice(to)]
  return formatted.length >= above.length + below.length
    && formatted.startsWith(above) && formatted.endsWith(below)
}

/** Measures the share of the edits that are realigned; the baseline is the share that is unchanged around the edit. */
const rowOfRate = (): Row => {
  const edits = drawEdited()
  const shareOf = (isFound: (edit: Edited) => boolean) => edits.filter(isFound).length / edits.length
  return toRow(
    { label: 'edits realigned', size: `${EDITS} drawn`, baseline: 'stable ranges' },
    shareOf(isRealigned),
    shareOf(isUnchangedAround),
    (share) => `${(share * 100).toFixed(2)} %`,
  )
}
