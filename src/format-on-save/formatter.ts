import type { Log } from '../log.ts'
import { fail, ok, type Result } from '../safe.ts'
import type { FormatCommand } from './command.ts'
import { carry, type Range } from './range.ts'
import { realign } from './realign.ts'
import { type FormatFailure, runFormatter } from './run.ts'
import { readSaved, restoreSaved, type SavedFile } from './saved-file.ts'
import type { Turns } from './turns.ts'

/** A file to format after a call, and where the call's text stands in it. */
export type Job = { path: string; commands: Array<FormatCommand>; raw: string; ranges: Array<Range> }

/** A range of a text and its counterpart in the formatted one. */
export type Pair = { from: Range; to: Range }

/**
 * A formatted file: what was formatted, what came of it, and each range of the call in both, or null. `others` are
 * the ranges of other calls that the same run served.
 */
export type Outcome = { before: string; after: string; pairs: Array<Pair | null>; others: Array<Pair> }

type Waiting = Job & { settle: (outcome: Outcome | null) => void }

export type FormatterPlace = {
  directory: string
  log: Log
  /** Turns of calls and formatters on single files. */
  files: Turns
  /** Turns of formatters among each other. */
  formatters: Turns
  /** How long a formatter may run, in milliseconds. */
  limit: number
}

// A formatter waits for calls on its file as long as for another formatter, and the time that it takes to end that.
const TURN_MARGIN_MS = 5_000

// A whole-project formatter waits so long for calls that are under way, one of which may wait for the person.
const CALLS_LIMIT_MS = 3_000

/** The ranges of a text in the one that was formatted in the end, and from there in what came of it. */
export const outcomeOf = (raw: string, ranges: Array<Range>, before: string, after: string): Outcome => {
  const find = realign(before, after)
  const pairOf = (range: Range): Pair | null => {
    const isWhole = range.start === 0 && range.end === raw.length
    if (isWhole) return raw === before ? { from: range, to: { start: 0, end: after.length } } : null
    const from = carry(range, raw, before)
    const to = from && find(from)
    return from && to && { from, to }
  }
  return { before, after, pairs: ranges.map(pairOf), others: [] }
}

/** What is wrong with a file after its formatter, if anything is. */
const damageOf = (before: SavedFile, after: SavedFile | null): string | null => {
  if (after === null) return 'it removed the file or left no text in it'
  return after.text.trim() === '' && before.text.trim() !== '' ? 'it emptied the file' : null
}

/**
 * Formats files after calls. Files wait for their turn; calls that wait for the same file, or the same whole-project
 * command, are served by one run. A formatter that fails, takes too long or leaves no file behind leaves the texts
 * that it was given.
 */
export class Formatter {
  readonly #place: FormatterPlace
  #waiting: Array<Waiting> = []

  constructor(place: FormatterPlace) {
    this.#place = place
  }

  /** Formats a job's file when its turn has come; null where the formatter failed. */
  async format(job: Job): Promise<Outcome | null> {
    let outcome: Outcome | null | undefined
    const waiting: Waiting = { ...job, settle: (settled) => (outcome = settled) }
    this.#waiting.push(waiting)
    const { files, formatters, limit } = this.#place
    const isWhole = job.commands.some(({ wholeProject }) => wholeProject)
    const keys = isWhole ? 'all' : [job.path]
    const releaseFiles = await files.take(keys, isWhole ? CALLS_LIMIT_MS : limit + TURN_MARGIN_MS)
    // Each formatter ends in its time, so this turn comes.
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
    const before = new Map<string, SavedFile>()
    for (const { path } of batch) {
      const file = await readSaved(path)
      if (file) before.set(path, file)
    }
    const failure = before.has(job.path) ? await this.#runCommands(job, before) : null
    const outcomes = new Map<Waiting, Outcome | null>()
    for (const one of batch) {
      const old = before.get(one.path)
      const now = old && failure?.error === null ? await readSaved(one.path) : null
      outcomes.set(one, old && now ? outcomeOf(one.raw, one.ranges, old.text, now.text) : null)
    }
    for (const [one, outcome] of outcomes) {
      const ofSameFile = [...outcomes].filter(([other]) => other !== one && other.path === one.path)
      const others = ofSameFile.flatMap(([, other]) => other?.pairs ?? []).filter((pair) => pair !== null)
      one.settle(outcome && { ...outcome, others })
    }
  }

  async #runCommands(job: Job, before: Map<string, SavedFile>): Promise<Result<null, FormatFailure>> {
    for (const command of job.commands) {
      const ran = await runFormatter(command, job.path, this.#place.directory, this.#place.limit)
      const failure = ran.error ?? (await this.#damage(before))
      if (!failure) continue
      const lost: Array<string> = []
      for (const [path, file] of before) {
        const { error } = await restoreSaved(path, file)
        if (error !== null) lost.push(`${path}: ${error}`)
      }
      this.#place.log(
        'warn',
        lost.length === 0
          ? `The formatter failed and the file was left as it was written: ${command.words}`
          : `The formatter failed and the file could not be put back: ${command.words}`,
        { command: command.words, file: job.path, ...failure, ...(lost.length > 0 ? { lost } : {}) },
      )
      return fail(failure)
    }
    return ok(null)
  }

  async #damage(before: Map<string, SavedFile>): Promise<FormatFailure | null> {
    for (const [path, file] of before) {
      const damage = damageOf(file, await readSaved(path))
      if (damage) return { status: `${damage}: ${path}`, output: '' }
    }
    return null
  }
}
