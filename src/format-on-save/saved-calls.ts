import { relative } from 'node:path'
import type { Log } from '../log.ts'
import { type Call, type ChangedFile, readCall } from './call.ts'
import { type FormatCommand, readCommands } from './command.ts'
import { Formatter, type Outcome, outcomeOf } from './formatter.ts'
import type { History } from './history.ts'
import { commandsFor, type HostFormatter } from './host-formatter.ts'
import { noteOf } from './note.ts'
import type { Range } from './range.ts'
import { agree, type FileResult, type ToolOutput } from './result.ts'
import { TIME_LIMIT_MS } from './run.ts'
import { readSaved } from './saved-file.ts'
import { type Release, Turns } from './turns.ts'
import { Unseen } from './unseen.ts'

export type SavedCallsPlace = {
  directory: string
  patterns: Record<string, string>
  host: HostFormatter
  history: History
  log: Log
}

/** A call under way, and its files as they were before it. */
type Started = { call: Call; sessionID: string; before: Map<string, string | null>; release: Release }

/** A file that was formatted after a call, and the texts that its ranges have now, if all are known. */
type Finished = { file: ChangedFile; outcome: Outcome; texts: Array<string> | null; isChanged: boolean }

/** Some models count their calls anew in each session. */
const keyOf = (sessionID: string, callID: string): string => `${sessionID} ${callID}`

// A call may wait for the person's permission; others on its file do not wait for ever.
const CALL_LIMIT_MS = 60_000

/** A range of a text and the words that are believed to stand there. */
type Said = { from: Range; text: string }

const splice = (text: string, said: Array<Said>): string => {
  let at = 0
  let made = ''
  for (const { from, text: words } of said.toSorted((one, other) => one.from.start - other.from.start)) {
    if (from.start < at) continue
    made += text.slice(at, from.start) + words
    at = from.end
  }
  return made + text.slice(at)
}

const finishedOf = (file: ChangedFile, outcome: Outcome): Finished => {
  const { before, after, pairs } = outcome
  const texts = pairs.map((pair) => {
    const range = pair && file.sayable(after, pair.to)
    return range && after.slice(range.start, range.end)
  })
  const isKnown = (all: Array<string | null>): all is Array<string> =>
    all.length > 0 && all.every((text) => text !== null)
  return {
    file,
    outcome,
    texts: isKnown(texts) ? texts : null,
    isChanged: pairs.some((pair, index) =>
      pair && before.slice(pair.from.start, pair.from.end) !== texts[index]
    ),
  }
}

/** The file as the model must think it is, once this call and those beside it say what they can. */
const believedOf = ({ outcome: { before, after, pairs, others }, texts }: Finished): string => {
  const own = pairs.flatMap((pair, index) => pair && texts ? [{ from: pair.from, text: texts[index]! }] : [])
  const beside = others.map(({ from, to }) => ({ from, text: after.slice(to.start, to.end) }))
  return splice(before, [...own, ...beside])
}

/**
 * The calls that write files: each has its files to itself, is followed by the formatter, and is then corrected to
 * say what the files say (format-on-save.md, Format-Aware Workflow).
 */
export class SavedCalls {
  readonly #place: SavedCallsPlace
  readonly #commandsOf: (path: string) => Array<FormatCommand>
  readonly #turns = new Turns()
  readonly #formatter: Formatter
  readonly #started = new Map<string, Started>()
  readonly #unseen = new Unseen()

