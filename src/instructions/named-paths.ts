/** The paths that a model names in one argument: a list, or a text with commas between. */
import { resolvePath } from '../paths/boundary.ts'
import { pathExists } from '../paths/real-path.ts'
import { fail, ok, type Result } from '../safe.ts'

/** How many paths one argument may name. */
const MAX_PATHS = 1_000

// What stands between commas. A comma in closed braces belongs to a pattern.
const PIECE = /(?<=^|,)(?:\{(?:[^{}]|\{[^{}]*\})*\}|[^,])*/g

// As a path stands in words: `a.md`, or @a.md where the person chose it from the prompt's list.
const WRITTEN = /^(?:@(.+)|(['"`])(.+)\2)$/s

/** Splits a text at its commas, unless a file has the whole text as its name. */
const split = async (directory: string, text: string): Promise<Array<string>> => {
  const isName = async (name: string): Promise<boolean> => {
    const { data } = resolvePath(directory, name)
    return data !== null && await pathExists(data)
  }
  if (await isName(text)) return [text]
  const pieces = text.match(PIECE)?.map((piece) => piece.trim()) ?? []
  const meant = pieces.map(async (piece) =>
    WRITTEN.test(piece) && !await isName(piece) ? piece.replace(WRITTEN, '$1$3') : piece
  )
  return Promise.all(meant)
}

/**
 * Reads the paths and patterns that an argument names, as they are written. The entries of a list are taken as they
 * stand; so is a text that is the name of an existing file.
 *
 * @returns an empty list where all is blank; an error where there are too many
 */
export const namedPaths = async (
  directory: string,
  argument: string | Array<string>,
): Promise<Result<Array<string>>> => {
  const entries = typeof argument === 'string' ? await split(directory, argument) : argument
  const names = entries.filter((entry) => entry.trim() !== '')
  return names.length > MAX_PATHS
    ? fail(`${names.length} paths are named; at most ${MAX_PATHS} are taken at once`)
    : ok(names)
}
