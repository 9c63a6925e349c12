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
 * 1. `src/steps` reads the file before and after the call, and applies the arguments as the host does.
 * 2. `calls/writing-calls` records in `calls/known-files` the text that the model now believes the file has.
 * 3. `step-formatter` formats the file before the next request to the model, once for all calls since the last request.
 * 4. `calls/reconcile` compares the believed text with the formatted file.
 * 5. `calls/correct-calls` computes the arguments with which the calls produce the formatted file: it finds the text of
 *    each call in that file (`calls/places`). A note reports changes that no argument can hold (`calls/note`).
 * 6. `calls/show-in-history` changes the calls and adds the notes, in the request and in the host's store.
 */
export const formatOnSave = ({ option, ...input }: FormatOnSaveInput): PartHooks => {
  const { steps } = input
  const commands = option || {}
  let hostFormatter: HostFormatter | undefined
  let stepFormatter: Promise<StepFormatter> | undefined
  /** Returns undefined if no file is formatted. */
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
      // Parallel patches on one file must wait for each other, because the host would lose hunks.
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
