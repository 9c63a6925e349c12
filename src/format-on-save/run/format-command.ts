/** Reads a format command of a person: puts the file's path into it, or decides that it formats the whole project. */
import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { FormatOnSaveOption, When } from '../../host/options.ts'

/** A format command, ready to run. */
export type FormatCommand = {
  /** The command as the person wrote it, for the log and the notes. */
  text: string
  /** A shell script that refers to the file as `$FILE`; for a command of the host, its program and arguments. */
  script: string | Array<string>
  /** Whether the command formats the whole project rather than a file. */
  wholeProject: boolean
  environment?: Record<string, string>
  /** The exit codes of success; `any` for a command of the host, which ignores exit codes. */
  ok: Array<number> | 'any'
  /** Whether the command has no placeholder, so that SAT had to guess if and where the path belongs. */
  isGuess: boolean
  /** Whether the command runs after each step, or once at the end of the turn. */
  when: When
}

/**
 * Reads a command of the option `format_on_save`. If it has placeholders, the file's path replaces them. If it has
 * none, it runs unchanged for the whole project, or the path is added at its end.
 */
export const readCommand = (
  entry: Exclude<FormatOnSaveOption[string], undefined>,
  defaultWhen: When,
  directory: string,
): FormatCommand => {
  const settings = typeof entry === 'string' ? { command: entry } : entry
  const { command, ok = [0], when = defaultWhen } = settings
  const { script, namesFile } = toScript(command)
  const wholeProject = !namesFile && runsUnchanged(command, directory)
  return {
    text: command,
    script: namesFile || wholeProject ? script : `${script} "$FILE"`,
    wholeProject,
    ok,
    isGuess: !namesFile,
    when,
  }
}

// Matches a placeholder for the file's path: `{path}`, `${FILE}` or `$FILE`, but not `$FILENAME`, another variable.
const PLACEHOLDER = String.raw`\{path\}|\$\{FILE\}|\$FILE(?![A-Za-z0-9_])`
const ESCAPE = String.raw`\\[^]`
const IN_SINGLE_QUOTES = String.raw`'[^']*'`
const IN_DOUBLE_QUOTES = String.raw`"(?:${ESCAPE}|[^"\\])*"`

// Matches escapes, quoted texts and placeholders in a command. In single quotes, a backslash escapes nothing.
const PARTS = new RegExp(`${ESCAPE}|${IN_SINGLE_QUOTES}|${IN_DOUBLE_QUOTES}|${PLACEHOLDER}`, 'g')
const PLACEHOLDERS = new RegExp(PLACEHOLDER, 'g')
const ESCAPES_AND_PLACEHOLDERS = new RegExp(`${ESCAPE}|${PLACEHOLDER}`, 'g')
// In a script in double quotes, a placeholder may have quotes of its own: `\"{path}\"` or `'{path}'`.
const ESCAPES_AND_QUOTED_PLACEHOLDERS = new RegExp(String.raw`(\\"|')?(?:${PLACEHOLDER})\1|${ESCAPE}`, 'g')

// Matches what comes before a script for another shell: the `-c` of `sh -c "…"`.
const BEFORE_SCRIPT = /(?:^|\s)-[a-z]*c\s+$/

const isEscape = (match: string): boolean => match.length === 2 && match.startsWith('\\')

/**
 * Replaces the placeholders in a command with references to the variable `FILE`, so that the shell never parses a
 * file's name. The reference depends on the quotes around the placeholder:
 *
 * | placeholder | command | script |
 * | --- | --- | --- |
 * | without quotes | `f {path}` | `f "$FILE"` |
 * | in double quotes | `f "a/{path}"` | `f "a/$FILE"` |
 * | in single quotes | `f 'a/{path}'` | `f 'a/'"$FILE"''` |
 * | in a script in double quotes | `sh -c "f {path}"` | `sh -c "f \"\$FILE\""` |
 * | in a script in single quotes | `sh -c 'f {path}'` | `sh -c 'f "$FILE"'` |
 */
export const toScript = (command: string): { script: string; namesFile: boolean } => {
  let namesFile = false
  const refer = (part: string, pattern: RegExp, reference: string): string =>
    part.replace(pattern, (match) => {
      if (isEscape(match)) return match
      namesFile = true
      return reference
    })
  const scriptOf = (text: string): string =>
    text.replace(PARTS, (part, at: number) => {
      const isScript = BEFORE_SCRIPT.test(text.slice(0, at))
      if (part.startsWith('"')) {
        return isScript
          ? refer(part, ESCAPES_AND_QUOTED_PLACEHOLDERS, '\\"\\$FILE\\"')
          : refer(part, ESCAPES_AND_PLACEHOLDERS, '$FILE')
      }
      if (part.startsWith("'")) {
        return isScript ? `'${scriptOf(part.slice(1, -1))}'` : refer(part, PLACEHOLDERS, `'"$FILE"'`)
      }
      return refer(part, ESCAPES_AND_PLACEHOLDERS, '"$FILE"')
    })
  return { script: scriptOf(command), namesFile }
}

