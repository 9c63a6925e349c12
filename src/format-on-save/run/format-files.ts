import { readlink, rm } from 'node:fs/promises'
import type { Log } from '../../host/log.ts'
import type { FormatOnSaveOption, When } from '../../host/options.ts'
import type { Toast } from '../../host/toast.ts'
import type { Workspace } from '../../paths/boundary.ts'
import { realPathOr } from '../../paths/real-path.ts'
import { safeAsync, withTimeout } from '../../safe.ts'
import { readAgain, readSaved, type SavedFile, watchFiles } from '../../steps/saved-file.ts'
import { isUntouched } from '../../text/read.ts'
import { KeyedLock, type Release } from '../../writing/keyed-lock.ts'
import { entriesOf, readCommands } from './choose-command.ts'
import type { FormatCommand } from './format-command.ts'
import type { HostFormatter } from './host-formatter.ts'
import { type Aftermath, checkAfter, putBack } from './put-back.ts'
import { type Failure, runFormatter } from './run-formatter.ts'

export type FormatFilesPlace = {
  place: Workspace
  option: FormatOnSaveOption
  host: HostFormatter
  log: Log
  toast: Toast
  /** How long a formatter may run, in milliseconds. */
  limit?: number
}

/** A formatter that failed on a file, how, and what became of the file. */
type FileFailure = Failure & Aftermath & { path: string }

/** The result of formatting: what failed, other files that were changed, and what each file said just before. */
type Formatted = {
  failures: Array<FileFailure>
  others: Array<string>
  /** By path. */
  files: Map<string, FormattedFile>
}

/** A file to format, and what was read of it last. */
export type FileToFormat = { path: string; saved?: SavedFile | null }

/** A file just before its formatters and after them; shared where a call of another session, which may write it, ran on. */
type FormattedFile = { before: string; after: SavedFile | null; isShared: boolean }

/** Files that the same commands format in one run. */
type Job = { files: Array<FileToFormat>; commands: Array<FormatCommand>; isWhole: boolean }

/** A formatter has this long for one file or one project. */
const TIME_LIMIT_MS = 30_000

/** A call of another session that takes longer waits for the person, and has not begun to write. */
const CALL_LIMIT_MS = 2_000

const LOGGED_LINES = 12

const ADVICE =
  '. It does not say where the path of the file belongs: put {path} where it does, or name a folder (`.`) to format the project.'

/** Formats files, each by the commands that the options and the host's config name for it. */
export class FormatFiles {
  readonly #place: FormatFilesPlace & { limit: number }
  readonly #lock = new KeyedLock()
  /** The calls that run on files: what one writes while a formatter works on its file would be lost. */
  readonly #calls = new Set<{ paths: Array<string>; ended: Promise<void> }>()
  /** What ends the formatter of a file, while it runs and the person has not undone the file. */
  readonly #running = new Map<string, AbortController>()
  readonly #hasWorked = new Set<string>()
  /** The commands that failed when they ran last. */
  readonly #failing = new Set<string>()
  /** The commands that failed before and work again, until the person is shown it. */
  readonly mended = new Set<string>()
  /** The commands of a file, by its path: those of the option, else those that were taken over from the host. */
  readonly commandsOf: (path: string) => Array<FormatCommand>

  constructor(place: FormatFilesPlace) {
    this.#place = { limit: TIME_LIMIT_MS, ...place }
    const own = readCommands(place.option, place.place)
    this.commandsOf = (path) => {
      const command = own(path)
      return command ? [command] : place.host.commandsOf(path)
    }
  }

  /** Whether any file is formatted at the end of a turn. */
  get waitsForTurn(): boolean {
    const { option } = this.#place
    return option.when === 'turn' || entriesOf(option).some(({ given }) => Object(given).when === 'turn')
  }

  /** Whether anything formats a file, the host included. */
  isFormatted(path: string): boolean {
    return this.#place.host.formats || this.commandsOf(path).length > 0
  }

  /** When a file is formatted: all its commands have the same time. */
  whenOf(path: string): When {
    return this.commandsOf(path)[0]?.when ?? 'save'
  }

  /** Resolves once no formatter works on files; none begins until the call on them has ended, which it then waits for. */
  async startCall(paths: Array<string>): Promise<Release> {
    const release = await this.#lock.acquire(paths)
    let end: Release = () => {}
    const ended = new Promise<void>((resolve) => end = resolve)
    const call = { paths, ended }
    this.#calls.add(call)
    release()
    return () => {
      this.#calls.delete(call)
      end()
    }
  }

