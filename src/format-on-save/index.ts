/** The folder `format-on-save/`: formats files that a model's calls wrote, and corrects these calls in the history. */
import { WRITING_TOOLS } from '../host/file-tools.ts'
import type { PartHooks } from '../host/join-hooks.ts'
import type { Options } from '../host/options.ts'
import type { HostFormatter } from './run/host-formatter.ts'
import type { StepFormatter, StepFormatterInput } from './step-formatter.ts'

type FormatOnSaveInput = Omit<StepFormatterInput, 'hostFormatter' | 'option'> & {
  option: Options['format_on_save']
}

/**
 * Creates the hooks of format on save. An edit passes through these modules:
 *
 * 1. `src/steps` reads the file before and after the call, and computes the text that the call alone produced.
 * 2. `calls/writing-calls` records in `calls/known-files` the text that the model now believes the file has.
 * 3. `step-formatter` formats the file before the next request to the model, not after each call.
 * 4. `calls/reconcile` compares the believed text with the formatted file.
 * 5. `calls/correct-calls` computes the arguments with which the calls would have produced the formatted file.
 *    `calls/places` finds each call's text in the file. `calls/note` reports changes that the corrected calls lack.
 * 6. `calls/show-in-history` changes the calls and adds the notes, in the request and in the host's store.
 */
export const formatOnSave = ({ option, ...input }: FormatOnSaveInput): PartHooks => {
  const { steps } = input
  const commands = option || {}
  let hostFormatter: HostFormatter | undefined
  let stepFormatter: Promise<StepFormatter> | undefined
  /** Returns undefined if format on save is off, or if no formatter is configured. */
  const load = (): Promise<StepFormatter> | undefined => {
    if (Object.keys(commands).length === 0 && !hostFormatter) return undefined
    return stepFormatter ??= import('./step-formatter.ts').then((module) =>
      new module.StepFormatter({ ...input, option: commands, hostFormatter })
    )
  }
  return {
    config: async (config) => {
      if (option !== false && config.formatter) {
        hostFormatter = (await import('./run/host-formatter.ts')).readHostFormatter(config, commands)
      }
    },
    dispose: async () => (await stepFormatter)?.waitForWork(),
    'chat.message': async ({ sessionID }, output) => (await load())?.beforeTurn(sessionID, output),
    'tool.execute.before': async (call, { args }) => {
      if (!WRITING_TOOLS.has(call.tool) && call.tool !== 'read') return
      const formatter = await load()
      if (formatter) await formatter.writing.start(call, Object(args))
      // Even without a formatter, parallel patches on a file must wait for each other. Otherwise the host loses hunks.
      else if (call.tool === 'apply_patch') await steps.start(call, Object(args))
    },
    'tool.execute.after': async ({ args, ...call }, { output }) => {
      const writing = (await stepFormatter)?.writing
      if (WRITING_TOOLS.has(call.tool)) await writing?.finish(call, Object(args))
      else if (call.tool === 'read') await writing?.finishRead(call, Object(args), output)
    },
    'experimental.chat.messages.transform': async (_, { messages }) => {
      const sessionID = messages[0]?.info.sessionID
      if (sessionID !== undefined) await (await load())?.beforeRequest(sessionID, messages)
    },
    'experimental.session.compacting': async ({ sessionID }) => (await load())?.beforeCompaction(sessionID),
    event: async ({ event }) => (await stepFormatter)?.handleEvent(event),
  }
}
