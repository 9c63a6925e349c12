import { rm } from 'node:fs/promises'
import type { Log } from '../../host/log.ts'
import type { FormatOnSaveOption, When } from '../../host/options.ts'
import type { Toast } from '../../host/toast.ts'
import type { Place } from '../../paths/boundary.ts'
import { KeyedLock } from '../../writing/lock.ts'
import { type FormatCommand, readCommands } from './choose-command.ts'
import { commandsFor, type HostFormatter } from './host-formatter.ts'
import { damageOf, isRestored, keepCopy, putBack, withoutFormatting } from './put-back.ts'
import { type Ran, runFormatter, TIME_LIMIT_MS } from './run-formatter.ts'
import { readSaved, type SavedFile, signatureOf } from './saved-file.ts'

export type FormatFilesPlace = {
  place: Place
  option: FormatOnSaveOption
  host: HostFormatter
  log: Log
  toast: Toast
  /** How long a formatter may run, in milliseconds. */
  limit?: number
}

/** A formatter that failed on a file, and how. */
export type Failure = { path: string; command: string; status: string; output: string; isMissing: boolean }

/** The result of formatting: what failed, the commands that worked, and other files that were changed. */
export type Formatted = { failures: Array<Failure>; worked: Array<string>; others: Array<string> }

/** Files that the same commands format in one run. */
type Job = { paths: Array<string>; commands: Array<FormatCommand>; isWhole: boolean }

/** A file while its formatter runs; `undone` is its text after the person's undo meanwhile. */
type Running = { path: string; stop: AbortController; undone?: SavedFile | null }

// A formatter waits this long beyond the limit for an earlier one on its file to be ended.
const TURN_MARGIN_MS = 5_000

const LOGGED_LINES = 12

/** Formats files, each by the commands that the options and the host's config name for it. */
export class FormatFiles {
  readonly #place: FormatFilesPlace
  readonly #lock = new KeyedLock()
  readonly #running = new Set<Running>()
  readonly #hasWorked = new Set<string>()
  /** The commands of a file, by its path. */
  readonly commandsOf: (path: string) => Array<FormatCommand>

  constructor(place: FormatFilesPlace) {
    this.#place = place
    this.commandsOf = commandsFor(readCommands(place.option, place.place), place.host)
  }

  /** Whether anything formats a file, the host included. */
  isFormatted(path: string): boolean {
    return this.#place.host.formats || this.commandsOf(path).length > 0
  }

  /** When a file is formatted: all its commands have the same time. */
  whenOf(path: string): When {
    return this.commandsOf(path)[0]?.when ?? 'save'
  }

  /** Resolves once no formatter works on files. */
  async whenFree(paths: Array<string>): Promise<void> {
    ;(await this.#lock.take(paths, this.#limit + TURN_MARGIN_MS))()
  }

  /**
   * Formats files, each once, at the same time; those of one whole-project command by one run of it.
   *
   * @param known other files whose changes are to be reported
   */
  async format(paths: Array<string>, known: Array<string>): Promise<Formatted> {
    const all = await Promise.all(this.#jobsFor(paths).map((job) => this.#run(job, known)))
    return {
      failures: all.flatMap(({ failures }) => failures),
      worked: all.flatMap(({ worked }) => worked),
      others: all.flatMap(({ others }) => others),
    }
  }

  /**
   * Ends the formatters of a file that the person's undo has just restored, and keeps the restored text.
   *
   * @param texts what the undo may have restored: a formatter may have formatted that since
   */
  async undo(path: string, texts: Array<string>): Promise<void> {
    const saved = await readSaved(path)
    const undone = saved && withoutFormatting(saved, texts)
    const running = [...this.#running].filter((one) => one.path === path)
    for (const one of running) {
      one.undone = undone
      one.stop.abort()
    }
    if (running.length === 0 && undone && undone !== saved) await putBack(path, undone, saved)
  }

  get #limit(): number {
    return this.#place.limit ?? TIME_LIMIT_MS
  }

  #jobsFor(paths: Array<string>): Array<Job> {
    const jobs: Array<Job> = []
    for (const path of paths) {
      const commands = this.commandsOf(path)
      const isWhole = commands.some(({ wholeProject }) => wholeProject)
      const same = jobs.find((job) => isWhole && job.commands[0]?.words === commands[0]?.words)
      if (same) same.paths.push(path)
      else if (commands.length > 0) jobs.push({ paths: [path], commands, isWhole })
    }
    return jobs
  }

  async #run({ paths, commands, isWhole }: Job, known: Array<string>): Promise<Formatted> {
    const release = await this.#lock.take(isWhole ? 'all' : paths, this.#limit + TURN_MARGIN_MS)
    const others = isWhole ? known.filter((path) => !paths.includes(path)) : []
    const signatures = await Promise.all(others.map(signatureOf))
    const done: Formatted = { failures: [], worked: [], others: [] }
    try {
      for (const command of commands) await this.#runCommand(command, paths, done)
    } finally {
      release()
    }
    for (const [index, path] of others.entries()) {
      if (await signatureOf(path) !== signatures[index]) done.others.push(path)
    }
    return done
  }

