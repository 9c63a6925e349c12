/** The plugin's hooks with formatters in process, without the host: hundreds of edits a minute, for the search. */
import type { Hooks, PluginInput } from '@opencode-ai/plugin'
import { readFileSync, writeFileSync } from 'node:fs'
import { applySection, parsePatch } from '../../src/format-on-save/calls/apply-patch.ts'
import { applyEdit } from '../../src/format-on-save/calls/edits.ts'
import { formatOnSave } from '../../src/format-on-save/index.ts'
import type { FuzzFormatter } from './formatters.ts'
import type { PlayedCall, Player } from './player.ts'

type Transform = NonNullable<Hooks['experimental.chat.messages.transform']>
type Messages = Parameters<Transform>[1]['messages']
type ToolPart = Extract<Messages[number]['parts'][number], { type: 'tool' }>

const RESULTS: Record<string, string> = {
  write: 'Wrote file successfully.',
  edit: 'Edit applied successfully.',
  apply_patch: 'Success. Updated the following files:\nM file',
}

/** What the host's tool makes of a file; null where the call fails. */
const applied = (tool: string, args: Record<string, unknown>, text: string): string | null => {
  if (tool === 'write') return String(args['content'])
  if (tool === 'apply_patch') {
    return applySection(parsePatch(String(args['patchText']))[0]!, text)?.raw ?? null
  }
  const { oldString, newString, replaceAll } = args
  return applyEdit(text, {
    oldString: String(oldString),
    newString: String(newString),
    replaceAll: replaceAll === true,
  })?.raw ?? null
}

/** The plugin's hooks as if the host formatted inside its tools: SAT runs nothing. */
const startHooks = async (directory: string): Promise<Hooks> => {
  const client = { _client: { patch: async () => ({ data: {} }) } } as unknown as PluginInput['client']
  const place = { directory, worktree: directory }
  const hooks = formatOnSave({ client, place, option: undefined, log: () => {}, toast: () => {} }) as Hooks
  await hooks.config?.({ formatter: { any: { command: ['true'], extensions: ['.any'] } } })
  return hooks
}

type Place = { path: string; directory: string; formatter: FuzzFormatter; calls: number }

/** Runs a call as the host does, and gives its part. */
const runCall = async (hooks: Hooks, call: PlayedCall, callID: string, place: Place): Promise<ToolPart> => {
  const { tool } = call
  const ids = { tool, sessionID: 'session', callID }
  const args = structuredClone(call.args)
  await hooks['tool.execute.before']?.(ids, { args })
  const made = applied(tool, args, readFileSync(place.path, 'utf8'))
  const output = { title: '', output: RESULTS[tool]!, metadata: {} }
  if (made !== null) {
    writeFileSync(place.path, await place.formatter.format(made, place.path) ?? made)
    await hooks['tool.execute.after']?.({ ...ids, args }, output)
  }
  const time = { start: 0, end: 1 }
  const state: ToolPart['state'] = made === null
    ? { status: 'error', input: args, error: 'Could not find oldString', time }
    : { status: 'completed', input: args, output: output.output, title: '', metadata: {}, time }
  return { id: `part-${callID}`, messageID: 'message', type: 'tool', ...ids, state }
}

/** Plays so many calls on a file. */
export const playDirectly = async (player: Player, place: Place): Promise<void> => {
  const hooks = await startHooks(place.directory)
  const parts: Array<ToolPart> = []
  for (let index = 0; index < place.calls; index += 1) {
    const call = await player.next()
    if (!call) return
    const part = await runCall(hooks, call, `call-${index}`, place)
    await hooks.event?.({ event: { type: 'message.part.updated', properties: { part } } })
    const messages = [{ info: { sessionID: 'session' }, parts: [...parts, part] }] as unknown as Messages
    await hooks['experimental.chat.messages.transform']?.({}, { messages })
    const last = messages[0]!.parts.at(-1) as ToolPart
    parts.push(last)
    const { state } = last
    const output = state.status === 'completed' ? state.output : 'Could not find oldString'
    player.judge({ tool: call.tool, args: state.input, output })
  }
}
