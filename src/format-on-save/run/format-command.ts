/** Reads a command of the person's: where the path of the file belongs, or that it formats the whole project. */
import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import type { FormatOnSaveOption, When } from '../../host/options.ts'

/** A command as the person wrote it, ready to run. */
export type FormatCommand = {
  /** The person's words, for the log. */
  words: string
  /** A shell script in which the file is `$FILE`; or, of the host's setting, the program and its arguments. */
  script: string | Array<string>
  /** Whether the command does not name the file: it then formats the whole project. */
  wholeProject: boolean
  environment?: Record<string, string>
  /** The exit codes after which its result is kept; `any` for a command of the host's, which ignores them. */
  ok: Array<number> | 'any'
  /** Whether SAT guessed where the path belongs: where the command fails, the log then asks for `{path}`. */
  isGuess: boolean
  /** Whether it runs after each step, or once when the turn has ended. */
  when: When
}

// What stands for the file's path; `$FILENAME` is another variable.
const PATH = String.raw`\{path\}|\$\{FILE\}|\$FILE(?![A-Za-z0-9_])`
const ESCAPED = String.raw`\\[^]`

const ANYWHERE = new RegExp(PATH, 'g')
const IN_DOUBLE_QUOTES = new RegExp(`${ESCAPED}|${PATH}`, 'g')
const IN_QUOTED_SCRIPT = new RegExp(String.raw`(\\"|')?(?:${PATH})\1|${ESCAPED}`, 'g')
const PARTS = new RegExp(
  String.raw`${ESCAPED}|'[^']*'|"(?:${ESCAPED}|[^"\\])*"|${PATH}`,
  'g',
)

/** Ends before a script for another shell: `sh -c "…"`. */
const BEFORE_SCRIPT = /(?:^|\s)-[a-z]*c\s+$/

/**
 * Replaces `{path}` and `$FILE` in a command, quoted or not, by references to an environment variable, so that the shell
 * never parses a file's name, whatever is in it.
 */
export const toScript = (command: string): { script: string; namesFile: boolean } => {
  let namesFile = false
  const refer = (reference: string): string => {
    namesFile = true
    return reference
  }
  const inDoubleQuotes = (part: string): string => part.startsWith('\\') ? part : refer('$FILE')
  const inQuotedScript = (part: string, quote = ''): string =>
    part.startsWith('\\') && quote === '' ? part : refer('\\"\\$FILE\\"')
  const scriptOf = (text: string): string =>
    text.replace(PARTS, (part, at: number) => {
      const isScript = BEFORE_SCRIPT.test(text.slice(0, at))
      if (part.startsWith('\\')) return part
      if (part.startsWith('"')) {
        return isScript
          ? part.replace(IN_QUOTED_SCRIPT, inQuotedScript)
          : part.replace(IN_DOUBLE_QUOTES, inDoubleQuotes)
      }
      if (!part.startsWith("'")) return refer('"$FILE"')
      return isScript ? `'${scriptOf(part.slice(1, -1))}'` : part.replace(ANYWHERE, () => refer(`'"$FILE"'`))
    })
  return { script: scriptOf(command), namesFile }
}

/** Build tools and task runners: they format the project, and take a path for a task or a target. */
const PROJECT_TOOLS = new Set(
  `ant bazel cargo cmake dotnet dune gmake gradle gradlew invoke just lefthook lerna lint-staged mage make mvn mvnw
  ng ninja nox nx pre-commit rake sbt task tox turbo`.split(/\s+/),
)

/** A package manager that runs a task of the project; what it runs with more words, or by a file's name, is a program. */
const TASKS = [
  /(?:^| )(?:composer|npm|pnpm) (?:.* )?(?:run|run-script|task)(?: |$)/,
  /(?:^| )(?:bun|deno|yarn) (?:.* )?task(?: |$)/,
  /(?:^| )(?:bun|deno|yarn) (?:.* )?run(?:-script)?(?: -\S+)* [^\s./-][^\s./]*$/,
]

