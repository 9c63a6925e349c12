/** The plugin's hooks with formatters in process, without the host: hundreds of edits a minute, for the search. */
import type { Hooks, PluginInput } from '@opencode-ai/plugin'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderRead } from '../../../src/format-on-save/calls/read-output.ts'
import { formatOnSave } from '../../../src/format-on-save/index.ts'
import { joinHooks } from '../../../src/host/join-hooks.ts'
import { readCall } from '../../../src/steps/call.ts'
import { Steps } from '../../../src/steps/steps.ts'
import type { ShownCall } from '../../harness/model.ts'
import type { FuzzFormatter } from './formatters.ts'
import { type PlayedCall, Player, type PlayerPlace } from './player.ts'
import type { Source } from './sources.ts'

type Messages = Parameters<NonNullable<Hooks['experimental.chat.messages.transform']>>[1]['messages']
type ToolPart = Extract<Messages[number]['parts'][number], { type: 'tool' }>

const RESULTS: Record<string, string> = {
  write: 'Wrote file successfully.',
  edit: 'Edit applied successfully.',
  apply_patch: 'Success. Updated the following files:\nM file',
}

/** The plugin's hooks in a folder; without commands as if the host formatted inside its tools: SAT runs nothing. */
export const startHooks = async (
  directory: string,
  option?: Record<string, string>,
): Promise<Hooks> => {
  const client = { _client: { patch: async () => ({ data: {} }) } } as unknown as PluginInput['client']
  const place = { directory, worktree: directory }
  const steps = new Steps({ client, directory, log: () => {} })
  const formatting = formatOnSave({ client, steps, place, option, log: () => {}, toast: () => {} })
  const hooks = joinHooks([steps.before, formatting, steps.after], (_, thrown) => {
    throw thrown
  })
  if (!option) await hooks.config?.({ formatter: { any: { command: ['true'], extensions: ['.any'] } } })
  return hooks
}

type Place = { directory: string; formatter: FuzzFormatter }

/** A source, who edits it and how often, and who formats it. */
type Play = Pick<PlayerPlace, 'random' | 'formatter' | 'tool' | 'calls' | 'onJudged'> & {
  source: Source
  messages: number
}

/** Runs a call as the host does, and gives its part. */
const runCall = async (hooks: Hooks, call: PlayedCall, callID: string, place: Place): Promise<ToolPart> => {
  const { tool } = call
  const { directory, formatter } = place
  const ids = { tool, sessionID: 'session', callID }
  const args = structuredClone(call.args)
  await hooks['tool.execute.before']?.(ids, { args })
  const all = readCall(tool, args, directory).map(({ path, apply }) => {
    const text = readFileSync(path, 'utf8')
    return { path, text, made: apply(text)?.raw }
  })
  const made = all.every((file) => file.made !== undefined)
  const read = tool === 'read' ? `<path>${all[0]!.path}</path>\n${renderRead(all[0]!.text, args)}` : ''
  const output = { title: '', output: RESULTS[tool] ?? read, metadata: {} }
  if (made) {
    for (const { path, made } of tool === 'read' ? [] : all) {
      writeFileSync(path, await formatter.format(made!, path) ?? made!)
    }
    await hooks['tool.execute.after']?.({ ...ids, args }, output)
  }
  const time = { start: 0, end: 1 }
  const state: ToolPart['state'] = !made
    ? { status: 'error', input: args, error: 'Could not find oldString', time }
    : { status: 'completed', input: args, output: output.output, title: '', metadata: {}, time }
  const part: ToolPart = { id: `part-${callID}`, messageID: 'message', type: 'tool', ...ids, state }
  await hooks.event?.({ event: { type: 'message.part.updated', properties: { part } } })
  return part
}

const shownOf = ({ tool, state }: ToolPart): ShownCall => ({
  tool,
  args: state.input,
  output: state.status === 'completed' ? state.output : 'Could not find oldString',
})

/** Plays so many messages on a source that its formatter has formatted. */
export const playDirectly = async ({ source: { text, extension }, messages: count, ...play }: Play) => {
  const { formatter } = play
  const directory = mkdtempSync(join(tmpdir(), 'sat-fuzz-'))
  const path = join(directory, `file${extension}`)
  writeFileSync(path, await formatter.format(text, path) ?? text)
  const link = join(directory, `link${extension}`)
  symlinkSync(path, link)
  const file = { paths: [path, link], extension, read: () => readFileSync(path, 'utf8') }
  const player = new Player({ ...play, directory, files: [file], withShell: false })
  const hooks = await startHooks(directory)
  const messages = [{ info: { sessionID: 'session' }, parts: [] }] as unknown as Messages
  const parts = messages[0]!.parts as Array<ToolPart>
  for (let index = 0; index < count; index += 1) {
    const calls = await player.next()
    for (const [number, call] of calls.entries()) {
      parts.push(await runCall(hooks, call, `call-${index}-${number}`, { directory, formatter }))
    }
    await hooks['experimental.chat.messages.transform']?.({}, { messages })
    player.judge(parts.slice(parts.length - calls.length).map(shownOf))
  }
  rmSync(directory, { recursive: true })
}
