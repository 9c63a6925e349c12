/** Reports failed format commands to the log and to the person, and remembers which commands failed or worked. */
import type { Log } from '../../host/log.ts'
import type { Toast } from '../../host/toast.ts'
import type { FormatCommand } from './format-command.ts'
import type { Aftermath } from './restore-file.ts'
import type { RunResult } from './run-formatter.ts'

const LOGGED_LINES = 12

const ADVICE =
  '. The command does not say where the path of the file belongs: put {path} there, or name a folder (`.`)'
  + ' to format the project.'

export class CommandResults {
  readonly #report: { log: Log; toast: Toast }
  readonly #everWorked = new Set<string>()
  readonly #failing = new Set<string>()
  /** Commands that failed and now work again. The caller empties the set once the person is told. */
  readonly recovered = new Set<string>()

  constructor(report: { log: Log; toast: Toast }) {
    this.#report = report
  }

  recordSuccess({ text: command }: FormatCommand): void {
    this.#everWorked.add(command)
    if (this.#failing.delete(command)) this.recovered.add(command)
  }

  recordFailure(path: string, used: FormatCommand, { output }: RunResult, aftermath: Aftermath): void {
    const { text: command, isGuess } = used
    const { status, state, restoreError, backup } = aftermath
    this.#failing.add(command)
    const mayMisplacePath = isGuess && !this.#everWorked.has(command)
    const advice = mayMisplacePath ? ADVICE : ''
    const lastLines = output.split('\n').slice(-LOGGED_LINES).join('\n')
    const logged = { command, file: path, status, output: lastLines, lost: restoreError, backup }
    this.#report.log('warn', `A formatter ${status}, and ${state}: ${command}${advice}`, logged)
    this.#report.toast(command, `A formatter ${status}: ${command}`)
  }
}
