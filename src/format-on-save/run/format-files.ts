/** Formats files that tool calls wrote, restores files that a formatter damaged, and reports failures. */
import { readlink } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../host/log.ts'
import type { FormatOnSaveOption, When } from '../../host/options.ts'
import type { Toast } from '../../host/toast.ts'
import type { Workspace } from '../../paths/boundary.ts'
import { realPathOrSelf } from '../../paths/real-path.ts'
import { withTimeout } from '../../safe.ts'
import {
  type PresentFiles,
  readSaved,
  rereadFile,
  type SavedFile,
  watchFiles,
} from '../../steps/saved-file.ts'
import { KeyedLock, type Release } from '../../writing/keyed-lock.ts'
import { type FormatCommand, readCommands } from './format-command.ts'
import type { HostFormatter } from './host-formatter.ts'
import { aftermathOf, restoreUndone } from './restore-file.ts'
import { type Failure, runFormatter, type RunResult } from './run-formatter.ts'

export type FormatFilesInput = {
  workspace: Workspace
  option: FormatOnSaveOption
  hostFormatter: HostFormatter | undefined
  presentFiles: PresentFiles
  log: Log
  toast: Toast
  /** In milliseconds. */
  limit?: number
}

type Job = {
  sessionID: string
  paths: Array<string>
  commands: Array<FormatCommand>
  wholeProject: boolean
  stop: AbortController
  /** Maps each path to the file as an undo left it; null if the undo removed the file. */
  undone?: Promise<Map<string, SavedFile | null>>
}

type FileFailure = Failure & NonNullable<Awaited<ReturnType<typeof aftermathOf>>> & { path: string }

type Formatted = {
  failures: Array<FileFailure>
  /** Keyed by path. A running call may write an `isShared` file during the formatting. */
  files: Map<string, { before: string; isShared: boolean }>
}

const TIME_LIMIT_MS = 30_000
// A call that runs longer is assumed to wait for the person's answer, and to have written nothing.
const CALL_LIMIT_MS = 2_000
const LOGGED_LINES = 12

const ADVICE =
  '. The command does not say where the path of the file belongs: put {path} there, or name a folder (`.`)'
  + ' to format the project.'

export class FormatFiles {
  readonly #input: FormatFilesInput
  readonly #optionCommandOf: (path: string) => FormatCommand | null
  readonly #lock = new KeyedLock()
  readonly #runningCalls = new Set<{ paths: Array<string>; ended: Promise<void> }>()
  readonly #jobs = new Set<Job>()
  readonly #everWorked = new Set<string>()
  readonly #failing = new Set<string>()
  /** Commands that failed and now work again. The caller empties the set once the person is told. */
  readonly recovered = new Set<string>()

  constructor(input: FormatFilesInput) {
    this.#input = input
    this.#optionCommandOf = readCommands(input.option, input.workspace)
  }

  get formatsAtTurnEnd(): boolean {
    const { option } = this.#input
    return [option, ...Object.values(option)].some((entry) => Object(entry).when === 'turn')
  }