// Matches shell syntax. In a command that contains it, only the person can know where the path belongs.
const SHELL_SYNTAX = /[|&;<>()$`#\n\r]/

// Matches a word of a command, with its quotes if there are any: `--style="a b"`.
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g

/**
 * Whether a command without placeholders runs unchanged, for the whole project. Such a command has shell syntax, runs a
 * build tool or a task (`cargo fmt`), or names a folder or a glob (`prettier --write src`). Any other needs the path:
 * `prettier --write`, `taplo format`.
 */
const runsUnchanged = (command: string, directory: string): boolean => {
  if (SHELL_SYNTAX.test(command)) return true
  const words = (command.match(WORD) ?? []).map((word) => word.replace(/["']/g, ''))
  return runsProjectTool(words) || namesFolderOrGlob(operandsOf(words), directory)
}

/** Build tools and task runners: they format the whole project, and would read a path as the name of a task. */
const PROJECT_TOOLS = new Set(
  `ant bazel cargo cmake dotnet dune gmake gradle gradlew invoke just lefthook lerna lint-staged mage make mvn mvnw
  ng ninja nox nx pre-commit rake sbt task tox turbo`.split(/\s+/),
)

/**
 * Match commands that run a task: `npm run format`, `deno task fmt`, `bun run format`. If several words or a file's
 * name follow the `run` of `bun`, `deno` or `yarn`, it runs a program instead.
 */
const TASKS = [
  /(?:^| )(?:composer|npm|pnpm) (?:.* )?(?:run|run-script|task)(?: |$)/,
  /(?:^| )(?:bun|deno|yarn) (?:.* )?task(?: |$)/,
  /(?:^| )(?:bun|deno|yarn) (?:.* )?run(?:-script)?(?: -\S+)* [^\s./-][^\s./]*$/,
]

const runsProjectTool = (words: Array<string>): boolean => {
  const programs = words.map((word) => basename(word).replace(/\.(?:bat|cmd|exe)$/i, ''))
  return programs.some((program) => PROJECT_TOOLS.has(program))
    || TASKS.some((task) => task.test(words.join(' ')))
}

/** Matches an option whose value, the next word, is a path that is not to be formatted: `--config-basedir config`. */
const TAKES_PATH =
  /^--?[\w-]*(?:base|cache|conf|cwd|dir|exclude|ignore|path|plugin|prefix|project|root)[\w-]*$/i

/** Matches an option whose value may also be a folder's name: `uv run --group dev`, `isort --profile black`. */
const TAKES_NAME = /^--(?:extra|filter|from|group|package|parser|profile|style|with|workspace)$/

/** Programs that run the program whose name follows, perhaps after a word of `LAUNCH_SUBCOMMANDS`: `uv run black`. */
const LAUNCHERS = new Set(
  `bash bun bundle bunx deno hatch mise node npm npx pdm php pipenv pipx pnpm pnpx poetry python python3 ruby rye sh
  uv uvx yarn`.split(/\s+/),
)
const LAUNCH_SUBCOMMANDS = new Set(['dlx', 'exec', 'run', 'tool', 'x'])

/** Subcommands of formatters, which stand before the paths: `ruff format src`. */
const SUBCOMMANDS = new Set(['check', 'ci', 'fix', 'fmt', 'format', 'lint'])

/**
 * Returns the words of a command that may be paths: `NODE_ENV=test npx ruff check --config dev src` → `src`. Leaves out
 * variables, launchers, the program, its subcommand and the values of options, even if a folder has such a name.
 */
const operandsOf = (words: Array<string>): Array<string> => {
  const withoutVariables = words.slice(words.findIndex((word) => !/^\w+=/.test(word)))
  const operands = withoutVariables.filter((word, index, all) => {
    const previous = all[index - 1] ?? ''
    const isOptionValue = TAKES_PATH.test(previous) || TAKES_NAME.test(previous)
    return !word.startsWith('-') && !isOptionValue
  })
  while (LAUNCHERS.has(basename(operands[0] ?? ''))) {
    operands.shift()
    while (LAUNCH_SUBCOMMANDS.has(operands[0] ?? '')) operands.shift()
  }
  const program = 0
  const subcommand = operands.findIndex((word) => SUBCOMMANDS.has(word))
  return operands.filter((_, index) => index !== program && index !== subcommand)
}

// Matches a glob: `src/*.ts`, or Go's `./...`.
const GLOB = /[*?[{]|\.\.\.$/

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * Whether one of the operands is a glob or names an existing folder. An operand without a slash or a dot counts as a
 * folder only at the end of the command.
 */
const namesFolderOrGlob = (operands: Array<string>, directory: string): boolean =>
  operands.some((operand, index) => {
    const mayBeFolder = /[./]/.test(operand) || index === operands.length - 1
    return GLOB.test(operand) || (mayBeFolder && isFolder(resolve(directory, operand)))
  })
