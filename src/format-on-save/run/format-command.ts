/** Reads a person's format command: where the file's path belongs in it, or whether it formats the whole project. */
import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { FormatOnSaveOption, When } from '../../host/options.ts'

/** A format command, ready to run. */
export type FormatCommand = {
  /** The command as the person wrote it, for the log. */
  words: string
  /** A shell script that refers to the file as `$FILE`, or the program and arguments of a host's command. */
  script: string | Array<string>
  /** Whether the command formats the whole project rather than a file. */
  wholeProject: boolean
  environment?: Record<string, string>
  /** The exit codes of success; `any` for a command in the host's setting, because the host ignores exit codes. */
  ok: Array<number> | 'any'
  /** Whether SAT guessed where the path belongs: if the command fails, the log then suggests `{path}`. */
  isGuess: boolean
  /** Whether the command runs after each step, or once at the end of the turn. */
  when: When
}

// Matches the placeholders for the file's path; `$FILENAME` is another variable.
const PATH = String.raw`\{path\}|\$\{FILE\}|\$FILE(?![A-Za-z0-9_])`
// Matches a backslash and the character after it.
const ESCAPED = String.raw`\\[^]`

const PATHS = new RegExp(PATH, 'g')
const ESCAPES_AND_PATHS = new RegExp(`${ESCAPED}|${PATH}`, 'g')
// Matches a path with quotes around it that are escaped for the outer quotes, such as `\"{path}\"`.
const QUOTED_PATHS = new RegExp(String.raw`(\\"|')?(?:${PATH})\1|${ESCAPED}`, 'g')
// Matches the parts of a command: an escaped character, a text in quotes, or a path without quotes.
const PARTS = new RegExp(String.raw`${ESCAPED}|'[^']*'|"(?:${ESCAPED}|[^"\\])*"|${PATH}`, 'g')

/** Matches the text before a script for another shell: `sh -c "…"`. */
const BEFORE_SCRIPT = /(?:^|\s)-[a-z]*c\s+$/

/**
 * Replaces `{path}` and `$FILE` in a command, quoted or not, with references to an environment variable, so that the
 * shell never parses a file's name: `prettier {path}` becomes `prettier "$FILE"`.
 */
export const toScript = (command: string): { script: string; namesFile: boolean } => {
  let namesFile = false
  const refer = (reference: string): string => {
    namesFile = true
    return reference
  }
  const inDoubleQuotes = (part: string): string => part.startsWith('\\') ? part : refer('$FILE')
  const inScriptInDoubleQuotes = (part: string, quote = ''): string =>
    part.startsWith('\\') && quote === '' ? part : refer('\\"\\$FILE\\"')
  const scriptOf = (text: string): string =>
    text.replace(PARTS, (part, at: number) => {
      const isScript = BEFORE_SCRIPT.test(text.slice(0, at))
      if (part.startsWith('\\')) return part
      if (part.startsWith('"') && isScript) return part.replace(QUOTED_PATHS, inScriptInDoubleQuotes)
      if (part.startsWith('"')) return part.replace(ESCAPES_AND_PATHS, inDoubleQuotes)
      if (part.startsWith("'") && isScript) return `'${scriptOf(part.slice(1, -1))}'`
      if (part.startsWith("'")) return part.replace(PATHS, () => refer(`'"$FILE"'`))
      return refer('"$FILE"')
    })
  return { script: scriptOf(command), namesFile }
}

/** Build tools and task runners. They format the whole project, and would take a path for the name of a task. */
const PROJECT_TOOLS = new Set(
  `ant bazel cargo cmake dotnet dune gmake gradle gradlew invoke just lefthook lerna lint-staged mage make mvn mvnw
  ng ninja nox nx pre-commit rake sbt task tox turbo`.split(/\s+/),
)

/**
 * Match package managers that run a task: `npm run format`, `deno task fmt`, `bun run format`. If more words or the
 * name of a file follow `bun run`, `deno run` or `yarn run`, these run a program instead.
 */
const TASKS = [
  /(?:^| )(?:composer|npm|pnpm) (?:.* )?(?:run|run-script|task)(?: |$)/,
  /(?:^| )(?:bun|deno|yarn) (?:.* )?task(?: |$)/,
  /(?:^| )(?:bun|deno|yarn) (?:.* )?run(?:-script)?(?: -\S+)* [^\s./-][^\s./]*$/,
]

