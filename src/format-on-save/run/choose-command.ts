/** Chooses the command of a file, and puts its path in; `whole-project.ts` knows the commands that get none. */
import { Minimatch } from 'minimatch'
import { relative, sep } from 'node:path'
import type { FormatOnSaveOption, When } from '../../host/options.ts'
import { contains, isInside, type Place } from '../../paths/boundary.ts'
import { isWholeProject } from './whole-project.ts'

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
  /** What the log advises where the command fails; empty where it names the file itself. */
  hint: string
  /** Whether it runs after each step, or once when the turn has ended. */
  when: When
}

// What stands for the file's path; `$FILENAME` is another variable.
const PLACEHOLDER = /\{path\}|\$\{FILE\}|\$FILE(?![A-Za-z0-9_])/y

type Quote = 'none' | 'single' | 'double'

/** The reference to the file's name inside each kind of quotes: the shell takes it as one word, unparsed. */
const REFERENCE: Record<Quote, string> = { none: '"$FILE"', double: '$FILE', single: `'"$FILE"'` }

// The same where the words are a script for another shell, as in `sh -c "…"`: that one reads the variable.
const NESTED: Record<Quote, string> = { none: '"$FILE"', double: `\\"\\$FILE\\"`, single: '"$FILE"' }

const startsScript = (before: string): boolean => /(^|\s)-[a-z]*c\s+$/.test(before)

const nestedReference = (quote: Quote, before: string): string => {
  if (quote === 'single') return before.endsWith('"') ? '$FILE' : NESTED.single
  if (before.endsWith('\\"')) return '\\$FILE'
  return before.endsWith("'") ? `'${NESTED.double}'` : NESTED.double
}

/**
 * Replaces `{path}` and `$FILE` in a command, quoted or not, by references to an environment variable, so that the shell
 * never parses a file's name, whatever is in it.
 */
export const toScript = (command: string): { script: string; namesFile: boolean } => {
  const open: Array<{ quote: Quote; isScript: boolean }> = [{ quote: 'none', isScript: false }]
  let script = ''
  let namesFile = false
  for (let at = 0; at < command.length;) {
    const { quote, isScript } = open.at(-1)!
    PLACEHOLDER.lastIndex = at
    const placeholder = PLACEHOLDER.exec(command)?.[0]
    if (placeholder) {
      script += isScript ? nestedReference(quote, script) : REFERENCE[quote]
      namesFile = true
      at += placeholder.length
      continue
    }
    const sign = command[at]!
    if (sign === '\\' && quote !== 'single') {
      script += command.slice(at, at + 2)
      at += 2
      continue
    }
    if (sign === "'" && quote !== 'double') {
      if (quote === 'single') open.pop()
      else open.push({ quote: 'single', isScript: startsScript(script) })
    } else if (sign === '"' && quote !== 'single') {
      if (quote === 'double') open.pop()
      else open.push({ quote: 'double', isScript: startsScript(script) })
    } else if (sign === '(' && quote !== 'single' && (quote === 'none' || script.endsWith('$'))) {
      open.push({ quote: 'none', isScript: false })
    } else if (sign === ')' && quote === 'none' && open.length > 1) open.pop()
    script += sign
    at += 1
  }
  return { script, namesFile }
}

/** Finds the command for a file, by its absolute path; null where no pattern matches. */
export type CommandOf = (path: string) => FormatCommand | null

const HINTS = {
  asItStands: 'It names no file: put {path} where the path of the file belongs.',
  atItsEnd:
    "The file's path was put at its end: put {path} where it belongs, or name a folder (`.`) if it formats the project.",
}

const readCommand = (
  given: Exclude<FormatOnSaveOption[string], undefined>,
  byDefault: When,
  directory: string,
): FormatCommand => {
  const { command: words, ok = [0], when = byDefault } = typeof given === 'string'
    ? { command: given }
    : given
  const { script, namesFile } = toScript(words)
  if (namesFile) return { words, script, wholeProject: false, ok, hint: '', when }
  if (isWholeProject(words, directory)) {
    return { words, script, wholeProject: true, ok, hint: HINTS.asItStands, when }
  }
  return { words, script: `${script} ${REFERENCE.none}`, wholeProject: false, ok, hint: HINTS.atItsEnd, when }
}

/**
 * Gives a file's path for patterns with a slash: from the project's folder or, for a file outside that, from the
 * worktree.
 */
const pathInProject = (place: Place, path: string): string | null => {
  if (!isInside(place, path)) return null
  return relative(contains(place.directory, path) ? place.directory : place.worktree, path).replaceAll(
    sep,
    '/',
  )
}

/** Lists the patterns of the option with their commands. */
export const entriesOf = ({ when: _, ...commands }: FormatOnSaveOption) =>
  Object.entries(commands).flatMap(([glob, given]) => (given === undefined ? [] : [{ glob, given }]))

/**
 * Reads the option `format_on_save`. The first pattern that matches wins. A pattern without a slash matches a file's
 * name in any folder of the worktree, one with a slash the path from the project's folder, or for a file outside that
 * folder the path from the worktree. Files outside the worktree match none: the formatter is the project's own.
 */
export const readCommands = (option: FormatOnSaveOption, place: Place): CommandOf => {
  const all = entriesOf(option).map(({ glob, given }) => ({
    pattern: new Minimatch(glob.replace(/^\.?\//, ''), {
      dot: true,
      matchBase: !glob.includes('/'),
      nocomment: true,
      braceExpandMax: 1_000,
    }),
    command: readCommand(given, option.when ?? 'save', place.directory),
  }))
  return (path) => {
    const inProject = pathInProject(place, path)
    return inProject === null ? null : all.find(({ pattern }) => pattern.match(inProject))?.command ?? null
  }
}
