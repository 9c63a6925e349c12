/** SAT reads a file once before a call, once after it and, if a formatter runs, once after the formatter. */
import { expect, mock, test } from 'bun:test'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import * as fileSystem from 'node:fs/promises'
import { join } from 'node:path'
import { writeInto } from '../harness/host.ts'
import { startPlugin } from '../harness/in-process.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { ruleFile } from './session-rules.ts'

const opened: Array<string> = []
const { open } = fileSystem
mock.module('node:fs/promises', () => ({
  ...fileSystem,
  open: (...args: Parameters<typeof open>) => {
    opened.push(String(args[0]))
    return open(...args)
  },
}))

const scratch = scratchFolder()

// Calls SAT's hooks as the host does for an edit of `a.ts`.
test.each<[formatOnSave: Record<string, string> | false, text: string, reads: number]>([
  [{ '*.ts': "sed -i 's/=/ = /' {path}" }, 'x = 1\ny = any\n', 3],
  [false, 'x=1\ny=any\n', 2],
])('with `format_on_save` %j, an edit leaves the text %j, and the file is read %d times', async (...row) => {
  const [format_on_save, text, reads] = row
  const directory = mkdtempSync(join(scratch, 'project-'))
  const filePath = join(directory, 'a.ts')
  writeInto(directory, { 'a.ts': 'x=1\ny=1\n', '.opencode/rules/any.md': ruleFile("forbid: 'any'") })
  const hooks = await startPlugin({ directory }, { format_on_save })
  const info = { id: 'msg_1', role: 'user', sessionID: 'ses', agent: 'build', time: { created: 1 } }
  const prompt = { id: 'prt_1', sessionID: 'ses', messageID: 'msg_1', type: 'text', text: 'go' }
  const messages: Array<object> = [{ info, parts: [prompt] }]
  const request = () =>
    hooks['experimental.chat.messages.transform']?.({}, { messages: [...messages] } as never)
  await request()
  const ids = { tool: 'edit', sessionID: 'ses', callID: 'call_1' }
  const args = { filePath, oldString: 'y=1', newString: 'y=any' }
  opened.length = 0
  await hooks['tool.execute.before']?.(ids, { args })
  writeFileSync(filePath, 'x=1\ny=any\n')
  await hooks['tool.execute.after']?.({ ...ids, args }, { title: '', output: '', metadata: {} })
  const state = { status: 'completed', input: args, output: 'Done.', title: '', metadata: {} }
  const part = { ...ids, id: 'prt_2', messageID: 'msg_2', type: 'tool', state }
  messages.push({ info: { ...info, id: 'msg_2', role: 'assistant' }, parts: [part] })
  await request()
  expect(opened.filter((path) => path === filePath)).toHaveLength(reads)
  expect(readFileSync(filePath, 'utf8')).toBe(text)
  // SAT also puts the formatted text into the arguments of the call.
  const { output, input: { newString } } = part.state
  expect(text).toContain(newString)
  expect(output).toContain(`2: ${newString}`)
})