/** Shell syntax. In a command that contains it, only the person can know where the path belongs. */
const SHELL_SYNTAX = /[|&;<>()$`#\n\r]/

/** Matches a word of a command, with its quotes if there are any: `--style="a b"`. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g

// Matches a glob that the formatter expands itself, such as Go's `./...`.
const GLOB = /[*?[{]|\.\.\.$/

/** An option whose value, the next word, is a path that is not formatted: `--config-basedir config`. */
const TAKES_PATH =
  /^--?[\w-]*(?:base|cache|conf|cwd|dir|exclude|ignore|path|plugin|prefix|project|root)[\w-]*$/i

/** An option whose value is a name that a folder may have as well: `uv run --group dev`, `isort --profile black`. */
const TAKES_NAME = /^--(?:extra|filter|from|group|package|parser|profile|style|with|workspace)$/

/** Programs that run the program named by their next word, perhaps after `run` or the like. */
const LAUNCHERS = new Set(
  `bash bun bundle bunx deno hatch mise node npm npx pdm php pipenv pipx pnpm pnpx poetry python python3 ruby rye sh
  uv uvx yarn`.split(/\s+/),
)
const LAUNCH_SUBCOMMANDS = new Set(['dlx', 'exec', 'run', 'tool', 'x'])

/** Subcommands of formatters, before the paths: `ruff format src`. */
const SUBCOMMANDS = new Set(['check', 'ci', 'fix', 'fmt', 'format', 'lint'])

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Returns the words of a command that may be paths: all but options, the program and its subcommand. */
const operandsOf = (words: Array<string>): Array<string> => {
  const operands = words.slice(words.findIndex((word) => !/^\w+=/.test(word))).filter((word, index, all) => {
    const option = all[index - 1] ?? ''
    return !word.startsWith('-') && !TAKES_PATH.test(option) && !TAKES_NAME.test(option)
  })
  while (LAUNCHERS.has(basename(operands[0] ?? ''))) {
    operands.shift()
    while (LAUNCH_SUBCOMMANDS.has(operands[0] ?? '')) operands.shift()
  }
  const subcommand = operands.findIndex((word) => SUBCOMMANDS.has(word))
  return operands.filter((_, index) => index !== 0 && index !== subcommand)
}

/**
 * Whether a command without a placeholder runs unchanged, for the whole project. Otherwise the file's path is appended:
 * `prettier --write` and `taplo format` need the path, `cargo fmt` refuses it. A command runs unchanged if it names a
 * glob or a folder, if it runs a build tool or a task, and if it contains shell syntax.
 *
 * A word with a slash or a dot names a folder if there is one at that path. A word without either does so only at the
 * end of the command. The program and its subcommand name no folder, even if a folder has that name.
 *
 * @param directory the project's folder, from which the command runs
 */
export const runsUnchanged = (command: string, directory: string): boolean => {
  if (SHELL_SYNTAX.test(command)) return true
  const words = (command.match(WORD) ?? []).map((word) => word.replace(/["']/g, ''))
  const programs = words.map((word) => basename(word).replace(/\.(?:bat|cmd|exe)$/i, ''))
  const runsTask = TASKS.some((task) => task.test(words.join(' ')))
  if (runsTask || programs.some((program) => PROJECT_TOOLS.has(program))) return true
  const operands = operandsOf(words)
  return operands.some((word, index) =>
    GLOB.test(word)
    || ((/[./]/.test(word) || index === operands.length - 1) && isFolder(resolve(directory, word)))
  )
}

/**
 * Reads a command of the option `format_on_save`.
 *
 * @param defaultWhen when the command runs if the option does not say so for this command
 */
export const readCommand = (
  option: Exclude<FormatOnSaveOption[string], undefined>,
  defaultWhen: When,
  directory: string,
): FormatCommand => {
  const { command: words, ok = [0], when = defaultWhen } = typeof option === 'string'
    ? { command: option }
    : option
  const { script: scriptAsWritten, namesFile } = toScript(words)
  const wholeProject = !namesFile && runsUnchanged(words, directory)
  const script = namesFile || wholeProject ? scriptAsWritten : `${scriptAsWritten} "$FILE"`
  return { words, script, wholeProject, ok, isGuess: !namesFile, when }
}
