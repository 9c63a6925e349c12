/** Plays calls on large files through the hooks of format on save, and measures their time and memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlugin } from '../harness/in-process.ts'
import { type Hold, longestHold } from '../harness/longest-hold.ts'
import { applyCall } from './fuzz/belief.ts'
import { patch } from './session.ts'

/** A call on a file that a command of `format_on_save` formats. */
export type LargeCall = {
  name: string
  call: { tool: string; args: Record<string, unknown> }
  before: string
  /** The file as the call leaves it. */
  written: string
  /** The file as the formatter leaves it. */
  formatted: string
  /** The text of the call as the model then sees it; `READ_AGAIN` if a note says to read the file again. */
  shown: string
}

const READ_AGAIN = 'read again'

const items = Array.from({ length: 62_000 }, (_, id) => ({ id, name: `name ${id}`, of: { x: [1, 2, id] } }))
const ONE_LINE = JSON.stringify(items)
/** A text of 9 MB, in 560,000 lines. */
export const LARGE_TEXT = `${Array.from({ length: 560_000 }, (_, index) => `const v${index}=1`).join('\n')}\n`

const overManyLines = (json: string): string => `${JSON.stringify(JSON.parse(json), null, 1)}\n`

/** Creates a call with a patch that replaces the line in the middle of `LARGE_TEXT`. */
const patchTo = (line: string) =>
  patch('*** Update File: file.ts', '@@', ' const v279999=1', '-const v280000=1', `+${line}`)

/** A call, and its formatter as a function. */
type Row = Omit<LargeCall, 'written' | 'formatted'> & { format(text: string): string }

const MANY_LINES = { before: LARGE_TEXT, format: (text: string) => text.replaceAll('=2', ' = 2') }
const ONE_LINE_OF_JSON = { before: ONE_LINE, format: overManyLines }

const ROWS: Array<Row> = [
  {
    name: 'an edit in 560,000 lines',
    call: { tool: 'edit', args: { oldString: 'const v280000=1', newString: 'const v280000=2' } },
    ...MANY_LINES,
    shown: 'const v280000 = 2',
  },
  {
    name: 'a patch in 560,000 lines',
    call: patchTo('const v280000=2'),
    ...MANY_LINES,
    shown: patchTo('const v280000 = 2').args.patchText,
  },
  {
    name: '560,000 edits at once',
    call: { tool: 'edit', args: { oldString: '=1\n', newString: '=2\n', replaceAll: true } },
    ...MANY_LINES,
    shown: READ_AGAIN,
  },
  {
    name: 'an edit in JSON of one line, spread over many',
    call: { tool: 'edit', args: { oldString: '"name 31000"', newString: '"x"' } },
    ...ONE_LINE_OF_JSON,
    shown: READ_AGAIN,
  },
  {
    name: 'JSON of one line, written and spread over many',
    call: { tool: 'write', args: { content: ONE_LINE } },
    ...ONE_LINE_OF_JSON,
    before: '[]\n',
    shown: overManyLines(ONE_LINE),
  },
]

/** The calls on files of 3 to 10 MB. */
export const LARGE_CALLS: Array<LargeCall> = ROWS.map(({ format, ...row }) => {
  const written = applyCall(row.before, row.call.args)!
  return { ...row, written, formatted: format(written) }
})

/** Plays a call as the host does. Returns the time and memory that SAT's hooks take, and what the model then sees. */
export const playLarge = async (
  { call: { tool, args }, before, written, formatted }: LargeCall,
): Promise<{ hold: Hold; shown: string }> => {
  const folder = mkdtempSync(join(tmpdir(), 'sat-large-'))
  const filePath = join(folder, 'file.ts')
  writeFileSync(join(folder, 'formatted'), formatted)
  const options = { rules: false, format_on_save: { '*.ts': 'cp formatted {path}' } }
  const hooks = await startPlugin({ directory: folder }, options)
  const ids = { tool, sessionID: 'session', callID: 'call' }
  const sent = { filePath, ...args }
  const output = { title: '', output: 'Done.', metadata: { diff: '' } }
  // The call in the history, which the last hook below corrects.
  const part = { type: 'tool', ...ids, state: { status: 'completed', input: sent, output: '', metadata: {} } }
  const messages = [{ info: { sessionID: ids.sessionID }, parts: [part] }]
  writeFileSync(filePath, before)
  const beforeCall = await longestHold(async () => hooks['tool.execute.before']?.(ids, { args: { ...sent } }))
  writeFileSync(filePath, written)
  const afterCall = await longestHold(async () => {
    await hooks['tool.execute.after']?.({ ...ids, args: { ...sent } }, output)
    await hooks['experimental.chat.messages.transform']?.({}, { messages } as never)
  })
  rmSync(folder, { recursive: true })
  const megabytes = beforeCall.megabytes + afterCall.megabytes
  const hold = { ms: Math.max(beforeCall.ms, afterCall.ms), megabytes }
  const { input, output: answer } = messages[0]!.parts[0]!.state
  const { content, newString, patchText } = input as Record<string, string>
  const saysReadAgain = /read (?:it again|them)/.test(answer)
  return { hold, shown: saysReadAgain ? READ_AGAIN : content ?? newString ?? patchText! }
}
