import { discover, type InstructionFile, readFilePaths } from './discover.ts'
import { fail, ok, type Result } from './safe.ts'

/**
 * The files that a tool works on: those named in `filesArg` (separated by commas), or without it those that
 * `discover` finds (sat-plan.md, resolve.ts).
 */
export const resolveFiles = async (
  directory: string,
  filesArg?: string,
): Promise<Result<Array<InstructionFile>>> => {
  if (filesArg === undefined) return discover(directory)
  const paths = filesArg.split(',').map((path) => path.trim()).filter((path) => path !== '')
  return paths.length === 0 ? fail('No valid file paths provided') : ok(await readFilePaths(directory, paths))
}
