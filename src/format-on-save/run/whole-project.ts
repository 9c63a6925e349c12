import { statSync } from 'node:fs'
import { basename, resolve } from 'node:path'

/** Build tools and task runners: they format the project, and take a path for a task or a target. */
const PROJECT_TOOLS = new Set([
  ...['ant', 'bazel', 'cargo', 'cmake', 'dotnet', 'dune', 'gmake', 'gradle', 'gradlew', 'invoke', 'just'],
  ...['lefthook', 'lerna', 'lint-staged', 'mage', 'make', 'mvn', 'mvnw', 'ng', 'ninja', 'nox', 'nx'],
  ...['pre-commit', 'rake', 'sbt', 'task', 'tox', 'turbo'],
])

/** Package managers, which run a script of the project by its name behind these words, and a formatter otherwise. */
const PACKAGE_MANAGERS = new Set(['bun', 'composer', 'deno', 'npm', 'pnpm', 'yarn'])
const RUN_SCRIPT = new Set(['run', 'run-script', 'task'])

/** What only a shell reads: the person has to say where in it the path belongs. */
const SHELL_SYNTAX = /[|&;<>()$`#\n\r]/

/** A word, with the quotes that it may be in. */
const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g

// A pattern of files that a formatter reads itself, as Go's `./...`.
const GLOB = /[*?[{]|\.\.\.$/

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * Whether a command without a placeholder runs as it stands, for the whole project, or else gets the file's path at
 * its end (format-on-save.md, Configuration: `prettier --write` and `taplo format` need the path, `cargo fmt`
 * refuses it). It runs as it stands where it names a folder or a pattern, where it is a build tool's or a task
 * runner's, and where it holds shell syntax.
 *
 * @param directory the project's folder, from which the command runs
 */
export const isWholeProject = (command: string, directory: string): boolean => {
  if (SHELL_SYNTAX.test(command)) return true
  const words = (command.match(WORD) ?? []).map((word) => word.replace(/["']/g, ''))
  const program = words.findIndex((word) => !/^\w+=/.test(word))
  if (words.some((word) => PROJECT_TOOLS.has(basename(word)))) return true
  const manager = words.findIndex((word) => PACKAGE_MANAGERS.has(word))
  if (manager >= 0 && words.slice(manager + 1).some((word) => RUN_SCRIPT.has(word))) return true
  return words.slice(program + 1).some((word) =>
    !word.startsWith('-') && (GLOB.test(word) || isFolder(resolve(directory, word)))
  )
}
