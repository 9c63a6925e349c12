import type { PluginInput } from '@opencode-ai/plugin'
import { WRITING_TOOLS } from '../host/file-tools.ts'
import type { HooksPart } from '../host/join-hooks.ts'
import type { Log } from '../host/log.ts'
import type { Options } from '../host/options.ts'
import type { Toast } from '../host/toast.ts'
import type { Place } from '../paths/boundary.ts'
import type { HostFormatter } from './run/host-formatter.ts'
import type { FormatStep } from './step.ts'

export type FormatOnSavePlace = {
  client: PluginInput['client']
  place: Place
  option: Options['format_on_save']
  log: Log
  toast: Toast
}

/**
 * Makes the hooks of format on save; none where the option is `false`. The steps of an edit:
 *
 * 1. `calls/writing-calls` reads its file before and after it, and notes what the model believes.
 * 2. `calls/call` applies its arguments to the file, by `calls/edits` and `calls/apply-patch`.
 * 3. `run/format-files` formats the file before the next request, each file once a step.
 * 4. `calls/correct-calls` gives each call the texts that produce the formatted file, by `realign/realign`.
 * 5. `calls/note` reports as a diff what no argument can hold.
 * 6. `calls/show-formatting` inserts both into the request and the stored history.
 */
export const formatOnSave = ({ client, place, option, log, toast }: FormatOnSavePlace): HooksPart => {
  if (option === false) return {}
  const commands = option ?? {}
  let host: HostFormatter = { formats: false, commandsOf: () => [], changesOthers: () => false }
  let step: Promise<FormatStep> | undefined
  const load = (): Promise<FormatStep> =>
    step ??= import('./step.ts').then((module) =>
      new module.FormatStep({ client, place, option: commands, host, log, toast })
    )
  const isOn = (): boolean => Object.keys(commands).length > 0 || host.formats
  return {
    config: async (config) => {
      if (config.formatter) {
        host = (await import('./run/host-formatter.ts')).readHostFormatter(config, commands)
      }
    },
    dispose: async () => (await step)?.whenAtRest(),
    'chat.message': async ({ sessionID }, output) => {
      if (isOn()) await (await load()).turnStarts(sessionID, output)
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      if (tool === 'apply_patch' || (isOn() && WRITING_TOOLS.has(tool))) {
        await (await load()).writing.start(callID, sessionID, tool, Object(args))
      }
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }) => {
      if (WRITING_TOOLS.has(tool)) await (await step)?.writing.finish(callID, sessionID, Object(args))
      else if (isOn() && tool === 'read') await (await load()).writing.read(sessionID, Object(args))
    },
    'experimental.chat.messages.transform': async (_, { messages }) => {
      const sessionID = messages[0]?.info.sessionID
      if (sessionID !== undefined && isOn()) await (await load()).beforeRequest(sessionID, messages)
    },
    event: async ({ event }) => (await step)?.follow(event),
  }
}
