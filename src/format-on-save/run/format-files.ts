/** Formats files that tool calls wrote, and restores those that a formatter damaged. */
import { readlink, rm } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../../host/log.ts'
import type { FormatOnSaveOption, When } from '../../host/options.ts'
import type { Toast } from '../../host/toast.ts'
import type { Workspace } from '../../paths/boundary.ts'
import { realPathOrSelf } from '../../paths/real-path.ts'
import { safeAsync, withTimeout } from '../../safe.ts'
import type { PresentFiles } from '../../steps/present-files.ts'
import { readSaved, rereadFile, type SavedFile, watchFiles } from '../../steps/saved-file.ts'
import { KeyedLock, type Release } from '../../writing/keyed-lock.ts'
import { entriesOf, readCommands } from './choose-command.ts'
import { CommandResults } from './command-results.ts'
import type { FormatCommand } from './format-command.ts'
import type { HostFormatter } from './host-formatter.ts'
import { type Aftermath, aftermathOf, restoreFile } from './restore-file.ts'
import { type Failure, runFormatter, type RunResult } from './run-formatter.ts'

export type FormatFilesInput = {
  workspace: Workspace
  option: FormatOnSaveOption
  hostFormatter: HostFormatter | undefined
  presentFiles: PresentFiles
  log: Log
  toast: Toast
  /** The time limit of a formatter, in milliseconds. */
  limit?: number
}

/** `paths`: one file or, with `wholeProject`, all files that the commands format in one run. */
type Job = { paths: Array<string>; commands: Array<FormatCommand>; wholeProject: boolean }

type FileFailure = Failure & Aftermath & { path: string }

/** By path, a file's text before its first command, and whether a running call may have written it meanwhile. */
type FormattedFiles = Map<string, { before: string; isShared: boolean }>

type Formatted = { failures: Array<FileFailure>; files: FormattedFiles }

const TIME_LIMIT_MS = 30_000
// How long a formatter waits for a running call. A call that runs longer waits for the person, and has written nothing.
const CALL_LIMIT_MS = 2_000

/** Formats files with the commands of the option `format_on_save`, or with those that SAT took over from the host. */
export class FormatFiles {
  readonly #input: FormatFilesInput
  readonly #optionCommandOf: (path: string) => FormatCommand | null
  readonly #lock = new KeyedLock()
  /** A formatter waits until these calls have ended: otherwise, it would overwrite what they write. */
  readonly #runningCalls = new Set<{ paths: Array<string>; ended: Promise<void> }>()
  /** By path, the controller that stops the file's formatter. `undo` removes it, and restores the file itself. */
  readonly #stops = new Map<string, AbortController>()
  readonly #results: CommandResults

  constructor(input: FormatFilesInput) {
    this.#input = input
    this.#optionCommandOf = readCommands(input.option, input.workspace)
    this.#results = new CommandResults(input)
  }

  /** The commands that failed and now work again; emptied when the person is shown them. */
  get recovered(): Set<string> {
    return this.#results.recovered
  }

  get formatsAtTurnEnd(): boolean {
    const { option } = this.#input
    return option.when === 'turn' || entriesOf(option).some(({ command }) => Object(command).when === 'turn')
  }

