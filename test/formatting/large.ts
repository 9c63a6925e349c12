/** Plays calls on large files through the hooks of format on save, and measures their time and memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Hold, longestHold } from '../harness/longest-hold.ts'
import { applyCall } from './fuzz/belief.ts'
import { startHooks } from './hooks.ts'

/** A call on a file that a command of `format_on_save` formats. */
export type LargeCall = {
  name: string
  tool: 'write' | 'edit' | 'apply_patch'
  args: Record<string, unknown>
  /** The file before the call. */
  before: string
  /** The file as the call leaves it. */
  written: string
  /** The file as the formatter leaves it. */
  formatted: string
  /** The text of the call as the model then sees it; `READ_AGAIN` if a note says to read instead. */
  shown: string
}

const READ_AGAIN = 'read again'

const items = Array.from({ length: 62_000 }, (_, id) => ({ id, name: `name ${id}`, of: { x: [1, 2, id] } }))
const ONE_LINE = JSON.stringify(items)
/** A text of 9 MB, in 560,000 lines. */
export const LARGE_TEXT = `${Array.from({ length: 560_000 }, (_, index) => `const v${index}=1`).join('\n')}\n`

const overManyLines = (json: string): string => `${JSON.stringify(JSON.parse(json), null, 1)}\n`
const withSpaces = (text: string): string => text.replaceAll('=2', ' = 2')

/** Returns a patch that replaces the line in the middle of `LARGE_TEXT`. */
const patchOf = (line: string): string =>
  `*** Begin Patch\n*** Update File: file.ts\n@@\n const v279999=1\n-const v280000=1\n+${line}\n*** End Patch`

/** A call, and its formatter as a function. */
type Row = Pick<LargeCall, 'name' | 'tool' | 'args' | 'before' | 'shown'> & {
  format(text: string): string
}

const MANY_LINES = { before: LARGE_TEXT, format: withSpaces }
const ONE_LINE_OF_JSON = { before: ONE_LINE, format: overManyLines }

const ROWS: Array<Row> = [
  {
    name: 'an edit in 560,000 lines',
    tool: 'edit',
    args: { oldString: 'const v280000=1', newString: 'const v280000=2' },
    ...MANY_LINES,
    shown: 'const v280000 = 2',
  },
  {
    name: 'a patch in 560,000 lines',
    tool: 'apply_patch',
    args: { patchText: patchOf('const v280000=2') },
    ...MANY_LINES,
    shown: patchOf('const v280000 = 2'),
  },
  {
    name: '560,000 edits at once',
    tool: 'edit',
    args: { oldString: '=1\n', newString: '=2\n', replaceAll: true },
    ...MANY_LINES,
    shown: READ_AGAIN,
  },
  {
    name: 'an edit in JSON of one line, spread over many',
    tool: 'edit',
    args: { oldString: '"name 31000"', newString: '"x"' },
    ...ONE_LINE_OF_JSON,
    shown: READ_AGAIN,
  },
  {
    name: 'JSON of one line, written and spread over many',
    tool: 'write',
    args: { content: ONE_LINE },
    ...ONE_LINE_OF_JSON,
    before: '[]\n',
    shown: overManyLines(ONE_LINE),
  },
]

/** The calls on files of 3 to 10 MB. */
export const LARGE_CALLS: Array<LargeCall> = ROWS.map(({ format, ...call }) => {
  const written = applyCall(call.before, call.args)!
  return { ...call, written, formatted: format(written) }
})

/** How long a call blocks the host, how much memory it takes, and its text as the model then sees it. */
export type Played = { hold: Hold; shown: string }

/** Plays one call: runs the hooks as the host does, and measures how long they block its process. */
export const playLarge = async ({ tool, args, before, written, formatted }: LargeCall): Promise<Played> => {
  const folder = mkdtempSync(join(tmpdir(), 'sat-large-'))
  const filePath = join(folder, 'file.ts')
  writeFileSync(join(folder, 'formatted'), formatted)
  const hooks = await startHooks(folder, { '*.ts': 'cp formatted {path}' })
  const ids = { tool, sessionID: 'session', callID: 'call' }
  const sent = tool === 'apply_patch' ? args : { filePath, ...args }
  const output = { title: '', output: 'Done.', metadata: { diff: '' } }
  // The call in the history, which the hook of the next request changes.
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
  const hold = {
    ms: Math.max(beforeCall.ms, afterCall.ms),
    megabytes: beforeCall.megabytes + afterCall.megabytes,
  }
  const { input, output: answer } = messages[0]!.parts[0]!.state
  const { content, newString, patchText } = input as Record<string, string>
  const saysReadAgain = /read (?:it again|them)/.test(answer)
  return { hold, shown: saysReadAgain ? READ_AGAIN : content ?? newString ?? patchText! }
}
