import { discover, type InstructionFile, readFilePaths } from './discover.ts'
import { fail, ok, type Result } from './safe.ts'

/**
 * The files that a tool works on: those named in `filesArg` (text with commas between them, or a list of paths as
 * they stand), or without it those that `discover` finds (sat-plan.md, resolve.ts).
 */
export const resolveFiles = async (
  directory: string,
  filesArg?: string | Array<string>,
): Promise<Result<Array<InstructionFile>>> => {
  if (filesArg === undefined) return discover(directory)
  const named = typeof filesArg === 'string' ? filesArg.split(',').map((path) => path.trim()) : filesArg
  const paths = named.filter((path) => path.trim() !== '')
  return paths.length === 0 ? fail('No valid file paths provided') : ok(await readFilePaths(directory, paths))
}
