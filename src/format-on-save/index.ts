import type { PluginInput } from '@opencode-ai/plugin'
import { WRITING_TOOLS } from '../host/file-tools.ts'
import type { HooksPart } from '../host/join-hooks.ts'
import type { Log } from '../host/log.ts'
import type { Options } from '../host/options.ts'
import type { Toast } from '../host/toast.ts'
import type { Place } from '../paths/boundary.ts'
import { FilesInContext } from './calls/files-in-context.ts'
import { Corrections, storePartOf } from './calls/history-corrections.ts'
import { TurnEnds } from './calls/turn-ends.ts'
import type { WritingCalls } from './calls/writing-calls.ts'
import type { HostFormatter } from './run/host-formatter.ts'

export type FormatOnSavePlace = {
  client: PluginInput['client']
  place: Place
  option: Options['format_on_save']
  log: Log
  toast: Toast
}

/**
 * The hooks of format on save (format-on-save.md): none where the option is `false`; where neither the option nor
 * the host's own formatter is set, none of them does anything.
 *
 * The steps of a call, and where they are:
 * 1. `calls/started-calls` waits for its files and reads them; `calls/call` and `calls/edits`, `calls/apply-patch` know
 *    what a tool's arguments do to a file; `calls/carry-arguments` carries what a call seeks over a formatting not yet shown.
 * 2. `run/format-queue` runs the command of `run/choose-command` and takes back what fails; `run/host-formatter` is the host's own.
 * 3. `calls/call-chain` gives each call of the message the words that make the file; `realign/` finds what a range of
 *    a text has become; `calls/recall-change` does so for calls behind which their files changed.
 * 4. `calls/note` tells what no argument can say; `calls/result` and `calls/diagnostics` make the result agree.
 * 5. `calls/history-corrections` has requests and the stored history say it; `calls/turn-ends` does all this for what is formatted
 *    once the turn is over.
 */
export const formatOnSave = ({ client, place, option, log, toast }: FormatOnSavePlace): HooksPart => {
  if (option === false) return {}
  const commands = option ?? {}
  const hasCommands = Object.keys(commands).length > 0
  const corrections = new Corrections(storePartOf(client), log)
  const shown = new FilesInContext(place.directory)
  const turnEnds = new TurnEnds(client, corrections)
  let host: HostFormatter = { formats: false, commandsOf: () => [], changesOthers: () => false }
  let calls: Promise<WritingCalls> | undefined
  // Most sessions write no file; the libraries that it takes are read when the first is written.
  const load = (): Promise<WritingCalls> =>
    calls ??= import('./calls/writing-calls.ts').then((module) =>
      new module.WritingCalls({ place, option: commands, host, corrections, shown, log, toast })
    )
  const isAtWork = (tool: string): boolean => (hasCommands || host.formats) && WRITING_TOOLS.has(tool)
  return {
    dispose: () => turnEnds.all(),
    config: async (config) => {
      if (!config.formatter) return
      host = (await import('./run/host-formatter.ts')).readHostFormatter(config, commands)
    },
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      if (isAtWork(tool)) await (await load()).start(callID, sessionID, tool, Object(args))
      else if (tool === 'read' && calls) await (await calls).beforeRead(sessionID, Object(args))
    },
    'tool.execute.after': async ({ tool, sessionID, callID, args }, output) => {
      if (isAtWork(tool)) await (await load()).finish(callID, sessionID, Object(args), output)
      else if (hasCommands || host.formats) shown.add(sessionID, { callID, tool, input: Object(args) })
    },
    'experimental.chat.messages.transform': async (_, { messages }) => {
      const asking = messages[0]?.info.sessionID
      if (!asking) return
      await turnEnds.ofSession(asking)
      corrections.apply(messages)
      if (hasCommands || host.formats) shown.see(asking, messages)
      if (calls) (await calls).modelAsked(asking)
    },
    event: async ({ event }) => {
      if (calls) await follow(event, { writing: await calls, shown, corrections, turnEnds })
    },
  }
}

type HostEvent = Parameters<NonNullable<HooksPart['event']>>[0]['event']

type Followers = {
  writing: WritingCalls
  shown: FilesInContext
  corrections: Corrections
  turnEnds: TurnEnds
}

/** Has all that is remembered of sessions and calls follow what the host tells of them. */
const follow = async (
  event: HostEvent,
  { writing, shown, corrections, turnEnds }: Followers,
): Promise<void> => {
  if (event.type === 'message.part.updated') {
    const { part } = event.properties
    if (part.type !== 'tool') return
    if (part.state.status === 'error') writing.drop(part.callID, part.sessionID)
    else if (part.state.status === 'completed') await corrections.partUpdated(part)
  } else if (event.type === 'session.idle') {
    const { sessionID } = event.properties
    writing.dropSession(sessionID)
    corrections.sessionIdle(sessionID)
    turnEnds.begin(sessionID, writing)
  } else if (event.type === 'session.deleted') {
    const { id } = event.properties.info
    writing.deleteSession(id)
    shown.forget(id)
    corrections.sessionDeleted(id)
  }
}
