/** Reads the paths in an argument of a tool call: a list, or a text with commas between the paths. */
import { resolvePath } from '../paths/boundary.ts'
import { pathExists } from '../paths/real-path.ts'
import { fail, ok, type Result } from '../safe.ts'

const MAX_PATHS = 1_000

// A comma inside braces belongs to a pattern: `{a,b}.md`.
const PIECE = /(?<=^|,)(?:\{(?:[^{}]|\{[^{}]*\})*\}|[^,])*/g

// The host's prompt inserts `@a.md` when the person picks a file from a list.
const QUOTED_PATH = /^(?:@(.+)|(['"`])(.+)\2)$/s

const splitPaths = async (directory: string, text: string): Promise<Array<string>> => {
  const isFileName = async (name: string): Promise<boolean> => {
    const { data } = resolvePath(directory, name)
    return data !== null && await pathExists(data)
  }
  // A comma may belong to a file's name.
  if (await isFileName(text)) return [text]
  const pieces = text.match(PIECE)?.map((piece) => piece.trim()) ?? []
  const unquote = async (piece: string) =>
    await isFileName(piece) ? piece : piece.replace(QUOTED_PATH, '$1$3')
  return Promise.all(pieces.map(unquote))
}

/** Returns the paths and patterns that are not blank, or fails if there are too many. */
export const namedPaths = async (
  directory: string,
  argument: string | Array<string>,
): Promise<Result<Array<string>>> => {
  const entries = typeof argument === 'string' ? await splitPaths(directory, argument) : argument
  const names = entries.filter((entry) => entry.trim() !== '')
  return names.length > MAX_PATHS
    ? fail(`${names.length} paths are named; at most ${MAX_PATHS} are taken at once`)
    : ok(names)
}
