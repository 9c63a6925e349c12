import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'

/** Build tools and task runners: they format the project, and take a path for a task or a target. */
const PROJECT_TOOLS = new Set([
  ...['ant', 'bazel', 'cargo', 'cmake', 'dotnet', 'dune', 'gmake', 'gradle', 'gradlew', 'invoke', 'just'],
  ...['lefthook', 'lerna', 'lint-staged', 'mage', 'make', 'mvn', 'mvnw', 'ng', 'ninja', 'nox', 'nx'],
  ...['pre-commit', 'rake', 'sbt', 'task', 'tox', 'turbo'],
])

/** Package managers that run a task of the project, and those that run a program or a file in the same way. */
const TASKS_ONLY = new Set(['composer', 'npm', 'pnpm'])
const TASKS_AND_PROGRAMS = new Set(['bun', 'deno', 'yarn'])
const RUN = new Set(['run', 'run-script', 'task'])

/** Shell syntax: the person has to say where the path belongs. */
const SHELL_SYNTAX = /[|&;<>()$`#\n\r]/

/** A word, with the quotes that it may be in. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g

// A pattern of files that a formatter reads itself, as Go's `./...`.
const GLOB = /[*?[{]|\.\.\.$/

/** An option whose next word is its value, a file or a folder that is not formatted: `--config-basedir config`. */
const TAKES_PATH =
  /^--?[\w-]*(?:base|cache|conf|cwd|dir|exclude|ignore|path|plugin|prefix|project|root)[\w-]*$/i

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * Whether a package manager runs a task of the project: `npm run format`, `deno task fmt`, `bun run format`. What
 * `bun`, `deno` and `yarn` run with more words, or by a file's name, is a program: `bun run prettier --write`.
 */
const isTask = (words: Array<string>): boolean => {
  const manager = words.findIndex((word) => TASKS_ONLY.has(word) || TASKS_AND_PROGRAMS.has(word))
  const run = words.findIndex((word, index) => index > manager && RUN.has(word))
  if (manager < 0 || run < 0) return false
  if (TASKS_ONLY.has(words[manager]!) || words[run] === 'task') return true
  const rest = words.slice(run + 1)
  const [name, ...others] = rest.slice(rest.findIndex((word) => !word.startsWith('-')))
  return name !== undefined && others.length === 0 && !/[./]/.test(name)
}

/**
 * Whether a command without a placeholder runs as it stands, for the whole project, or else gets the file's path at
 * its end: `prettier --write` and `taplo format` need the path, `cargo fmt` refuses it. It runs as it stands where it
 * names a folder or a pattern, where it is a build tool's or a task runner's, and where it holds shell syntax.
 *
 * @param directory the project's folder, from which the command runs
 */
export const isWholeProject = (command: string, directory: string): boolean => {
  if (SHELL_SYNTAX.test(command)) return true
  const words = (command.match(WORD) ?? []).map((word) => word.replace(/["']/g, ''))
  const program = words.findIndex((word) => !/^\w+=/.test(word))
  if (words.some((word) => PROJECT_TOOLS.has(basename(word))) || isTask(words)) return true
  return words.some((word, index) =>
    index > program && !word.startsWith('-') && !TAKES_PATH.test(words[index - 1]!)
    && (GLOB.test(word) || isFolder(resolve(directory, word)))
  )
}
