/** Reads a person's format command: puts the file's path into it, or decides that it formats the whole project. */
import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { FormatOnSaveOption, When } from '../../host/options.ts'

export type FormatCommand = {
  /** As the person wrote it. */
  text: string
  /** A shell script that refers to the file as `$FILE`; for a command of the host, its program and arguments. */
  script: string | Array<string>
  wholeProject: boolean
  environment?: Record<string, string>
  /** The exit codes of success; `any` for a command of the host, which ignores exit codes. */
  ok: Array<number> | 'any'
  /** Whether SAT had to guess where the path belongs. */
  isGuess: boolean
  when: When
}

/** Reads a command of the option. Without a placeholder, the path is added at its end, unless it `runsUnchanged`. */
export const readCommand = (
  entry: Exclude<FormatOnSaveOption[string], undefined>,
  defaultWhen: When,
  directory: string,
): FormatCommand => {
  const { command, ok = [0], when = defaultWhen } = typeof entry === 'string' ? { command: entry } : entry
  const { script, hasPlaceholder } = toScript(command)
  const wholeProject = !hasPlaceholder && runsUnchanged(command, directory)
  return {
    text: command,
    script: hasPlaceholder || wholeProject ? script : `${script} "$FILE"`,
    wholeProject,
    ok,
    isGuess: !hasPlaceholder,
    when,
  }
}

// Matches `{path}`, `${FILE}` and `$FILE`, but not the variable `$FILENAME`.
const PLACEHOLDER = String.raw`\{path\}|\$\{FILE\}|\$FILE(?![A-Za-z0-9_])`
// Matched so that it is kept: `\$FILE` is no variable.
const ESCAPE = String.raw`\\[^]`
const IN_SINGLE_QUOTES = String.raw`'[^']*'`
const IN_DOUBLE_QUOTES = String.raw`"(?:${ESCAPE}|[^"\\])*"`

const PARTS = new RegExp(`${ESCAPE}|${IN_SINGLE_QUOTES}|${IN_DOUBLE_QUOTES}|${PLACEHOLDER}`, 'g')
const PLACEHOLDERS = new RegExp(PLACEHOLDER, 'g')
const ESCAPES_AND_PLACEHOLDERS = new RegExp(`${ESCAPE}|${PLACEHOLDER}`, 'g')
// In a script in double quotes, a placeholder may have quotes of its own: `\"{path}\"` or `'{path}'`.
const ESCAPES_AND_QUOTED_PLACEHOLDERS = new RegExp(String.raw`(\\"|')?(?:${PLACEHOLDER})\1|${ESCAPE}`, 'g')

// Matches the `-c` before a script for another shell.
const BEFORE_SCRIPT = /(?:^|\s)-[a-z]*c\s+$/

const isEscape = (match: string): boolean => match.length === 2 && match.startsWith('\\')

/**
 * Replaces placeholders with references to the variable `FILE`, so that the shell never parses a file's name:
 *
 * | placeholder | command | script |
 * | --- | --- | --- |
 * | without quotes | `f {path}` | `f "$FILE"` |
 * | in double quotes | `f "a/{path}"` | `f "a/$FILE"` |
 * | in single quotes | `f 'a/{path}'` | `f 'a/'"$FILE"''` |
 * | in a script in double quotes | `sh -c "f {path}"` | `sh -c "f \"\$FILE\""` |
 * | in a script in single quotes | `sh -c 'f {path}'` | `sh -c 'f "$FILE"'` |
 */
export const toScript = (command: string): { script: string; hasPlaceholder: boolean } => {
  let hasPlaceholder = false
  const replaceIn = (part: string, placeholdersAndEscapes: RegExp, reference: string): string =>
    part.replace(placeholdersAndEscapes, (match) => {
      if (isEscape(match)) return match
      hasPlaceholder = true
      return reference
    })
  const scriptOf = (text: string): string =>
    text.replace(PARTS, (part, at: number) => {
      const isInnerScript = BEFORE_SCRIPT.test(text.slice(0, at))
      if (part.startsWith('"')) {
        return isInnerScript
          ? replaceIn(part, ESCAPES_AND_QUOTED_PLACEHOLDERS, '\\"\\$FILE\\"')
          : replaceIn(part, ESCAPES_AND_PLACEHOLDERS, '$FILE')
      }
      if (part.startsWith("'")) {
        return isInnerScript ? `'${scriptOf(part.slice(1, -1))}'` : replaceIn(part, PLACEHOLDERS, `'"$FILE"'`)
      }
      return replaceIn(part, ESCAPES_AND_PLACEHOLDERS, '"$FILE"')
    })
  return { script: scriptOf(command), hasPlaceholder }
}

// In a command with shell syntax, only the person knows where the path belongs.
const SHELL_SYNTAX = /[|&;<>()$`#\n\r]/

// Matches a word with its quotes: `--style="a b"`.
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g

/** Whether a command without placeholders gets no path: it needs none (`cargo fmt`), or its place is not certain. */
const runsUnchanged = (command: string, directory: string): boolean => {
  if (SHELL_SYNTAX.test(command)) return true
  const words = (command.match(WORD) ?? []).map((word) => word.replace(/["']/g, ''))
  return runsProjectTool(words) || namesFolderOrGlob(operandsOf(words), directory)
}

/** Programs that would read a path as the name of a task. */
const PROJECT_TOOLS = new Set(
  `ant bazel cargo cmake dotnet dune gmake gradle gradlew invoke just lefthook lerna lint-staged mage make mvn mvnw
  ng ninja nox nx pre-commit rake sbt task tox turbo`.split(/\s+/),
)

/** Match commands that run a task: `bun run format`, but not `bun run a.ts` or `bun run a b`, which run a program. */
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

/** Matches an option whose value is a path that is not to be formatted: `--config-basedir config`. */
const TAKES_PATH =
  /^--?[\w-]*(?:base|cache|conf|cwd|dir|exclude|ignore|path|plugin|prefix|project|root)[\w-]*$/i

/** Matches an option whose value is a name that may also be the name of a folder: `uv run --group dev`. */
const TAKES_NAME = /^--(?:extra|filter|from|group|package|parser|profile|style|with|workspace)$/

/** Programs that run the program whose name follows: `uv run black`. */
const LAUNCHERS = new Set(
  `bash bun bundle bunx deno hatch mise node npm npx pdm php pipenv pipx pnpm pnpx poetry python python3 ruby rye sh
  uv uvx yarn`.split(/\s+/),
)
const LAUNCH_SUBCOMMANDS = new Set(['dlx', 'exec', 'run', 'tool', 'x'])

const SUBCOMMANDS = new Set(['check', 'ci', 'fix', 'fmt', 'format', 'lint'])

/** Returns the words that may be paths: `NODE_ENV=test npx ruff check --config dev src` → `src`. */
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
  const programIndex = 0
  const subcommandIndex = operands.findIndex((word) => SUBCOMMANDS.has(word))
  return operands.filter((_, index) => index !== programIndex && index !== subcommandIndex)
}

// Matches `src/*.ts`, and Go's `./...`.
const GLOB = /[*?[{]|\.\.\.$/

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

const namesFolderOrGlob = (operands: Array<string>, directory: string): boolean =>
  operands.some((operand, index) => {
    // A plain word that is not the last may be a subcommand, even if a folder has the same name.
    const mayBeFolder = /[./]/.test(operand) || index === operands.length - 1
    return GLOB.test(operand) || (mayBeFolder && isFolder(resolve(directory, operand)))
  })
