import type { Config } from '@opencode-ai/plugin'
import { extname } from 'node:path'
import type { CommandOf, FormatCommand } from './command.ts'

/** What the host's setting `formatter` means for SAT. */
export type HostFormatter = {
  /** Whether the host itself formats any file inside its tools. */
  formats: boolean
  /** The person's commands of the host's setting that SAT runs in its place, in their order. */
  commandsOf: (path: string) => Array<FormatCommand>
}

export const NO_HOST_FORMATTER: HostFormatter = { formats: false, commandsOf: () => [] }

// The host turns both off where one of them is disabled.
const NOT_TAKEN = ['ruff', 'uv']

/**
 * Reads the setting `formatter` of the merged config (host.md, the host's own formatter).
 *
 * Where SAT has commands of its own, a file that both cover would be formatted twice. The person's commands are then
 * taken out of the config, from which the host reads them later, and SAT runs them for the files that it has no
 * command for. Formatters that the host brings itself stay with it: only it knows when they apply.
 */
export const readHostFormatter = (config: Config, hasCommands: boolean): HostFormatter => {
  const formatter: unknown = config.formatter
  if (!formatter) return NO_HOST_FORMATTER
  if (!hasCommands || formatter === true || !config.formatter) return { formats: true, commandsOf: () => [] }
  const taken = Object.entries(config.formatter).flatMap((
    [name, { disabled, command, extensions, environment }],
  ) =>
    command && extensions && !disabled && !NOT_TAKEN.includes(name)
      ? [{ name, extensions, words: command.join(' '), script: command, environment: environment ?? {} }]
      : []
  )
  config.formatter = {
    ...config.formatter,
    ...Object.fromEntries(taken.map(({ name }) => [name, { disabled: true }])),
  }
  return {
    formats: true,
    commandsOf: (path) =>
      taken.filter(({ extensions }) => extensions.includes(extname(path)))
        .map(({ words, script, environment }) => ({ words, script, environment, wholeProject: false })),
  }
}

/** The commands that SAT runs for a file: its own, else what it took over from the host. */
export const commandsFor = (own: CommandOf, host: HostFormatter) => (path: string): Array<FormatCommand> => {
  const command = own(path)
  return command ? [command] : host.commandsOf(path)
}
