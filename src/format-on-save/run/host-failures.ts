/** Records how the person's commands in the host's setting `formatter` fail: the host does not report that. */
import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolder } from '../../paths/user-folders.ts'
import { safeAsync } from '../../safe.ts'
import { readText } from '../../text/read.ts'
import { type Failure, MAX_OUTPUT, NOT_FOUND, plainOutput } from './run-formatter.ts'

// A linter that found something which it cannot fix exits with 1.
const MAX_OK_CODE = 1

// Called as `sh -c REPORTING <prefix> <file> <command>…`: `$0` is `<prefix>`. Line 2 creates `<prefix>.<pid>` for the
// command's output, because a daemon would keep a pipe open; if that fails, it only runs the command. If the command
// failed, line 5 writes the record `<prefix>-<pid>`: the file, the exit code and the command, a line each, then the
// output. The variables begin with `sat_`, so that no variable of the command is changed.
const REPORTING = `sat_file=$1; shift
mkdir -p "\${0%/*}" && true > "$0.$$" || exec "$@"
"$@" > "$0.$$" 2>&1; sat_code=$?
[ $sat_code -le ${MAX_OK_CODE} ] ||
printf '%s\\n' "$sat_file" $sat_code "$*" "$(tail -c ${MAX_OUTPUT} "$0.$$")" > "$0-$$"
rm -f "$0.$$"; exit $sat_code`

/** The records of failures of the commands in one config. */
export class HostFailures {
  readonly #folder = join(stateFolder(), 'formatting', 'failed')
  readonly #id = randomUUID()

  /** Wraps a command of the host's config, so that its failures are recorded. The host replaces `$FILE`. */
  withRecording(command: Array<string>): Array<string> {
    if (process.platform === 'win32') return command
    return ['sh', '-c', REPORTING, join(this.#folder, this.#id), '$FILE', ...command]
  }

  /** Removes the records of failures on a file, and returns one of them; null if there are none. */
  async take(path: string, hasWritten: boolean): Promise<Failure | null> {
    const { data: names } = await safeAsync(() => readdir(this.#folder))
    const ownNames = names?.filter((name) => name.startsWith(`${this.#id}-`)) ?? []
    let failure: Failure | null = null
    for (const name of ownNames) {
      const record = join(this.#folder, name)
      const { data } = await readText(record)
      const [file, status, command = '', ...lines] = data?.text.trimEnd().split('\n') ?? []
      if (file !== path) continue
      await safeAsync(() => rm(record))
      const code = Number(status)
      const output = plainOutput(lines.join('\n'))
      const kind = code === NOT_FOUND ? 'missing' : 'failed'
      failure = { kind, status: `failed (status ${code})`, code, output, command, hasWritten, byHost: true }
    }
    return failure
  }
}
