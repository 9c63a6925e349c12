/** Records how the person's commands in the host's setting `formatter` fail, because the host does not report it. */
import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { stateFolder } from '../../paths/user-folders.ts'
import { readBytes } from '../../text/read.ts'
import { type Failure, MAX_OUTPUT, NOT_FOUND, plainOutput } from './run-formatter.ts'

/** A linter exits with 1 if it found something that it cannot fix. */
export const MAX_OK_CODE = 1

// Called as `sh -c REPORTING <prefix> <file> <command>…`, so `$0` is `<prefix>`.
// The variables begin with `sat_`, so that they do not overwrite an environment variable that the command reads.
const REPORTING = [
  'sat_file=$1; shift',
  // If the output file `<prefix>.<pid>` cannot be created, only runs the command.
  'mkdir -p "${0%/*}" && true > "$0.$$" || exec "$@"',
  // The output goes to a file, because a daemon that the command starts would keep a pipe open.
  '"$@" > "$0.$$" 2>&1; sat_code=$?',
  `[ $sat_code -le ${MAX_OK_CODE} ] ||`,
  // Records a failure in `<prefix>-<pid>`: the file, the exit code, the command and the output.
  `printf '%s\\0' "$sat_file" $sat_code "$*" "$(tail -c ${MAX_OUTPUT} "$0.$$")" > "$0-$$"`,
  'rm -f "$0.$$"; exit $sat_code',
].join('\n')

export const hostFailures = () => {
  const folder = join(stateFolder(), 'formatting', 'failed')
  const id = randomUUID()

  /** The host replaces the word `$FILE` with the file's path. */
  const withRecording = (command: Array<string>): Array<string> =>
    process.platform === 'win32' ? command : ['sh', '-c', REPORTING, join(folder, id), '$FILE', ...command]

  /** Removes the records of failures on a file, and returns one of these failures, or null. */
  const failureOf = async (path: string, mayHaveWritten: boolean): Promise<Failure | null> => {
    const names = await readdir(folder).catch(() => [])
    let failure: Failure | null = null
    for (const name of names.filter((each) => each.startsWith(`${id}-`))) {
      const record = join(folder, name)
      const { data } = await readBytes(record)
      const [file = '', exitCode, command = '', printed = ''] = data?.bytes.toString().split('\0') ?? []
      // The host names the file as the model did: `/p/./a.ts`.
      if (resolve(file) !== path) continue
      await rm(record).catch(() => {})
      const code = Number(exitCode)
      const kind = code === NOT_FOUND ? 'missing' : 'failed'
      const status = `failed (status ${code})`
      failure = { kind, status, code, output: plainOutput(printed), command, mayHaveWritten, byHost: true }
    }
    return failure
  }

  return { withRecording, failureOf }
}
