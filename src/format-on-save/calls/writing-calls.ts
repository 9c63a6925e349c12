import { resolve } from 'node:path'
import { filesOfCall } from '../../host/file-tools.ts'
import type { Log } from '../../host/log.ts'
import type { FormatOnSaveOption } from '../../host/options.ts'
import type { Toast } from '../../host/toast.ts'
import type { Place } from '../../paths/boundary.ts'
import { KeyedLock } from '../../writing/lock.ts'
import { changedSince, type FileChange } from '../run/changed-files.ts'
import { FileFormatter } from '../run/file-formatter.ts'
import type { HostFormatter } from '../run/host-formatter.ts'
import { readSaved, whyNotFormatted } from '../run/saved-file.ts'
import { type AppliedCall, appliedCallOf, AppliedCalls, type FormattedFile } from './applied-calls.ts'
import type { CallChain } from './call-chain.ts'
import type { ChangedFile } from './call.ts'
import { CallsAtWork } from './calls-at-work.ts'
import type { FilesInContext } from './files-in-context.ts'
import type { Corrections } from './history-corrections.ts'
import { nameInNote } from './note.ts'
import { Recalls } from './recalls.ts'
import type { ToolOutput } from './result.ts'
import { CALL_LIMIT_MS, keyOf, StartedCalls } from './started-calls.ts'
import { TurnFiles } from './turn-files.ts'
import { UnseenFormatting } from './unseen-formatting.ts'

export type WritingCallsPlace = {
  place: Place
  option: FormatOnSaveOption
  host: HostFormatter
  corrections: Corrections
  /** The files and calls that each session's model has in front of it. */
  shown: FilesInContext
  log: Log
  toast: Toast
}

/**
 * Follows the calls that write files: each has its files to itself, has them formatted when it is over, and is then
 * corrected to say what they say (format-on-save.md, Format-Aware Workflow).
 */
export class WritingCalls {
  readonly #place: WritingCallsPlace
  readonly #formatter: FileFormatter
  readonly #started: StartedCalls
  readonly #unseen = new UnseenFormatting()
  readonly #calls: AppliedCalls
  readonly #turnFiles = new TurnFiles()
  readonly #atWork = new CallsAtWork()
  /** The calls whose files are being formatted. */
  readonly #formatting = new Map<string, AppliedCall>()
  readonly #recalls: Recalls

