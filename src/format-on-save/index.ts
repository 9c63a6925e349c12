/** The room `format-on-save/`: files that a step wrote → formatted files, and corrected calls. */
import { WRITING_TOOLS } from '../host/file-tools.ts'
import type { HooksPart } from '../host/join-hooks.ts'
import type { Options } from '../host/options.ts'
import type { HostFormatter } from './run/host-formatter.ts'
import type { FormatStep, FormatStepPlace } from './step.ts'

type FormatOnSavePlace = Omit<FormatStepPlace, 'host' | 'option'> & {
  option: Options['format_on_save']
}

const NO_HOST_FORMATTER: HostFormatter = {
  formats: false,
  commandsOf: () => [],
  reachOf: () => 'none',
  failureOf: async () => null,
}

/**
 * Makes the hooks of format on save; none where the option is `false`. The steps of an edit:
 *
 * 1. `src/steps` reads its file before and after it, and applies its arguments as the host does.
 * 2. `calls/writing-calls` notes what the model believes, in `calls/known-files`.
 * 3. `step` has the file formatted before the model's next request, each file once.
 * 4. `calls/show-formatting` compares what is believed with the formatted file, and gets from
 * 5. `calls/correct-calls` the texts with which the calls produce it; a diff reports the rest (`calls/note`).
 * 6. `src/steps` stores both, and inserts them into the request.
 *
 * What the model believes of a file, and what the file says, agree by the first of these that can:
 *
 * | case | what agrees |
 * | --- | --- |
 * | the host formatted a file between two calls of one message, which were sent before the model knew | the file says what the model believes while the second call runs |
 * | the model saw the file by a shell: its arguments fit only what the file says | the file stays |
 * | a formatter changed what calls of the last step wrote | the calls say what it made |
 * | a read stands among such calls | its output says what they now make |
 * | another session or a command for the project changed a file since it was read | the calls since then say it, as far as no place is doubtful |
 * | a place is not found, or a call's arguments cannot hold the text | a note: a diff, the changed lines, or to read again |
 * | a formatter dropped words, or failed | a note next to the corrected call |
 * | a file waits for the end of the turn | a note in the person's next message |
 * | blank lines went | nothing: an edit finds its place without them |
 */
export const formatOnSave = ({ option, ...place }: FormatOnSavePlace): HooksPart => {
  if (option === false) return {}
  const { steps } = place
  const commands = option ?? {}
  let host: HostFormatter = NO_HOST_FORMATTER
  let step: Promise<FormatStep> | undefined
  const load = (): Promise<FormatStep> =>
    step ??= import('./step.ts').then((module) => new module.FormatStep({ ...place, option: commands, host }))
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
    'tool.execute.before': async (call, { args }) => {
      if (!WRITING_TOOLS.has(call.tool) && call.tool !== 'read') return
      if (isOn()) await (await load()).writing.start(call, Object(args))
      // Of several patches in one message on one file the host loses hunks.
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
    event: async ({ event }) => (await step)?.follow(event),
  }
}
