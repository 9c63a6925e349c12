/** Decides whether a format command without a placeholder (`{path}`, `$FILE`) runs unchanged or gets the path. */
import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { safe } from '../../safe.ts'

const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g

const SHELL_SYNTAX = /[|&;<>()$`#\n\r]/

export const runsUnchanged = (command: string, directory: string): boolean => {
  // In `cd a && f`, only the person knows where the path belongs.
  if (SHELL_SYNTAX.test(command)) return true
  const words = (command.match(WORD) ?? []).map((word) => word.replace(/["']/g, ''))
  return runsProjectTool(words) || namesFolderOrGlob(operandsOf(words), directory)
}

/** Programs that would read a path as the name of a task. */
const PROJECT_TOOLS = new Set(
  `ant bazel cargo cmake dotnet dune gmake gradle gradlew invoke just lefthook lerna lint-staged mage make mvn mvnw
  ng ninja nox nx poe pre-commit rake sbt task tox turbo`.split(/\s+/),
)

/** Match commands that run a task: `bun run format`, but not `bun run a.ts` or `bun run a b`, which run a program. */
const TASKS = [
  /(?:^| )(?:composer|npm|pnpm) (?:.* )?(?:run|run-script|task)(?: |$)/,
  /(?:^| )(?:bun|deno|yarn) (?:.* )?task(?: |$)/,
  /(?:^| )(?:bun|deno|yarn) (?:.* )?run(?:-script)?(?: -\S+)* [^\s./-][^\s./]*$/,
  /(?:^| )mise run /,
  /(?:^| )(?:(?:hatch|pdm|pipenv|poetry|rye|uv) run|composer|pnpm|yarn)(?: -\S+)* (?:\S+:)?(?:fix|fmt|format|lint)(?::\S+)?$/,
]

const runsProjectTool = (words: Array<string>): boolean => {
  const programs = words.map((word) => basename(word).replace(/\.(?:bat|cmd|exe)$/i, ''))
  return programs.some((program) => PROJECT_TOOLS.has(program))
    || TASKS.some((task) => task.test(words.join(' ')))
}

const PATH_OPTION =
  /^--?[\w-]*(?:base|cache|conf|cwd|dir|exclude|ignore|path|plugin|prefix|project|root)[\w-]*$/i

const NAME_OPTION = /^--(?:extra|filter|from|group|package|parser|profile|rule|src|style|with|workspace)$/

const LAUNCHERS = new Set(
  `bash bun bundle bunx deno hatch mise node npm npx pdm php pipenv pipx pnpm pnpx poetry python python3 ruby rye sh
  uv uvx yarn`.split(/\s+/),
)
const LAUNCH_SUBCOMMANDS = new Set(['dlx', 'exec', 'run', 'tool', 'x'])

const SUBCOMMANDS = new Set(['check', 'ci', 'fix', 'fmt', 'format', 'lint'])

/** Returns the words that may be paths: `NODE_ENV=test npx ruff check --config dev src` → `src`. */
const operandsOf = (words: Array<string>): Array<string> => {
  const withoutVariables = words.slice(words.findIndex((word) => !/^\w+=/.test(word)))
  const withoutOptions = withoutVariables.filter((word, index, all) => {
    const previous = all[index - 1] ?? ''
    const isOptionValue = PATH_OPTION.test(previous) || NAME_OPTION.test(previous)
    return !word.startsWith('-') && !isOptionValue
  })
  const programAndOperands = withoutLaunchers(withoutOptions)
  const subcommandIndex = programAndOperands.findIndex((word) => SUBCOMMANDS.has(word))
  return programAndOperands.filter((_, index) => index > 0 && index !== subcommandIndex)
}

/** Removes the launchers before the formatter: `uv run npx exec black src` → `black src`. */
const withoutLaunchers = (words: Array<string>): Array<string> => {
  if (!LAUNCHERS.has(basename(words[0] ?? ''))) return words
  const programIndex = words.findIndex((word, index) => index > 0 && !LAUNCH_SUBCOMMANDS.has(word))
  return programIndex === -1 ? [] : withoutLaunchers(words.slice(programIndex))
}

const GLOB = /[*?[{]|\.\.\.$/

const namesFolderOrGlob = (operands: Array<string>, directory: string): boolean =>
  operands.some((operand, index) => {
    // A plain word may be a subcommand named like a folder, unless it is the last operand.
    const mayBeFolder = /[./]/.test(operand) || index === operands.length - 1
    // Fails for a missing file, a name that is too long, or a loop of links.
    const isFolder = () => safe(() => statSync(resolve(directory, operand)).isDirectory()).data === true
    return GLOB.test(operand) || (mayBeFolder && isFolder())
  })
