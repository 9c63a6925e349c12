import type { PluginInput } from '@opencode-ai/plugin'
import type { HooksPart } from '../join-hooks.ts'
import type { Log } from '../log.ts'
import type { Options } from '../options.ts'
import { History, storePartOf } from './history.ts'
import type { HostFormatter } from './host-formatter.ts'
import type { SavedCalls } from './saved-calls.ts'

export type FormatOnSavePlace = {
  client: PluginInput['client']
  directory: string
  option: Options['format_on_save']
  log: Log
}

const TOOLS = new Set(['write', 'edit', 'apply_patch'])

/**
 * The hooks of format on save (format-on-save.md): none where the option is `false`; where neither the option nor
 * the host's own formatter is set, none of them does anything.
 */
export const formatOnSave = ({ client, directory, option, log }: FormatOnSavePlace): HooksPart => {
  if (option === false) return {}
  const patterns = option ?? {}
  const hasCommands = Object.keys(patterns).length > 0
  const history = new History(storePartOf(client), log)
  let host: HostFormatter = { formats: false, commandsOf: () => [] }
  let calls: Promise<SavedCalls> | undefined
  // Most sessions write no file; the libraries that it takes are read when the first is written.
  const load = (): Promise<SavedCalls> => {
    calls ??= import('./saved-calls.ts').then((module) =>
      new module.SavedCalls({ directory, patterns, host, history, log })
    )
    return calls
  }
  const isAtWork = (tool: string): boolean => (hasCommands || host.formats) && TOOLS.has(tool)

  return {
    config: async (config) => {
      if (!config.formatter) return
      const { readHostFormatter } = await import('./host-formatter.ts')
      host = readHostFormatter(config, patterns)
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      if (isAtWork(tool)) await (await load()).start(callID, sessionID, tool, Object(args))
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }, output) => {
      if (isAtWork(tool)) await (await load()).finish(callID, sessionID, Object(args), output)
    },
    'experimental.chat.messages.transform': async (_, { messages }) => {
      history.apply(messages)
      const asking = messages[0]?.info.sessionID
      if (calls && asking) (await calls).modelAsked(asking)
    },
    event: async ({ event }) => {
      if (!calls) return
      if (event.type === 'message.part.updated') {
        const { part } = event.properties
        if (part.type !== 'tool') return
        if (part.state.status === 'error') (await calls).drop(part.callID, part.sessionID)
        else if (part.state.status === 'completed') await history.partUpdated(part)
      } else if (event.type === 'session.idle') {
        ;(await calls).dropSession(event.properties.sessionID)
        history.sessionIdle(event.properties.sessionID)
      } else if (event.type === 'session.deleted') {
        ;(await calls).dropSession(event.properties.info.id)
        history.sessionDeleted(event.properties.info.id)
      }
    },
  }
}
