/** The paths that a model names in one argument: a list, or a text with commas between. */
import { resolvePath } from '../paths/boundary.ts'
import { isThere } from '../paths/real-path.ts'
import { fail, ok, type Result } from '../safe.ts'

/** How many paths one argument may name. */
const MAX_PATHS = 1_000

// What stands between commas. A comma in closed braces belongs to a pattern.
const PIECE = /(?<=^|,)(?:\{(?:[^{}]|\{[^{}]*\})*\}|[^,])*/g

/**
 * Reads the paths and patterns that an argument names, as they are written. The entries of a list are taken as they
 * stand. A text that is the name of an existing file is that file; any other is split at its commas.
 *
 * @returns an empty list where all is blank; an error where there are too many
 */
export const namedPaths = async (
  directory: string,
  argument: string | Array<string>,
): Promise<Result<Array<string>>> => {
  const split = typeof argument === 'string'
    ? (argument.match(PIECE) ?? []).map((piece) => piece.trim())
    : argument
  const names = split.filter((name) => name.trim() !== '')
  if (names.length > MAX_PATHS) {
    return fail(`${names.length} paths are named; at most ${MAX_PATHS} are taken at once`)
  }
  const path = typeof argument === 'string' && names.length > 0 ? resolvePath(directory, argument) : null
  return ok(path?.data && await isThere(path.data) ? [String(argument)] : names)
}
