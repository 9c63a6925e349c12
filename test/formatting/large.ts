/** Plays calls on large files through the hooks of format on save; measures their time and memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Hold, longestHold } from '../harness/longest-hold.ts'
import { startHooks } from './hooks.ts'

/** A call on a file that a command of `format_on_save` formats: the file before the call, as written, and formatted. */
export type LargeCall = {
  name: string
  tool: 'write' | 'edit' | 'apply_patch'
  args: Record<string, unknown>
  before: string
  written: string
  formatted: string
  /** The text of the call as the model sees it after formatting, or `READ_AGAIN`. */
  shown: string
}

const READ_AGAIN = 'read again'

const items = Array.from({ length: 62_000 }, (_, id) => ({ id, name: `name ${id}`, of: { x: [1, 2, id] } }))
/** A text of 9 MB. */
export const LINES = `${Array.from({ length: 560_000 }, (_, index) => `const v${index}=1`).join('\n')}\n`

const oneLine = JSON.stringify(items)
const toLines = (text: string): string => `${JSON.stringify(JSON.parse(text), null, 1)}\n`

/** Creates the call and the texts of an edit whose old text occurs once. */
const edited = (before: string, oldString: string, newString: string, format: (text: string) => string) => {
  const written = before.replace(oldString, newString)
  return {
    tool: 'edit',
    args: { oldString, newString },
    before,
    written,
    formatted: format(written),
  } as const
}

const ONE_EDIT = edited(
  LINES,
  'const v280000=1',
  'const v280000=2',
  (text) => text.replace('v280000=2', 'v280000 = 2'),
)

const patchOf = (line: string): string =>
  `*** Begin Patch\n*** Update File: file.ts\n@@\n const v279999=1\n-const v280000=1\n+${line}\n*** End Patch`

/** The calls on files of 3 to 10 MB. */
export const LARGE_CALLS: Array<LargeCall> = [
  { name: 'an edit in 560,000 lines', ...ONE_EDIT, shown: 'const v280000 = 2' },
  {
    ...ONE_EDIT,
    name: 'a patch in 560,000 lines',
    tool: 'apply_patch',
    args: { patchText: patchOf('const v280000=2') },
    shown: patchOf('const v280000 = 2'),
  },
  {
    name: '560,000 edits at once',
    tool: 'edit',
    args: { oldString: '=1\n', newString: '=2\n', replaceAll: true },
    before: LINES,
    written: LINES.replaceAll('=1\n', '=2\n'),
    formatted: LINES.replaceAll('=1\n', '= 2\n'),
    shown: READ_AGAIN,
  },
  {
    name: 'an edit in JSON of one line, spread over many',
    ...edited(oneLine, '"name 31000"', '"x"', toLines),
    shown: READ_AGAIN,
  },
  {
    name: 'JSON of one line, written and spread over many',
    tool: 'write',
    args: { content: oneLine },
    before: '[]\n',
    written: oneLine,
    formatted: toLines(oneLine),
    shown: toLines(oneLine),
  },
]

/** What a call on a large file takes, and its text as the model sees it. */
export type Played = { hold: Hold; shown: string }

/** Plays one call through the hooks, as the host calls them, and measures the longest hold. */
export const playLarge = async ({ tool, args, before, written, formatted }: LargeCall): Promise<Played> => {
  const folder = mkdtempSync(join(tmpdir(), 'sat-large-'))
  const filePath = join(folder, 'file.ts')
  writeFileSync(join(folder, 'formatted'), formatted)
  const hooks = await startHooks(folder, { '*.ts': 'cp formatted {path}' })
  const ids = { tool, sessionID: 'session', callID: 'call' }
  const sent = tool === 'apply_patch' ? args : { filePath, ...args }
  const output = { title: '', output: 'Done.', metadata: { diff: '' } }
  const part = { type: 'tool', ...ids, state: { status: 'completed', input: sent, output: '', metadata: {} } }
  const messages = [{ info: { sessionID: ids.sessionID }, parts: [part] }]
  writeFileSync(filePath, before)
  const first = await longestHold(async () => hooks['tool.execute.before']?.(ids, { args: { ...sent } }))
  writeFileSync(filePath, written)
  const second = await longestHold(async () => {
    await hooks['tool.execute.after']?.({ ...ids, args: { ...sent } }, output)
    await hooks['experimental.chat.messages.transform']?.({}, { messages } as never)
  })
  rmSync(folder, { recursive: true })
  const hold = { ms: Math.max(first.ms, second.ms), megabytes: first.megabytes + second.megabytes }
  const { content, newString, patchText } = messages[0]!.parts[0]!.state.input as Record<string, string>
  const saysReadAgain = /read (?:it again|them)/.test(messages[0]!.parts[0]!.state.output)
  return { hold, shown: saysReadAgain ? READ_AGAIN : content ?? newString ?? patchText! }
}