  /**
   * Formats files, each once, at the same time; those of one whole-project command by one run of it.
   *
   * @param others files whose changes are to be reported: a command may write more than its file
   */
  async format(given: Array<FileToFormat>, others: Array<string>): Promise<Formatted> {
    const formatted: Formatted = { failures: [], others: [], files: new Map() }
    const jobs = this.#jobsFor(given)
    const changedOthers = await watchFiles(jobs.length > 0 ? others : [])
    await Promise.all(jobs.map((job) => this.#run(job, formatted)))
    return { ...formatted, others: await changedOthers() }
  }

  /** Ends the formatters of files that the person's undo has just restored, and keeps the restored texts. */
  async undo(paths: Array<string>): Promise<void> {
    await Promise.all(paths.map(async (path) => {
      const undone = await readSaved(path)
      const running = this.#running.get(path)
      if (!running) return
      this.#running.delete(path)
      running.abort()
      const release = await this.#lock.acquire([path])
      await (undone ? putBack(undone, await readAgain(undone)) : safeAsync(() => rm(path, { force: true })))
      release()
    }))
  }

  #jobsFor(files: Array<FileToFormat>): Array<Job> {
    const jobs: Array<Job> = []
    for (const file of files) {
      const commands = this.commandsOf(file.path)
      const isWhole = commands.some(({ wholeProject }) => wholeProject)
      const same = jobs.find((job) => isWhole && job.commands[0]?.words === commands[0]?.words)
      if (same) same.files.push(file)
      else if (commands.length > 0) jobs.push({ files: [file], commands, isWhole })
    }
    return jobs
  }

  async #run({ files, commands, isWhole }: Job, formatted: Formatted): Promise<void> {
    const paths = files.map(({ path }) => path)
    const release = await this.#lock.acquire(isWhole ? 'all' : paths)
    const calls = [...this.#calls].filter((call) =>
      isWhole || call.paths.some((path) => paths.includes(path))
    )
    await withTimeout(CALL_LIMIT_MS, Promise.all(calls.map(({ ended }) => ended)))
    try {
      for (const command of commands) await this.#runCommand(command, files, formatted)
    } finally {
      release()
    }
  }

  async #runCommand(
    command: FormatCommand,
    given: Array<FileToFormat>,
    { failures, files }: Formatted,
  ): Promise<void> {
    const before = new Map<string, SavedFile>()
    const written = [...this.#calls].flatMap((call) => call.paths)
    for (const { path, saved: last } of given) {
      const known = files.get(path)?.after ?? last
      const saved = known && isUntouched(known) ? known : await readSaved(path)
      if (!saved) continue
      before.set(path, saved)
      if (!files.has(path)) {
        files.set(path, { before: saved.text, after: saved, isShared: written.includes(path) })
      }
    }
    const [first] = before.keys()
    if (first === undefined) return
    const stop = new AbortController()
    for (const path of before.keys()) this.#running.set(path, stop)
    // A formatter that replaces its file would replace the link, and some refuse links.
    const path = await readlink(first).then(() => realPathOr(first), () => first)
    const ran = await runFormatter({ command, path, signal: stop.signal, ...this.#place })
    for (const [path, saved] of before) {
      const file = files.get(path)!
      file.after = null
      if (!this.#running.has(path)) continue
      const { aftermath, left } = await checkAfter(saved, ran)
      file.after = left
      this.#running.delete(path)
      if (aftermath === null) continue
      const isMissing = ran.kind === 'missing'
      const { output, code } = ran
      const failure = { path, command: command.words, output, code, isMissing, ...aftermath }
      failures.push(failure)
      this.#failing.add(command.words)
      this.#report(failure, command)
    }
    if (failures.some((failure) => failure.command === command.words)) return
    this.#hasWorked.add(command.words)
    if (this.#failing.delete(command.words)) this.mended.add(command.words)
  }

  #report(
    { path, command, output, status, state, lost, backup }: FileFailure,
    { isGuess }: FormatCommand,
  ): void {
    const advice = isGuess && !this.#hasWorked.has(command) ? ADVICE : ''
    const lastLines = output.split('\n').slice(-LOGGED_LINES).join('\n')
    const logged = { command, file: path, status, output: lastLines, lost, backup }
    this.#place.log('warn', `A formatter ${status}, and ${state}: ${command}${advice}`, logged)
    this.#place.toast(command, `A formatter ${status}: ${command}`)
  }
}