  async #runCommand(command: FormatCommand, paths: Array<string>, done: Formatted): Promise<void> {
    const before = new Map<string, SavedFile>()
    for (const path of paths) {
      const saved = await readSaved(path)
      if (saved) before.set(path, saved)
    }
    const [first] = before.keys()
    if (first === undefined) return
    const stop = new AbortController()
    const running = [...before.keys()].map((path): Running => ({ path, stop }))
    for (const one of running) this.#running.add(one)
    const { place } = this.#place
    const ran = await runFormatter({ command, path: first, place, limit: this.#limit, signal: stop.signal })
    for (const one of running) {
      if (one.undone !== undefined) await this.#keepUndone(one.path, one.undone)
      else await this.#check(command, one.path, before.get(one.path)!, ran, done)
      this.#running.delete(one)
    }
    if (!done.failures.some((failure) => failure.command === command.words)) {
      this.#hasWorked.add(command.words)
      done.worked.push(command.words)
    }
  }

  async #keepUndone(path: string, undone: SavedFile | null): Promise<void> {
    if (undone) await putBack(path, undone, await readSaved(path))
    else await rm(path, { force: true })
  }

  /** Restores a file that its formatter damaged, and reports a failure. */
  async #check(
    command: FormatCommand,
    path: string,
    before: SavedFile,
    ran: Ran,
    done: Formatted,
  ): Promise<void> {
    const left = await readSaved(path)
    const damage = damageOf(before, left)
    if (ran.kind === 'ok' && damage === null) return
    const isBack = isRestored(before, left, ran) ? await putBack(path, before, left) : null
    const isOther = !left?.bytes.equals(before.bytes)
    const other = isBack?.data === true ? left : before
    const backup = isOther && other && other.text.trim() !== '' ? await keepCopy(path, other) : null
    const status = ran.kind === 'ok' ? `${damage}` : ran.status
    const isMissing = ran.kind === 'missing'
    done.failures.push({ path, command: command.words, status, output: ran.output, isMissing })
    this.#report(command, {
      file: path,
      status,
      output: ran.output.split('\n').slice(-LOGGED_LINES).join('\n'),
      ...(isBack?.data === false || (isOther && !isBack) ? { changed: path } : {}),
      ...(typeof isBack?.error === 'string' ? { lost: isBack.error } : {}),
      ...(typeof backup?.data === 'string' ? { backup: backup.data } : {}),
    })
  }

  #report({ words, hint }: FormatCommand, extra: Record<string, unknown> & { status: string }): void {
    const what = extra['lost'] !== undefined
      ? 'the file could not be restored'
      : extra['changed'] !== undefined
      ? 'the file, which somebody else may have changed, was left as it is'
      : 'the file is as it was written'
    const advice = hint === '' || this.#hasWorked.has(words) ? '' : `. ${hint}`
    this.#place.log('warn', `A formatter ${extra.status}, and ${what}: ${words}${advice}`, {
      command: words,
      ...extra,
    })
    this.#place.toast(words, `A formatter ${extra.status}: ${words}`)
  }
}
