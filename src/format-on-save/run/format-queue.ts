import type { Log } from '../../host/log.ts'
import type { Toast } from '../../host/toast.ts'
import type { KeyedLock } from '../../writing/lock.ts'
import { changedSince, type FileChange, keepFiles } from './changed-files.ts'
import type { FormatCommand } from './choose-command.ts'
import { WatchedFiles } from './concurrent-saves.ts'
import { keepWrittenOver, putBack } from './put-back.ts'
import { type FormatFailure, type Ran, runFormatter } from './run-formatter.ts'

/** A file to format. */
export type Job = {
  path: string
  commands: Array<FormatCommand>
  /** Gives other files that a whole-project command may change and whose changes are to be known. */
  known: () => Iterable<string>
  /** Takes the changes of those files. */
  onOthers: (changes: Array<FileChange>) => void
}

/** What a formatter was given and what it made of it. */
export type Outcome = { before: string; after: string }

type Waiting = Job & { settle: (outcome: Outcome | null) => void }

export type FormatQueuePlace = {
  directory: string
  log: Log
  toast: Toast
  /** By which calls and formatters take turns on each file. */
  files: KeyedLock
  /** By which formatters take turns. */
  formatters: KeyedLock
  /** How long a formatter may run, in milliseconds. */
  limit: number
}

// A formatter waits as long for calls on its file as for another formatter that is to be ended first.
const TURN_MARGIN_MS = 5_000

// A whole-project formatter waits no longer for calls under way: one of them may wait for the person.
const CALLS_LIMIT_MS = 3_000

/**
 * Formats files, each when no call and no other formatter works on it. One run serves all that wait for the same
 * file, or for the same whole-project command. What a failed formatter did is taken back where nobody else can have
 * done it.
 */
export class FormatQueue {
  readonly #place: FormatQueuePlace
  #waiting: Array<Waiting> = []

  constructor(place: FormatQueuePlace) {
    this.#place = place
  }

  /** Formats a job's file when its turn has come; null where the formatter failed and nothing came of it. */
  async format(job: Job): Promise<Outcome | null> {
    let outcome: Outcome | null | undefined
    const waiting: Waiting = { ...job, settle: (settled) => (outcome = settled) }
    this.#waiting.push(waiting)
    const { files, formatters, limit } = this.#place
    const isWhole = job.commands.some(({ wholeProject }) => wholeProject)
    const keys = isWhole ? 'all' : [job.path]
    const releaseFiles = await files.take(keys, isWhole ? CALLS_LIMIT_MS : limit + TURN_MARGIN_MS)
    // This waits for formatters only, and each of them has its time limit.
    const releaseFormatter = await formatters.take(keys)
    try {
      if (outcome === undefined) await this.#run(waiting, isWhole)
      return outcome ?? null
    } finally {
      releaseFormatter()
      releaseFiles()
    }
  }

  async #run(job: Waiting, isWhole: boolean): Promise<void> {
    const isServed = (other: Waiting): boolean =>
      other.commands[0]?.words === job.commands[0]?.words && (isWhole || other.path === job.path)
    const batch = this.#waiting.filter(isServed)
    this.#waiting = this.#waiting.filter((other) => !isServed(other))
    const files = await WatchedFiles.start(batch.map(({ path }) => path))
    const own = new Set(files.paths)
    const others = await keepFiles(isWhole ? [...job.known()].filter((path) => !own.has(path)) : [])
    const isDone = files.paths.length > 0 && await this.#runCommands(job, files)
    files.stop()
    job.onOthers(await changedSince(others))
    const outcomes = new Map(files.paths.map((path) => {
      const [before, after] = [files.before(path)?.text, files.now(path)?.text]
      const isFormatted = before !== undefined && after !== undefined && (isDone || before !== after)
      return [path, isFormatted ? { before, after } : null]
    }))
    for (const { path, settle } of batch) settle(outcomes.get(path) ?? null)
  }

  /** Runs a job's commands one after the other; says whether all did their work. */
  async #runCommands(job: Job, files: WatchedFiles): Promise<boolean> {
    let areDone = true
    let written: number | null = 0
    for (const command of job.commands) {
      const ran = await runFormatter(command, job.path, this.#place.directory, this.#place.limit)
      await files.look()
      written = written === null || ran.bytesWritten === null ? null : written + ran.bytesWritten
      const { damage } = files
      const failure = ran.failure ?? (damage === null ? null : { status: damage, output: '' })
      if (failure === null) continue
      const what = ran.isMissing ? 'was not found' : `failed (${failure.status})`
      this.#place.toast(command.words, `The formatter ${what}: ${command.words}`)
      await this.#takeBack(command, job, files, { ...ran, failure }, written)
      await files.look()
      areDone = false
    }
    if (areDone) this.#tellWrittenOver(job, await keepWrittenOver(files, written))
    return areDone
  }

  #tellWrittenOver({ path }: Job, backups: Array<string>): void {
    if (backups.length === 0) return
    this.#place.log(
      'warn',
      'A file was saved while its formatter ran, which may have written over it: what it said is kept',
      {
        file: path,
        backups,
      },
    )
  }

  /** Takes back what a failed formatter did, as far as it surely did it, and logs what was done. */
  async #takeBack(
    { words, hint }: FormatCommand,
    job: Job,
    files: WatchedFiles,
    { failure, bytesWritten }: Ran & { failure: FormatFailure },
    writtenByAll: number | null,
  ): Promise<void> {
    const lost: Array<string> = []
    const changed: Array<string> = []
    const backups = await keepWrittenOver(files, writtenByAll)
    for (const path of files.paths) {
      const left = files.now(path)
      const old = files.toPutBack(path, bytesWritten)
      if (!old && left !== files.before(path)) changed.push(path)
      if (!old) continue
      const back = await putBack(path, old, left)
      if (back.error !== null) lost.push(`${path}: ${back.error}`)
      else if (!back.data.isBack) changed.push(path)
      else if (back.data.backup !== null) backups.push(back.data.backup)
    }
    const said = lost.length > 0
      ? 'and the file could not be put back'
      : changed.length > 0
      ? 'and the file, which somebody else may have changed meanwhile, was left as it is'
      : 'and the file was left as it was written'
    this.#place.log('warn', `The formatter failed ${said}: ${words}${hint === '' ? '' : `. ${hint}`}`, {
      command: words,
      file: job.path,
      ...failure,
      ...(lost.length > 0 ? { lost } : {}),
      ...(changed.length > 0 ? { changed } : {}),
      ...(backups.length > 0 ? { backups } : {}),
    })
  }
}
