/** Reads a person's format command: puts the file's path into it, or decides that it formats the whole project. */
import type { FormatOnSaveOption, When } from '../../host/options.ts'
import { toScript } from './command-script.ts'
import { runsUnchanged } from './runs-unchanged.ts'

export type FormatCommand = {
  text: string
  /** A shell script that refers to the file as `$FILE`, or the program and arguments of a command of the host. */
  script: string | Array<string>
  wholeProject: boolean
  environment?: Record<string, string>
  /** Exit codes that mean success. */
  ok: Array<number>
  isGuess: boolean
  when: When
}

/**
 * Reads a command of the option `format_on_save`:
 *
 * | command | script | whole project |
 * | --- | --- | --- |
 * | placeholder: `fmt {path} -w` | `fmt "$FILE" -w` | no |
 * | no placeholder, runs unchanged: `cargo fmt` | `cargo fmt` | yes |
 * | no placeholder, path appended: `prettier -w` | `prettier -w "$FILE"` | no |
 */
export const readCommand = (
  entry: Exclude<FormatOnSaveOption[string], undefined>,
  defaultWhen: When,
  directory: string,
): FormatCommand => {
  const { command, ok = [0], when = defaultWhen } = typeof entry === 'string' ? { command: entry } : entry
  const { script, hasPlaceholder } = toScript(command)
  const common = { text: command, ok, isGuess: !hasPlaceholder, when }
  if (hasPlaceholder) return { ...common, script, wholeProject: false }
  if (runsUnchanged(command, directory)) return { ...common, script, wholeProject: true }
  return { ...common, script: `${script} "$FILE"`, wholeProject: false }
}