/** Shell syntax: the person has to say where the path belongs. */
const SHELL_SYNTAX = /[|&;<>()$`#\n\r]/

/** A word, with the quotes that it may be in. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g

// A pattern of files that a formatter reads itself, as Go's `./...`.
const GLOB = /[*?[{]|\.\.\.$/

/** An option whose next word is its value, a file or a folder that is not formatted: `--config-basedir config`. */
const TAKES_PATH =
  /^--?[\w-]*(?:base|cache|conf|cwd|dir|exclude|ignore|path|plugin|prefix|project|root)[\w-]*$/i

/** The same, where the value is a name that may be a folder's, too: `uv run --group dev`, `isort --profile black`. */
const TAKES_NAME = /^--(?:extra|filter|from|group|package|parser|profile|style|with|workspace)$/

/** Programs that run another one, which their next word names, perhaps after `run` or the like. */
const LAUNCHERS = new Set(
  `bash bun bundle bunx deno hatch mise node npm npx pdm php pipenv pipx pnpm pnpx poetry python python3 ruby rye sh
  uv uvx yarn`.split(/\s+/),
)
const LAUNCHES = new Set(['dlx', 'exec', 'run', 'tool', 'x'])

/** What formatters call formatting, before the paths: `ruff format src`. */
const SUBCOMMANDS = new Set(['check', 'ci', 'fix', 'fmt', 'format', 'lint'])

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Gives the words of a command that may be paths: without options, its program and the program's subcommand. */
const operandsOf = (words: Array<string>): Array<string> => {
  const named = words.slice(words.findIndex((word) => !/^\w+=/.test(word))).filter((word, index, all) => {
    const option = all[index - 1] ?? ''
    return !word.startsWith('-') && !TAKES_PATH.test(option) && !TAKES_NAME.test(option)
  })
  while (LAUNCHERS.has(basename(named[0] ?? ''))) {
    named.shift()
    while (LAUNCHES.has(named[0] ?? '')) named.shift()
  }
  const subcommand = named.findIndex((word) => SUBCOMMANDS.has(word))
  return named.filter((_, index) => index !== 0 && index !== subcommand)
}

/**
 * Whether a command without a placeholder runs as it stands, for the whole project, or else gets the file's path at
 * its end: `prettier --write` and `taplo format` need the path, `cargo fmt` refuses it. It runs as it stands where it
 * names a pattern or a folder, where it is a build tool's or a task runner's, and where it holds shell syntax.
 *
 * A word with a slash or a dot that leads to a folder names it. A word without either does so as the command's last
 * one: its program and the program's subcommand are no folder's name, even where there is one of that name.
 *
 * @param directory the project's folder, from which the command runs
 */
export const isWholeProject = (command: string, directory: string): boolean => {
  if (SHELL_SYNTAX.test(command)) return true
  const words = (command.match(WORD) ?? []).map((word) => word.replace(/["']/g, ''))
  const line = words.join(' ')
  if (
    TASKS.some((task) => task.test(line))
    || words.some((word) => PROJECT_TOOLS.has(basename(word).replace(/\.(?:bat|cmd|exe)$/i, '')))
  ) {
    return true
  }
  const operands = operandsOf(words)
  return operands.some((word, index) =>
    GLOB.test(word)
    || ((/[./]/.test(word) || index === operands.length - 1) && isFolder(resolve(directory, word)))
  )
}

/** Reads a command of the option `format_on_save`; `byDefault` says when it runs where it does not say so itself. */
export const readCommand = (
  given: Exclude<FormatOnSaveOption[string], undefined>,
  byDefault: When,
  directory: string,
): FormatCommand => {
  const { command: words, ok = [0], when = byDefault } = typeof given === 'string'
    ? { command: given }
    : given
  const { script, namesFile } = toScript(words)
  const wholeProject = !namesFile && isWholeProject(words, directory)
  const isComplete = namesFile || wholeProject
  return {
    words,
    script: isComplete ? script : `${script} "$FILE"`,
    wholeProject,
    ok,
    isGuess: !namesFile,
    when,
  }
}
