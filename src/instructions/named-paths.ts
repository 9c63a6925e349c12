/** The paths that a model names in one argument: a list, or a text with commas between. */
import { resolvePath } from '../paths/boundary.ts'
import { isThere } from '../paths/real-path.ts'
import { fail, ok, type Result } from '../safe.ts'

/** How many paths one argument may name. */
const MAX_PATHS = 1_000

/** How many commas a name may hold where it stands in a text with commas between names. */
const MAX_COMMAS = 8

// What stands between commas. A comma in closed braces belongs to a pattern.
const PIECE = /(?<=^|,)(?:\{(?:[^{}]|\{[^{}]*\})*\}|[^,])*/g

/** Gives the name of an existing file: as written, or without the whitespace around it; null where there is none. */
const nameThere = async (directory: string, spelling: string): Promise<string | null> => {
  for (const name of new Set([spelling, spelling.trim()])) {
    const path = resolvePath(directory, name)
    if (path.error === null && await isThere(path.data)) return name
  }
  return null
}

/**
 * Joins pieces, from one on, to the longest name of an existing file; gives it and how many pieces it takes. Without
 * such a file the name is the piece alone.
 */
const nameFrom = async (
  directory: string,
  pieces: Array<string>,
  from: number,
): Promise<{ name: string; length: number }> => {
  for (let length = Math.min(MAX_COMMAS + 1, pieces.length - from); length > 0; length--) {
    const spelling = pieces.slice(from, from + length).join(',')
    // A piece alone is a name in any case. The disk is asked only where whitespace around it may be part of the name.
    const isPlain = length === 1 && spelling === spelling.trim()
    const name = isPlain ? spelling : await nameThere(directory, spelling)
    if (name !== null) return { name, length }
  }
  return { name: (pieces[from] ?? '').trim(), length: 1 }
}

/**
 * Reads the paths and patterns that an argument names, as they are written. The entries of a list are taken as they
 * stand. A text is split at its commas, but for the names of existing files with a comma, or with whitespace around them.
 *
 * @returns an empty list where all is blank; an error where there are too many
 */
export const namedPaths = async (
  directory: string,
  argument: string | Array<string>,
): Promise<Result<Array<string>>> => {
  const pieces = typeof argument === 'string' ? argument.match(PIECE) ?? [] : argument
  const given = pieces.filter((piece) => piece.trim() !== '').length
  if (given > MAX_PATHS) return fail(`${given} paths are named; at most ${MAX_PATHS} are taken at once`)
  if (typeof argument !== 'string') return ok(argument.filter((entry) => entry.trim() !== ''))
  const names: Array<string> = []
  for (let from = 0; given > 0 && from < pieces.length;) {
    const { name, length } = await nameFrom(directory, pieces, from)
    if (name.trim() !== '') names.push(name)
    from += length
  }
  return ok(names)
}