  #commandsOf(path: string): Array<FormatCommand> {
    const command = this.#optionCommandOf(path)
    return command ? [command] : this.#input.hostFormatter?.commandsOf(path) ?? []
  }

  /** Whether SAT has a command for a file: one of the option, or one that it took over from the host. */
  hasCommand(path: string): boolean {
    return this.#commandsOf(path).length > 0
  }

  /** Whether SAT or the host may format a file. */
  isFormatted(path: string): boolean {
    return this.#input.hostFormatter !== undefined || this.#commandsOf(path).length > 0
  }

  whenOf(path: string): When {
    // Only the host can have several commands for a file, and these share one `when`.
    return this.#commandsOf(path)[0]?.when ?? 'save'
  }

  /** Waits for the running formatters of a call's files. Later ones wait until the returned function is called. */
  async startCall(paths: Array<string>): Promise<Release> {
    const release = await this.#lock.acquire(paths)
    let end: Release = () => {}
    const call = { paths, ended: new Promise<void>((resolve) => end = resolve) }
    this.#runningCalls.add(call)
    // Only formatters hold the lock while they work: calls need not wait for each other.
    release()
    return () => {
      this.#runningCalls.delete(call)
      end()
    }
  }

  /** Formats the files `paths` in parallel. Also returns which of the files `others` changed meanwhile. */
  async format(
    paths: Array<string>,
    others: Array<string>,
  ): Promise<Formatted & { changedOthers: Array<string> }> {
    const formatted: Formatted = { failures: [], files: new Map() }
    const jobs = this.#jobsFor(paths)
    const listChanged = await watchFiles(jobs.length > 0 ? others : [])
    await Promise.all(jobs.map((job) => this.#runJob(job, formatted)))
    return { ...formatted, changedOthers: await listChanged() }
  }

  /** Creates a job for each file that has commands. Files of one whole-project command share a job. */
  #jobsFor(paths: Array<string>): Array<Job> {
    const jobs: Array<Job> = []
    for (const path of paths) {
      const commands = this.#commandsOf(path)
      const wholeProject = commands.some((command) => command.wholeProject)
      const sharedJob = jobs.find((job) => wholeProject && isDeepStrictEqual(job.commands, commands))
      if (sharedJob) sharedJob.paths.push(path)
      else if (commands.length > 0) jobs.push({ paths: [path], commands, wholeProject })
    }
    return jobs
  }

  /** Waits for the running calls on a job's files, then runs the job's commands. */
  async #runJob({ paths, commands, wholeProject }: Job, formatted: Formatted): Promise<void> {
    // From now on, new calls on these files wait in `startCall`.
    const release = await this.#lock.acquire(wholeProject ? 'all' : paths)
    const isOnSameFile = (call: { paths: Array<string> }) => call.paths.some((path) => paths.includes(path))
    const calls = [...this.#runningCalls].filter((call) => wholeProject || isOnSameFile(call))
    await withTimeout(CALL_LIMIT_MS, Promise.all(calls.map(({ ended }) => ended)))
    try {
      for (const command of commands) await this.#runCommand(command, paths, formatted)
    } finally {
      release()
    }
  }

  /** Runs a command, once, and checks each file of its job. */
  async #runCommand(command: FormatCommand, paths: Array<string>, formatted: Formatted): Promise<void> {
    const { failures, files } = formatted
    const savedFiles = await this.#readFiles(paths, files)
    const [firstPath] = savedFiles.keys()
    if (firstPath === undefined) return
    const stop = new AbortController()
    for (const path of savedFiles.keys()) this.#stops.set(path, stop)
    // A formatter may refuse a link, or replace it with a file, so it gets the path to which the link leads.
    // For a whole-project command, the path only tells in which folders to look for the program.
    const target = await readlink(firstPath).then(() => realPathOrSelf(firstPath), () => firstPath)
    const { workspace, limit = TIME_LIMIT_MS } = this.#input
    const result = await runFormatter({ command, path: target, signal: stop.signal, workspace, limit })
    for (const [path, saved] of savedFiles) {
      const aftermath = await this.#checkFile(path, saved, result)
      if (!aftermath) continue
      this.#results.recordFailure(path, command, result, aftermath)
      failures.push({ ...result, ...aftermath, path, command: command.text })
    }
    if (!failures.some((failure) => failure.command === command.text)) this.#results.recordSuccess(command)
  }

  /** Reads files before a command runs. Before a file's first command, adds the file to `formattedFiles`. */
  async #readFiles(paths: Array<string>, formattedFiles: FormattedFiles): Promise<Map<string, SavedFile>> {
    const savedFiles = new Map<string, SavedFile>()
    const pathsOfCalls = [...this.#runningCalls].flatMap((call) => call.paths)
    for (const path of paths) {
      const file = await this.#input.presentFiles.read(path)
      if (!file) continue
      savedFiles.set(path, file)
      const isShared = pathsOfCalls.includes(path)
      if (!formattedFiles.has(path)) formattedFiles.set(path, { before: file.text, isShared })
    }
    return savedFiles
  }

  /** After a command, restores the file if it is damaged. Returns how the formatter failed; null if it worked. */
  async #checkFile(path: string, saved: SavedFile, result: RunResult): Promise<Aftermath | null> {
    const isRestoredByUndo = !this.#stops.has(path)
    if (isRestoredByUndo) return null
    const after = await rereadFile(saved)
    const aftermath = await aftermathOf(saved, after, result)
    // After a failure, the file may have been restored.
    this.#input.presentFiles.remember(path, aftermath ? null : after)
    this.#stops.delete(path)
    return aftermath
  }

  /** Stops the formatters of files that an undo has just restored or removed, then restores or removes them again. */
  async undo(paths: Array<string>): Promise<void> {
    await Promise.all(paths.map(async (path) => {
      const undone = await readSaved(path)
      const stop = this.#stops.get(path)
      if (!stop) return
      this.#stops.delete(path)
      stop.abort()
      // The formatter holds the lock until it has ended. Until then, it may write the file again.
      const release = await this.#lock.acquire([path])
      if (undone) await restoreFile(undone, await rereadFile(undone))
      else await safeAsync(() => rm(path, { force: true }))
      release()
    }))
  }
}
