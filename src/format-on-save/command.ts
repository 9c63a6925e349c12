import { isAbsolute, relative, sep } from 'node:path'
import picomatch from 'picomatch'

/** A command as the person wrote it, ready to run. */
export type FormatCommand = {
  /** The person's words, for the log. */
  words: string
  /** A shell script in which the file is `$FILE`; or, of the host's setting, the program and its arguments. */
  script: string | Array<string>
  /** Whether the command does not name the file: it then formats the whole project. */
  wholeProject: boolean
  environment?: Record<string, string>
}

const PLACEHOLDER = /\{path\}|\$\{FILE\}|\$FILE(?![A-Za-z0-9_])/y

type Quote = 'none' | 'single' | 'double'

/** How the placeholder is written in each place so that the shell takes the name as one word and never reads it. */
const REFERENCE: Record<Quote, string> = { none: '"$FILE"', double: '$FILE', single: `'"$FILE"'` }

// In the script of another shell the placeholder is left to that shell, which reads the same variable.
const NESTED: Record<Quote, string> = { none: '"$FILE"', double: `\\"\\$FILE\\"`, single: '"$FILE"' }

const startsScript = (before: string): boolean => /(^|\s)-[a-z]*c\s+$/.test(before)

const nestedReference = (quote: Quote, before: string): string => {
  if (quote === 'single') return before.endsWith('"') ? '$FILE' : NESTED.single
  if (before.endsWith('\\"')) return '\\$FILE'
  return before.endsWith("'") ? `'${NESTED.double}'` : NESTED.double
}

/**
 * Puts the file into a command: `{path}` and `$FILE`, quoted by the person or not, become references to a variable
 * of the environment, so that a file's name is never read by the shell, whatever is in it.
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

/**
 * Reads the option `format_on_save` (format-on-save.md, Configuration). The first pattern that matches wins. A
 * pattern without a slash matches a file's name in any folder, one with a slash the path from the project's folder.
 * Files outside that folder match none: the formatter is the project's own.
 */
export const readCommands = (patterns: Record<string, string>, directory: string): CommandOf => {
  const all = Object.entries(patterns).map(([glob, words]) => {
    const { script, namesFile } = toScript(words)
    const matches = picomatch(glob.replace(/^\.?\//, ''), { dot: true, basename: !glob.includes('/') })
    return { matches, command: { words, script, wholeProject: !namesFile } }
  })
  return (path) => {
    const inProject = relative(directory, path).replaceAll(sep, '/')
    if (inProject === '..' || inProject.startsWith('../') || isAbsolute(inProject)) return null
    return all.find(({ matches }) => matches(inProject))?.command ?? null
  }
}

/** Whether the patterns match every file with an extension, wherever in the project it is and whatever its name. */
export const coversExtension = (patterns: Record<string, string>, extension: string): boolean =>
  Object.keys(patterns).some((glob) => {
    const ending = /^(?:\*\*\/)?\*(\..+)$/.exec(glob)?.[1]
    return ending ? picomatch.isMatch(extension, ending, { dot: true }) : ['*', '**', '**/*'].includes(glob)
  })