  constructor(place: WritingCallsPlace) {
    const { place: { directory }, host } = place
    this.#place = place
    this.#calls = new AppliedCalls(place)
    this.#recalls = new Recalls({ ...place, directory, unseen: this.#unseen, atWork: this.#atWork })
    const files = new KeyedLock()
    // Of the files that the model was shown, those that no call is at work on.
    const known = () => {
      const busy = this.#started.paths
      return [...place.shown.paths].filter((path) => !busy.has(path))
    }
    this.#formatter = new FileFormatter({ ...place, files, known })
    this.#started = new StartedCalls({
      directory,
      isFormatted: (path) => this.#formatter.isFormatted(path),
      changesOthers: host.changesOthers,
      known: () => place.shown.paths,
      files,
      unseen: this.#unseen,
      onBegin: (key, sessionID, paths) =>
        this.#atWork.begin(key, sessionID, paths, this.#formatter.mayChangeAll(paths)),
    })
  }

  /** Waits, before a call, until its files are free, and reads them. */
  start(callID: string, sessionID: string, tool: string, args: Record<string, unknown>): Promise<void> {
    return this.#started.start(callID, sessionID, tool, args)
  }

  /** Waits, before a file is read, until the calls beside the reading have left it as it stays. */
  async beforeRead(sessionID: string, args: Record<string, unknown>): Promise<void> {
    const [file] = filesOfCall('read', args)
    if (file === undefined) return
    const path = resolve(this.#place.place.directory, file)
    await this.#atWork.whenLeft(sessionID, path, CALL_LIMIT_MS)
  }

  /** Notes that a session's model is asked: it sees what its calls say now. */
  modelAsked(sessionID: string): void {
    this.#unseen.begin(sessionID)
    this.#calls.modelAsked(sessionID)
  }

  /** Ends a call that failed and so changed nothing. */
  drop(callID: string, sessionID: string): void {
    this.#started.drop(callID, sessionID)
    const key = keyOf(sessionID, callID)
    this.#atWork.end(key)
    // The person ended it while its files were formatted: the host takes no result of it any more.
    const formatting = this.#formatting.get(key)
    if (formatting) formatting.output = null
  }

  /** Ends all calls of a session that is at rest. */
  dropSession(sessionID: string): void {
    this.#unseen.forget(sessionID)
    this.#started.dropSession(sessionID)
    this.#atWork.endSession(sessionID)
  }

  /** Forgets a session that was deleted. */
  deleteSession(sessionID: string): void {
    this.dropSession(sessionID)
    this.#turnFiles.take(sessionID)
    this.#calls.forget(sessionID)
  }

  /** Has the files of a call formatted, and corrects its arguments in the history and its result. */
  async finish(
    callID: string,
    sessionID: string,
    args: Record<string, unknown>,
    output: ToolOutput,
  ): Promise<void> {
    const started = this.#started.get(callID, sessionID)
    if (!started) return
    const { call, asSent, tool, sent, said, before, release } = started
    const applied = appliedCallOf({
      callID,
      sessionID,
      call,
      asSent,
      said,
      known: [sent, { ...args }],
      output,
    })
    const key = keyOf(sessionID, callID)
    this.#place.shown.add(sessionID, { callID, tool, input: said })
    const files = call.files.filter(({ path }) => before.has(path))
    const others: Array<FileChange> = []
    const onOthers = (changes: Array<FileChange>) => void others.push(...changes)
    try {
      const jobs = await Promise.all(
        files.map((file) => this.#jobOf(applied, file, before.get(file.path) ?? null, onOthers)),
      )
      const paths = files.map(({ path }) => path)
      others.push(...await changedSince(started.others))
      this.#turnFiles.add(sessionID, paths.filter((path) => this.#formatter.hasCommands(path, 'turn')))
      this.#started.drop(callID, sessionID)
      this.#formatting.set(key, applied)
      const formatted = (await Promise.all(jobs.map((job) => job()))).filter((one) => one !== null)
      await this.#recalls.inAllSessions(others, applied)
      await this.#calls.settle(
        applied,
        output,
        formatted.map((one) => ({ ...one, before: before.get(one.path) ?? '' })),
      )
    } finally {
      release()
      this.#atWork.end(key)
      this.#formatting.delete(key)
    }
  }

  /** Whether files of a session wait for the end of its turn. */
  hasTurnFiles(sessionID: string): boolean {
    return this.#turnFiles.has(sessionID)
  }

  /**
   * Formats the files whose command waits for the end of the turn, and corrects the calls that wrote them; says
   * whether any file changed.
   */
  async finishTurn(sessionID: string): Promise<boolean> {
    const paths = this.#turnFiles.take(sessionID)
    const changes: Array<FileChange> = []
    const onOthers = (others: Array<FileChange>) => void changes.push(...others)
    await Promise.all(paths.map(async (path) => {
      const outcome = await this.#formatter.format(path, 'turn', onOthers)
      if (outcome) changes.push({ path, ...outcome })
    }))
    // The next request may have been made from the text before the formatting.
    for (const change of changes) this.#unseen.add(sessionID, change)
    await this.#recalls.inAllSessions(changes, null)
    return changes.some(({ before, after }) => before !== after)
  }

  /**
   * Takes over what a call made of a file, and gives the work that is left: formatting it. That begins once the call
   * has freed its files.
   */
  async #jobOf(
    call: AppliedCall,
    file: ChangedFile,
    before: string | null,
    onOthers: (changes: Array<FileChange>) => void,
  ): Promise<() => Promise<FormattedFile | null>> {
    const saved = await readSaved(file.path)
    if (!saved) {
      await this.#tellUnread(call, file.path)
      return async () => null
    }
    const { text } = saved
    const asSent = call.asSent.files.find(({ path }) => path === file.path)
    this.#unseen.apply(call.sessionID, file, (old) => asSent?.simulate(old)?.raw ?? null, text)
    const chain = this.#addToChain(call, file, before, text)
    return async () => {
      const outcome = await this.#formatter.format(file.path, 'save', onOthers)
      if (outcome && outcome.before !== outcome.after) {
        this.#format(call, chain, { path: file.path, ...outcome })
        await this.#recalls.inOtherSessions(file.path, outcome, call.sessionID)
      }
      this.#calls.publish(chain, file.path)
      return chain.isFormatted ? { path: file.path, from: file.from, checked: text, text: chain.text } : null
    }
  }

  /**
   * Adds a call to the chain of its file. Where the host has formatted the file within the call, the chain takes that
   * over as well.
   *
   * @param text the file after the call
   */
  #addToChain(call: AppliedCall, file: ChangedFile, before: string | null, text: string): CallChain {
    const { host } = this.#place
    const simulated = file.simulate(before)
    const isHostFormatted = host.formats && simulated !== null && simulated.raw !== text
    const applied = simulated && (simulated.raw === text || isHostFormatted)
      ? simulated
      : { raw: text, ranges: file.locate(before, text) ?? [] }
    const chain = this.#calls.add(call, file, before, applied)
    // The host may have formatted a file in which neither the call nor its text can be found.
    chain.isBroken ||= host.formats && simulated === null && applied.ranges.length === 0
    if (isHostFormatted) this.#format(call, chain, { path: file.path, before: applied.raw, after: text })
    return chain
  }

  #format(call: AppliedCall, chain: CallChain, change: FileChange): void {
    this.#calls.format(chain, change.before, change.after)
    this.#unseen.add(call.sessionID, change)
  }

  /** Logs why a file is not formatted; tells the model where the host may have formatted it all the same. */
  async #tellUnread(call: AppliedCall, path: string): Promise<void> {
    const { log, host, place: { directory } } = this.#place
    const reason = await whyNotFormatted(path)
    if (reason === null) return
    const [command] = this.#formatter.commandsOf(path)
    if (command) log('warn', `A file was not formatted: ${reason}`, { file: path, command: command.words })
    if (!host.formats) return
    const name = nameInNote(directory, path)
    call.notes.set(path, `${name} may have been formatted; read it again before you edit its other lines.`)
  }
}
