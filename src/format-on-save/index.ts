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
 * Creates the hooks of format on save. Without formatters, they only make patches on one file wait for each other.
 * Otherwise, an edit passes through these modules:
 *
 * 1. `src/steps` reads the file before and after the call, and applies the arguments as the host does.
 * 2. `calls/writing-calls` records in `calls/known-files` the text that the model now believes the file has.
 * 3. `step-formatter` formats the file before the next request to the model, once for all calls since the last request.
 * 4. `calls/reconcile` compares the believed text with the formatted file.
 * 5. `calls/correct-calls` computes the arguments with which the calls produce the formatted file: it finds the text of
 *    each call in that file (`calls/places`). A note reports changes that no argument can hold (`calls/note`).
 * 6. `calls/show-in-history` changes the calls and adds the notes, in the request and in the host's store.
 *
 * The file on the disk can differ from the believed text. These are the cases and SAT's reactions:
 *
 * - The host formatted a file after the first of two calls in one message: for the second call, the believed text is
 *   put back on the disk. If the arguments of the second call match only the formatted text, the file stays as it is,
 *   because the model may have seen the formatted text through a shell.
 * - A formatter changed the text of calls since the last request: these calls and the outputs of reads between them
 *   are corrected.
 * - Another session, or a command for the whole project, changed a file: of the calls since the model last read the
 *   file, those are corrected whose text has one certain place in the changed file.
 * - The arguments of a call cannot hold the change, or a formatter dropped words or failed: a note says so.
 * - A file was formatted at the end of the turn: a note is added to the person's next message.
 * - Only blank lines were removed: there is no note. If a later edit needs them, the believed text is put back for it.
 */
export const formatOnSave = ({ option, ...input }: FormatOnSaveInput): PartHooks => {
  const { steps } = input
  const commands = option || {}
  let hostFormatter: HostFormatter | undefined
  let stepFormatter: Promise<StepFormatter> | undefined
  const load = (): Promise<StepFormatter> =>
    stepFormatter ??= import('./step-formatter.ts').then((module) =>
      new module.StepFormatter({ ...input, option: commands, hostFormatter })
    )
  const isOn = (): boolean => Object.keys(commands).length > 0 || hostFormatter !== undefined
  return {
    config: async (config) => {
      if (option !== false && config.formatter) {
        hostFormatter = (await import('./run/host-formatter.ts')).readHostFormatter(config, commands)
      }
    },
    dispose: async () => (await stepFormatter)?.waitForWork(),
    'chat.message': async ({ sessionID }, output) => {
      if (isOn()) await (await load()).beforeTurn(sessionID, output)
    },
    'tool.execute.before': async (call, { args }) => {
      if (!WRITING_TOOLS.has(call.tool) && call.tool !== 'read') return
      if (isOn()) await (await load()).writing.start(call, Object(args))
      // Without formatters, only parallel patches on one file must wait: the host would lose some of their hunks.
      else if (call.tool === 'apply_patch') await steps.start(call, Object(args))
    },
    'tool.execute.after': async ({ args, ...call }, { output }) => {
      if (WRITING_TOOLS.has(call.tool)) await (await stepFormatter)?.writing.finish(call, Object(args))
      else if (call.tool === 'read') {
        await (await stepFormatter)?.writing.finishRead(call, Object(args), output)
      }
    },
    'experimental.chat.messages.transform': async (_, { messages }) => {
      const sessionID = messages[0]?.info.sessionID
      if (sessionID !== undefined && isOn()) await (await load()).beforeRequest(sessionID, messages)
    },
    'experimental.session.compacting': async ({ sessionID }) => {
      if (isOn()) await (await load()).beforeCompaction(sessionID)
    },
    event: async ({ event }) => (await stepFormatter)?.handleEvent(event),
  }
}