  #commandsOf(path: string): Array<FormatCommand> {
    const command = this.#optionCommandOf(path)
    return command ? [command] : this.#input.hostFormatter?.commandsOf(path) ?? []
  }

  hasCommand(path: string): boolean {
    return this.#commandsOf(path).length > 0
  }

  whenOf(path: string): When {
    // Only the host can have several commands for a file, and these share one `when`.
    return this.#commandsOf(path)[0]?.when ?? 'save'
  }

  /** Waits for running formatters of these files. Later formatters wait until the returned function is called. */
  async startCall(paths: Array<string>): Promise<Release> {
    const release = await this.#lock.acquire(paths)
    let end: Release = () => {}
    const call = { paths, ended: new Promise<void>((resolve) => end = resolve) }
    this.#runningCalls.add(call)
    // Calls need not wait for each other.
    release()
    return () => {
      this.#runningCalls.delete(call)
      end()
    }
  }

  /** Formats the files in `paths`, and lists the files in `others` that changed meanwhile. */
  async format(sessionID: string, paths: Array<string>, others: Array<string>) {
    const formatted: Formatted = { failures: [], files: new Map() }
    const jobs = this.#jobsFor(sessionID, paths)
    for (const job of jobs) this.#jobs.add(job)
    const listChanged = await watchFiles(jobs.length > 0 ? others : [])
    await Promise.all(jobs.map((job) => this.#runJob(job, formatted)))
    return { ...formatted, changedOthers: await listChanged() }
  }

  /** Creates a job for each file that has commands. Files with the same whole-project command share a job. */
  #jobsFor(sessionID: string, paths: Array<string>): Array<Job> {
    const jobs: Array<Job> = []
    for (const path of paths) {
      const commands = this.#commandsOf(path)
      const wholeProject = commands.some((command) => command.wholeProject)
      const sharedJob = jobs.find((job) => wholeProject && isDeepStrictEqual(job.commands, commands))
      if (sharedJob) sharedJob.paths.push(path)
      else if (commands.length > 0) {
        jobs.push({ sessionID, paths: [path], commands, wholeProject, stop: new AbortController() })
      }
    }
    return jobs
  }

  async #runJob(job: Job, formatted: Formatted): Promise<void> {
    const { paths, commands, wholeProject } = job
    // A call may name a link to a file, or its target.
    const names = [...paths, ...await Promise.all(paths.map(realPathOrSelf))]
    // From now on, new calls on these files wait in `startCall`.
    const release = await this.#lock.acquire(wholeProject ? 'all' : names)
    const calls = [...this.#runningCalls]
      .filter((call) => wholeProject || call.paths.some((path) => names.includes(path)))
    await withTimeout(CALL_LIMIT_MS, Promise.all(calls.map(({ ended }) => ended)))
    try {
      for (const command of commands) await this.#runCommand(command, job, formatted)
    } finally {
      this.#jobs.delete(job)
      release()
    }
  }

  async #runCommand(command: FormatCommand, job: Job, formatted: Formatted): Promise<void> {
    const { failures, files } = formatted
    const savedFiles = await this.#readFiles(job.paths, files)
    const [firstPath] = savedFiles.keys()
    if (firstPath === undefined) return
    // A formatter may refuse a link, or replace it with a file, so it gets the path to which the link leads.
    // For a whole-project command, the path only tells in which folders to look for the program.
    const target = await readlink(firstPath).then(() => realPathOrSelf(firstPath), () => firstPath)
    const { workspace, limit = TIME_LIMIT_MS } = this.#input
    if (job.undone) return
    const result = await runFormatter({ command, path: target, signal: job.stop.signal, workspace, limit })
    for (const [path, saved] of savedFiles) {
      const aftermath = await this.#checkFile(job, path, saved, result)
      if (!aftermath) continue
      const failure = { ...result, ...aftermath, path, command: command.text }
      failures.push(failure)
      this.#reportFailure(failure, command.isGuess)
    }
    const hasFailed = failures.some((failure) => failure.command === command.text)
    if (job.undone || hasFailed) return
    this.#everWorked.add(command.text)
    if (this.#failing.delete(command.text)) this.recovered.add(command.text)
  }

  #reportFailure(failure: FileFailure, isGuess: boolean): void {
    const { command, path: file, status, state, restoreError: lost, backup } = failure
    this.#failing.add(command)
    const advice = isGuess && !this.#everWorked.has(command) ? ADVICE : ''
    const output = failure.output.split('\n').slice(-LOGGED_LINES).join('\n')
    const logged = { command, file, status, output, lost, backup }
    this.#input.log('warn', `A formatter ${status}, and ${state}: ${command}${advice}`, logged)
    this.#input.toast(command, `A formatter ${status}: ${command}`)
  }

  async #readFiles(paths: Array<string>, files: Formatted['files']): Promise<Map<string, SavedFile>> {
    const savedFiles = new Map<string, SavedFile>()
    const pathsOfCalls = [...this.#runningCalls].flatMap((call) => call.paths)
    for (const path of paths) {
      const file = await this.#input.presentFiles.read(path)
      if (!file) continue
      savedFiles.set(path, file)
      if (!files.has(path)) files.set(path, { before: file.text, isShared: pathsOfCalls.includes(path) })
    }
    return savedFiles
  }

  async #checkFile(job: Job, path: string, saved: SavedFile, result: RunResult) {
    if (job.undone) {
      await restoreUndone(path, (await job.undone).get(path) ?? null)
      return null
    }
    const after = await rereadFile(saved)
    const aftermath = await aftermathOf(saved, after, result)
    // After a failure, `after` may be outdated, because the file may have been restored.
    this.#input.presentFiles.remember(path, aftermath ? null : after)
    return aftermath
  }

  /** After an undo restored or removed files, ends the formatters of the session. */
  async undo(sessionID: string): Promise<void> {
    const jobs = [...this.#jobs].filter((job) => job.sessionID === sessionID)
    await Promise.all(jobs.map(async (job) => {
      const read = async (path: string) => [path, await readSaved(path)] as const
      job.undone ??= Promise.all(job.paths.map(read)).then((files) => new Map(files))
      await job.undone
      job.stop.abort()
    }))
  }
}
