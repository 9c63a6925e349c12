/** Plays calls on large files with format on save, and measures the time and memory that SAT's hooks take. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlugin } from '../harness/in-process.ts'
import { longestHold } from '../harness/longest-hold.ts'
import { applyCall, type PlayedCall } from './fuzz/belief.ts'
import { patch } from './session.ts'

const READ_AGAIN = 'read again'

/** 9 MB. */
export const LARGE_TEXT = `${Array.from({ length: 560_000 }, (_, index) => `const v${index}=1`).join('\n')}\n`

const items = Array.from({ length: 62_000 }, (_, id) => ({ id, name: `name ${id}`, of: { x: [1, 2, id] } }))
/** 3 MB. */
const ONE_LINE = JSON.stringify(items)
const overManyLines = (json: string): string => `${JSON.stringify(JSON.parse(json), null, 1)}\n`
const MANY_LINES = overManyLines(ONE_LINE)

const addSpaces = (text: string): string => text.replaceAll('=2', ' = 2')

/** `shown` is the text or patch in the history, or `READ_AGAIN` if the call's result says to read the file again. */
type Row = [call: PlayedCall, before: string, format: (text: string) => string, shown: string]

const edit = (args: PlayedCall['args']): PlayedCall => ({ tool: 'edit', args })
const toTwo = { oldString: 'const v280000=1', newString: 'const v280000=2' }
const allToTwo = { oldString: '=1\n', newString: '=2\n', replaceAll: true }
const toX = { oldString: '"name 31000"', newString: '"x"' }
const writeLine: PlayedCall = { tool: 'write', args: { content: ONE_LINE } }
const update = (line: string) =>
  patch('*** Update File: file.ts', '@@', ' const v279999=1', '-const v280000=1', `+${line}`)
const [updateToTwo, { args: { patchText } }] = [update('const v280000=2'), update('const v280000 = 2')]

const ROWS: Record<string, Row> = {
  'an edit in 560,000 lines': [edit(toTwo), LARGE_TEXT, addSpaces, 'const v280000 = 2'],
  'a patch in 560,000 lines': [updateToTwo, LARGE_TEXT, addSpaces, patchText],
  'an edit with 560,000 replacements': [edit(allToTwo), LARGE_TEXT, addSpaces, READ_AGAIN],
  'an edit in one-line JSON, formatted into many lines': [edit(toX), ONE_LINE, overManyLines, READ_AGAIN],
  'one-line JSON, written and formatted into many lines': [writeLine, '[]\n', overManyLines, MANY_LINES],
}

export const LARGE_CALLS = Object.entries(ROWS).map(([name, [call, before, format, shown]]) => {
  const written = applyCall(before, call.args)!
  return { name, call, before, shown, written, formatted: format(written) }
})

export type LargeCall = (typeof LARGE_CALLS)[number]

/** Plays a call with SAT's hooks. `hold.ms` is the longest time for which the hooks block the event loop. */
export const playLarge = async ({ call: { tool, args }, before, written, formatted }: LargeCall) => {
  const folder = mkdtempSync(join(tmpdir(), 'sat-large-'))
  const filePath = join(folder, 'file.ts')
  // The formatter only copies a prepared text, so that the test measures SAT.
  writeFileSync(join(folder, 'formatted'), formatted)
  const options = { rules: false, format_on_save: { '*.ts': 'cp formatted {path}' } }
  const hooks = await startPlugin({ directory: folder }, options)
  const ids = { tool, sessionID: 'session', callID: 'call' }
  const sent = { filePath, ...args }
  writeFileSync(filePath, before)
  const holdBefore = await longestHold(async () => hooks['tool.execute.before']?.(ids, { args: { ...sent } }))
  writeFileSync(filePath, written)
  const result = { title: '', output: 'Done.', metadata: { diff: '' } }
  const part = { type: 'tool', ...ids, state: { status: 'completed', input: sent, output: '', metadata: {} } }
  const messages = [{ info: { sessionID: ids.sessionID }, parts: [part] }]
  const holdAfter = await longestHold(async () => {
    await hooks['tool.execute.after']?.({ ...ids, args: { ...sent } }, result)
    await hooks['experimental.chat.messages.transform']?.({}, { messages } as never)
  })
  rmSync(folder, { recursive: true })
  const megabytes = holdBefore.megabytes + holdAfter.megabytes
  const hold = { ms: Math.max(holdBefore.ms, holdAfter.ms), megabytes }
  const { input: shownInput, output: shownOutput } = messages[0]!.parts[0]!.state
  const { content, newString, patchText } = shownInput as Record<string, string>
  const saysReadAgain = /read (?:it again|them)/.test(shownOutput)
  return { hold, shown: saysReadAgain ? READ_AGAIN : content ?? newString ?? patchText! }
}