  constructor(place: SavedCallsPlace) {
    const { directory, patterns, host, log } = place
    this.#place = place
    this.#commandsOf = commandsFor(readCommands(patterns, directory), host)
    this.#formatter = new Formatter({
      directory,
      log,
      limit: TIME_LIMIT_MS,
      files: this.#turns,
      formatters: new Turns(),
    })
  }

  /**
   * Before a call: waits until its files are its own, and reads them. An `oldString` that was made from the text
   * before a formatting which the model has not seen is changed in place to what it has become.
   */
  async start(callID: string, sessionID: string, tool: string, args: Record<string, unknown>): Promise<void> {
    const { directory, host } = this.#place
    const sent = readCall(tool, args, directory)
    const files = sent?.files.filter(({ path }) => host.formats || this.#commandsOf(path).length > 0)
    if (!sent || !files || files.length === 0) return
    const keys = files.flatMap(({ path, from }) => [path, from])
    const release = await this.#turns.take(keys, CALL_LIMIT_MS)
    const before = new Map<string, string | null>()
    for (const { path, from } of files) before.set(path, (await readSaved(from))?.text ?? null)
    const oldString = tool === 'edit' && args['replaceAll'] !== true
      ? this.#unseen.carry(
        sessionID,
        files[0]!.path,
        String(args['oldString']),
        before.get(files[0]!.path) ?? '',
      )
      : null
    if (oldString !== null) args['oldString'] = oldString
    const call = oldString === null ? sent : readCall(tool, args, directory) ?? sent
    this.#started.set(keyOf(sessionID, callID), { call, sessionID, before, release })
  }

  /** A session's model is asked: it sees what its calls say now. */
  modelAsked(sessionID: string): void {
    this.#unseen.forget(sessionID)
  }

  /** A call that failed changes nothing and ends here. */
  drop(callID: string, sessionID: string): void {
    const key = keyOf(sessionID, callID)
    this.#started.get(key)?.release()
    this.#started.delete(key)
  }

  /** A session at rest has no call under way. */
  dropSession(sessionID: string): void {
    this.#unseen.forget(sessionID)
    for (const [key, started] of this.#started) {
      if (started.sessionID !== sessionID) continue
      started.release()
      this.#started.delete(key)
    }
  }

  /** After a call: has its files formatted, corrects its argument in the history, and its result. */
  async finish(
    callID: string,
    sessionID: string,
    args: Record<string, unknown>,
    output: ToolOutput,
  ): Promise<void> {
    const started = this.#started.get(keyOf(sessionID, callID))
    if (!started) return
    const { call, before, release } = started
    const files = call.files.filter(({ path }) => before.has(path))
    try {
      const jobs = await Promise.all(files.map((file) => this.#jobOf(file, before.get(file.path) ?? null)))
      this.drop(callID, sessionID)
      const finished = (await Promise.all(jobs.map((job) => job()))).filter((one) => one !== null)
      if (finished.length === 0) return
      for (const { file, outcome } of finished) {
        this.#unseen.add(sessionID, {
          path: file.path,
          before: outcome.before,
          after: outcome.after,
        })
      }
      const texts = new Map(
        finished.flatMap((one) => (one.texts && one.isChanged ? [[one.file.path, one.texts]] : [])),
      )
      const corrected = call.correct(texts)
      if (corrected && args[corrected.argument] !== corrected.value) {
        this.#place.history.add(callID, sessionID, args, corrected)
      }
      this.#tell(finished.map((one) => (corrected || !one.isChanged ? one : { ...one, texts: null })), output)
      await agree(output, finished.map((one) => this.#resultOf(one, before)))
    } finally {
      release()
    }
  }

  /** What is to be done for a file once its call has given it back. */
  async #jobOf(file: ChangedFile, before: string | null): Promise<() => Promise<Finished | null>> {
    const saved = await readSaved(file.path)
    if (!saved) return async () => null
    const { text } = saved
    const foretold = file.foretell(before)
    const commands = this.#commandsOf(file.path)
    if (commands.length === 0) return async () => this.#formattedByHost(file, before, text)
    // A formatter that the host brings itself has been at work before the command; only the end of both counts.
    const isHostFormatted = this.#place.host.formats && foretold !== null && foretold.raw !== text
    const ranges = foretold?.raw === text ? foretold.ranges : file.locate(before, text) ?? []
    return async () => {
      const outcome = await this.#formatter.format({ path: file.path, commands, raw: text, ranges })
      if (isHostFormatted) return this.#formattedByHost(file, before, outcome?.after ?? text)
      return outcome && outcome.before !== outcome.after ? finishedOf(file, outcome) : null
    }
  }

  #formattedByHost(file: ChangedFile, before: string | null, text: string): Finished | null {
    const foretold = file.foretell(before)
    if (foretold?.raw === text) return null
    if (foretold) return finishedOf(file, outcomeOf(foretold.raw, foretold.ranges, foretold.raw, text))
    // Where the call's text is in the file as it was sent, nothing has to be told.
    if (before === null || file.locate(before, text)) return null
    return finishedOf(file, { before, after: text, pairs: [], others: [] })
  }

  #tell(finished: Array<Finished>, output: ToolOutput): void {
    const notes = finished.map((one) => {
      const name = relative(this.#place.directory, one.file.path)
      return noteOf(name, believedOf(one), one.outcome.after)
    }).filter((note) => note !== '')
    if (notes.length > 0) output.output = [output.output, ...notes].join('\n\n')
  }

  #resultOf({ file, outcome }: Finished, before: Map<string, string | null>): FileResult {
    return { from: file.from, before: before.get(file.path) ?? '', text: outcome.after }
  }
}
