/** The folder `format-on-save/`: files that a step wrote → formatted files, and corrected calls. */
import { WRITING_TOOLS } from '../host/file-tools.ts'
import type { PartHooks } from '../host/join-hooks.ts'
import type { Options } from '../host/options.ts'
import type { HostFormatter } from './run/host-formatter.ts'
import type { StepFormatter, StepFormatterInput } from './step-formatter.ts'

type FormatOnSaveInput = Omit<StepFormatterInput, 'host' | 'option'> & { option: Options['format_on_save'] }

/**
 * Creates the hooks of format on save; none if the option is `false`. What happens with an edit:
 *
 * 1. `src/steps` reads the file before and after the call, and applies the arguments as the host does.
 * 2. `calls/writing-calls` records in `calls/known-files` what the model now believes that the file says.
 * 3. `step-formatter` formats the file before the model's next request, each file once.
 * 4. `calls/reconcile` compares the believed text with the formatted file.
 * 5. `calls/correct-calls` computes the arguments with which the calls produce the formatted file. A note reports what
 *    no argument can hold (`calls/note`).
 * 6. `calls/show-in-history` changes the calls and adds the notes, in the request and in the store.
 *
 * When the file on the disk and the text that the model believes differ, one of these cases applies. Each mechanism is
 * needed, because no other covers its case:
 *
 * - The host formatted a file between two calls of one message; the model sent the second call before it could know.
 *   The believed text is written to the disk while the second call runs.
 * - The model saw the file through a shell: its arguments match only the text on the disk. That text stays.
 * - A formatter changed what calls of the last step wrote. The arguments of the calls are corrected.
 * - A read stands among such calls. Its output is replaced by what the corrected calls make.
 * - Another session, or a command for the whole project, changed a file after the model's calls. The calls since the
 *   last read are corrected where the place is certain.
 * - A place is not found, or the arguments cannot hold the text. A note shows a diff or the numbers of the changed
 *   lines, or advises to read again.
 * - A formatter dropped words, or failed. A note stands next to the corrected call.
 * - A file is formatted at the end of the turn. A note is in the person's next message.
 * - Only blank lines were removed. There is no note: if a later edit needs them, the first case applies.
 */
export const formatOnSave = ({ option, ...input }: FormatOnSaveInput): PartHooks => {
  if (option === false) return {}
  const { steps } = input
  const commands = option ?? {}
  let host: HostFormatter | undefined
  let step: Promise<StepFormatter> | undefined
  const load = (): Promise<StepFormatter> =>
    step ??= import('./step-formatter.ts').then((module) =>
      new module.StepFormatter({ ...input, option: commands, host })
    )
  const isOn = (): boolean => Object.keys(commands).length > 0 || host !== undefined
  return {
    config: async (config) => {
      if (config.formatter) {
        host = (await import('./run/host-formatter.ts')).readHostFormatter(config, commands)
      }
    },
    dispose: async () => (await step)?.whenFormatted(),
    'chat.message': async ({ sessionID }, output) => {
      if (isOn()) await (await load()).beforeTurn(sessionID, output)
    },
    'tool.execute.before': async (call, { args }) => {
      if (!WRITING_TOOLS.has(call.tool) && call.tool !== 'read') return
      if (isOn()) await (await load()).writing.start(call, Object(args))
      // Also without formatters: the host would lose hunks of parallel patches on one file.
      else if (call.tool === 'apply_patch') await steps.start(call, Object(args))
    },
    'tool.execute.after': async ({ args, ...call }, { output }) => {
      if (WRITING_TOOLS.has(call.tool)) await (await step)?.writing.finish(call, Object(args))
      else if (call.tool === 'read') await (await step)?.writing.read(call, Object(args), output)
    },
    'experimental.chat.messages.transform': async (_, { messages }) => {
      const sessionID = messages[0]?.info.sessionID
      if (sessionID !== undefined && isOn()) await (await load()).beforeRequest(sessionID, messages)
    },
    'experimental.session.compacting': async ({ sessionID }) => {
      if (isOn()) await (await load()).beforeCompaction(sessionID)
    },
    event: async ({ event }) => (await step)?.handleEvent(event),
  }
}
