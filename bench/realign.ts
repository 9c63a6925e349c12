/** Format on save: the time to realign an edit in a large file, and how many edits can be realigned. */
import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realign } from '../src/steps/realign/realign.ts'
import type { Span } from '../src/text/changed-range.ts'
import { startHooks } from '../test/formatting/fuzz/direct.ts'
import { LARGE_CALLS, type LargeCall, LINES, playLarge } from '../test/formatting/large.ts'
import { longestHold } from '../test/harness/longest-hold.ts'
import { editCase } from './edit-cases.ts'
import { type Row, sideBySide, toRatio, toTime } from './measure.ts'

const EDITS = 2_000
const SEED = 20_261_121

/** Creates a file of a given length, as a formatter prints it and as a person might type it. */
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

/** Realigns a range without a time limit. */
const counterpartOf = (before: string, after: string, range: Span): Span => {
  const now = realign(before, after)(range)
  if (now === null) throw new Error(`no counterpart in ${after.length} characters`)
  return now
}

/** Measures one edit in files of growing size in which one line, or every line, was formatted. */
const times = async (characters: number): Promise<Array<Row>> => {
  const { tidy, untidy } = fileOf(characters)
  const size = `${characters / 1_000} kB`
  const edit = 'const added = {one:1,two:"2"}\n'
  const at = tidy.lastIndexOf('export', tidy.length / 2)
  const withEdit = (text: string) => tidy.slice(0, at) + text + tidy.slice(at)
  const before = withEdit(edit)
  const after = withEdit("const added = { one: 1, two: '2' };\n")
  const start = untidy.lastIndexOf('export', untidy.length / 2)
  const range = { from: start, to: untidy.indexOf('\n}', start) + 1 }
  const hash = () => createHash('sha256').update(tidy).digest('hex')
  const row = (what: string, work: () => unknown) =>
    sideBySide({ what, size, against: 'sha256 of the file' }, work, hash)
  return [
    await row(
      'realigning, one edit formatted',
      () => counterpartOf(before, after, { from: at, to: at + edit.length }),
    ),
    await row('realigning, every line formatted', () => counterpartOf(untidy, tidy, range)),
  ]
}

/** Creates a text of one line, as a formatter prints it and as a program wrote it. */
const lineOf = (characters: number): { tidy: string; untidy: string } => {
  const items = Array.from({ length: Math.ceil(characters / 22) }, (_, index) => index)
  return {
    tidy: `[${items.map((index) => `{ "key${index}": [1, 2] }`).join(', ')}]\n`,
    untidy: `[${items.map((index) => `{"key${index}":[1,2]}`).join(',')}]\n`,
  }
}

/** Measures a file of one line. */
const oneLine = async (characters: number): Promise<Row> => {
  const { tidy, untidy } = lineOf(characters)
  const start = untidy.indexOf('{', untidy.length / 2)
  const range = { from: start, to: untidy.indexOf('}', start) + 1 }
  return sideBySide(
    { what: 'realigning, one line', size: `${characters / 1_000} kB`, against: 'sha256 of the file' },
    () => counterpartOf(untidy, tidy, range),
    () => createHash('sha256').update(tidy).digest('hex'),
  )
}

const HOLD_RUNS = 5

/** The longest time that a call on a large file blocks the host, the minimum of several runs, and the memory it takes. */
const largeCall = async (call: LargeCall): Promise<Row> => {
  const runs = []
  const splits = []
  for (let run = 0; run < HOLD_RUNS; run += 1) {
    runs.push((await playLarge(call)).hold)
    splits.push((await longestHold(async () => LINES.concat(String(run)).split('\n'))).ms)
  }
  const ours = Math.min(...runs.map(({ ms }) => ms))
  const theirs = Math.min(...splits)
  const megabytes = Math.max(...runs.map((hold) => hold.megabytes))
  return {
    what: `longest hold, ${call.what}`,
    size: `${(call.formatted.length / 1e6).toFixed(1)} MB`,
    figure: `${toTime(ours)}, ${megabytes.toFixed(0)} MB`,
    against: `splitting 9 MB into lines ${toTime(theirs)}`,
    ratio: toRatio(ours, theirs),
  }
}

const largeCalls = async (): Promise<Array<Row>> => {
  const rows: Array<Row> = []
  for (const call of LARGE_CALLS) rows.push(await largeCall(call))
  return rows
}

const timeToRead = (path: string): number => {
  const start = performance.now()
  readFileSync(path, 'utf8')
  return performance.now() - start
}

/** The time that the hooks of an edit and of the next request take in addition to the formatter, here the host's. */
const added = async (characters: number): Promise<Row> => {
  const { tidy } = fileOf(characters)
  const folder = mkdtempSync(join(tmpdir(), 'sat-bench-'))
  const filePath = join(folder, 'file.ts')
  const hooks = await startHooks(folder)
  const at = tidy.lastIndexOf('export', tidy.length / 2)
  const args = {
    filePath,
    oldString: tidy.slice(at, at + 30),
    newString: `let a=1\n${tidy.slice(at, at + 30)}`,
  }
  const formatted = `${tidy.slice(0, at)}let a = 1;\n${tidy.slice(at)}`
  const times: Array<number> = []
  for (let run = 0; run < 15; run += 1) {
    writeFileSync(filePath, tidy)
    const ids = { tool: 'edit', sessionID: `${run}`, callID: `${run}` }
    const start = performance.now()
    await hooks['tool.execute.before']?.(ids, { args: { ...args } })
    const before = performance.now() - start
    writeFileSync(filePath, formatted)
    const output = { title: '', output: 'Edit applied successfully.', metadata: { diff: '' } }
    const again = performance.now()
    await hooks['tool.execute.after']?.({ ...ids, args: { ...args } }, output)
    const state = { ...output, status: 'completed', input: args, time: { start: 0, end: 1 } }
    const parts = [{ id: ids.callID, messageID: 'message', type: 'tool', ...ids, state }]
    const messages = [{ info: { sessionID: ids.sessionID }, parts }]
    await hooks['experimental.chat.messages.transform']?.({}, { messages } as never)
    times.push(before + performance.now() - again)
  }
  const ours = times.toSorted((one, other) => one - other)[times.length >> 1]!
  const theirs = timeToRead(filePath)
  rmSync(folder, { recursive: true })
  return {
    what: 'added to an edit and its request, formatter left out',
    size: `${characters / 1_000} kB`,
    figure: toTime(ours),
    against: `reading the file ${toTime(theirs)}`,
    ratio: toRatio(ours, theirs),
  }
}

/**
 * The method of stable ranges, implemented from its description: the text on both sides of the edit must be unchanged
 * in the formatted text.
 */
const isFormattedApart = (before: string, after: string, formatted: string): boolean =>
  formatted.length >= before.length + after.length && formatted.startsWith(before)
  && formatted.endsWith(after)

/** The share of generated edits whose formatted counterpart is found, with a real formatter. */
const rate = (): Row => {
  const cases = fc.sample(editCase, { numRuns: EDITS, seed: SEED })
  const share = (isFound: (one: (typeof cases)[number]) => boolean) =>
    cases.filter(isFound).length / cases.length
  const found = share(({ raw, formatted, range }) => realign(raw, formatted)(range) !== null)
  const stable = share(({ raw, formatted, range }) =>
    isFormattedApart(raw.slice(0, range.from), raw.slice(range.to), formatted)
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
  await oneLine(1_000_000),
  await added(10_000),
  await added(100_000),
  await added(1_000_000),
  ...await largeCalls(),
  rate(),
]
