/** Runs format on save at four times: before a request, before a compaction, and at the start and end of a turn. */
import { callHost, type Client } from '../host/client.ts'
import type { Hooks, HostEvent } from '../host/join-hooks.ts'
import { type History, historyOf } from '../host/message-parts.ts'
import type { When } from '../host/options.ts'
import { safeAsync } from '../safe.ts'
import type { Steps } from '../steps/steps.ts'
import { KeyedLock } from '../writing/keyed-lock.ts'
import { learnFromHistory, learnFromLastTurn } from './calls/files-in-history.ts'
import { type FormattingContext, KnownFiles } from './calls/known-files.ts'
import { notesAtTurnStart, showInHistory } from './calls/show-in-history.ts'
import { trackWritingCalls } from './calls/writing-calls.ts'
import { FormatFiles, type FormatFilesInput } from './run/format-files.ts'

export type StepFormatterInput = Omit<FormatFilesInput, 'presentFiles'> & { client: Client; steps: Steps }

type UserMessage = Parameters<NonNullable<Hooks['chat.message']>>[1]

export class StepFormatter {
  readonly writing: ReturnType<typeof trackWritingCalls>
  readonly #client: Client
  readonly #context: FormattingContext
  readonly #sessionLock = new KeyedLock()

  constructor({ client, steps, ...input }: StepFormatterInput) {
    const { workspace, hostFormatter, log } = input
    this.#client = client
    const formatter = new FormatFiles({ ...input, presentFiles: steps.presentFiles })
    const knownFiles = new KnownFiles(workspace, formatter)
    this.#context = { directory: workspace.directory, knownFiles, formatter, hostFormatter, steps, log }
    this.writing = trackWritingCalls(this.#context)
  }

  async #serialize<T>(sessionID: string, work: () => Promise<T>): Promise<T> {
    const release = await this.#sessionLock.acquire([sessionID])
    return work().finally(release)
  }

  beforeRequest(sessionID: string, messages: History): Promise<void> {
    return this.#serialize(sessionID, async () => {
      // The history may have been corrected while this call waited for the lock, so `messages` gets the corrections, too.
      this.#context.steps.parts.insertChanged(messages)
      await this.#finishStep(sessionID, messages)
    })
  }

  /** Loads the full history, because the request for a summary may contain only a part of the history. */
  beforeCompaction(sessionID: string): Promise<void> {
    return this.#serialize(sessionID, async () => {
      const { data } = await historyOf(this.#client, sessionID)
      if (data) await this.#finishStep(sessionID, data)
      // The summary may omit the outputs of failed formatters, so they count as not reported.
      for (const file of this.#context.knownFiles.of(sessionID).values()) file.reportedOutput = ''
    })
  }

  async #finishStep(sessionID: string, messages: History): Promise<void> {
    await learnFromHistory(this.#context, sessionID, messages)
    await this.#format(sessionID, 'save')
    await showInHistory(this.#context, this.#context.knownFiles.toShow(sessionID), messages)
  }

  /** Adds notes to the person's message, about files that were formatted at the end of the last turn. */
  async beforeTurn(sessionID: string, { message, parts }: UserMessage): Promise<void> {
    const last = parts.at(-1)
    // Other plugins send hidden messages, which the model does not see.
    if (!last || parts.every((part) => part.type === 'text' && part.ignored)) return
    const text = await this.#serialize(sessionID, async () => {
      const { knownFiles, formatter } = this.#context
      // After a restart or in a fork, only the history tells which files the last turn wrote.
      if (formatter.formatsAtTurnEnd && knownFiles.of(sessionID).size === 0) {
        const { data } = await historyOf(this.#client, sessionID)
        if (data) await learnFromLastTurn(this.#context, sessionID, data)
      }
      return notesAtTurnStart(this.#context, sessionID)
    })
    if (text === '') return
    // The host sorts parts by id, so this id puts the notes last.
    const ids = { id: `${last.id}f`, sessionID, messageID: message.id }
    parts.push({ ...ids, type: 'text', text, synthetic: true })
  }

  async waitForWork(): Promise<void> {
    await this.#sessionLock.acquire('all').then((release) => release())
  }

  async handleEvent({ type, properties }: HostEvent): Promise<void> {
    if (type === 'session.idle') {
      // Not awaited, because the other hooks of the event must not wait for formatters.
      void safeAsync(() => this.#serialize(properties.sessionID, () => this.#afterTurn(properties.sessionID)))
    } else if (type === 'session.updated') {
      if (properties.info.revert) await this.#undo(properties.info.id)
    } else if (type === 'session.deleted') {
      this.#context.knownFiles.forget(properties.info.id)
    }
  }

  async #afterTurn(sessionID: string): Promise<void> {
    // After an aborted turn, the last step's files are not formatted yet.
    await this.#format(sessionID, 'save')
    // Shows the formatted text now, because these files would be unknown after a restart or in a fork.
    const files = this.#context.knownFiles.toShow(sessionID, 'save')
    const { data } = files.length > 0 ? await historyOf(this.#client, sessionID) : { data: null }
    if (data) await showInHistory(this.#context, files, data)
    if (!this.#context.formatter.formatsAtTurnEnd) return
    const { data: session } = await callHost(() => this.#client.session.get({ path: { id: sessionID } }))
    // A subagent ends in the middle of its parent's turn, so its files wait for the end of that turn.
    if (session?.parentID) return
    for (const id of await this.#withSubagents(sessionID)) await this.#format(id, 'turn')
  }

  async #withSubagents(id: string): Promise<Array<string>> {
    const { data: children } = await callHost(() => this.#client.session.children({ path: { id } }))
    const below = await Promise.all((children ?? []).map((child) => this.#withSubagents(child.id)))
    return [id, ...below.flat()]
  }

  async #format(sessionID: string, when: When): Promise<void> {
    const { knownFiles, formatter, steps: { presentFiles } } = this.#context
    const written = knownFiles.inState(sessionID, 'written')
    const due = written.filter(({ path }) => formatter.whenOf(path) === when)
    if (due.length === 0) return
    for (const file of due) file.state = 'toCompare'
    const reals = due.map(({ real }) => real)
    const toFormat = due.map(({ path }) => path)
    const others = knownFiles.realPathsExcept(reals)
    const { failures, changedOthers, files } = await formatter.format(sessionID, toFormat, others)
    for (const file of due) {
      const formatted = files.get(file.path)
      if (formatted?.isShared) file.state = 'changed'
      const textNow = async () => (await presentFiles.read(file.path))?.text ?? ''
      file.formatted = formatted && { before: formatted.before, after: await textNow() }
      file.failure = failures.find(({ path }) => path === file.path) ?? file.failure
    }
    // Every session that knows these files must compare them with the texts that its model knows.
    for (const real of [...changedOthers, ...reals]) knownFiles.markChanged(real, when)
  }

  async #undo(id: string): Promise<void> {
    const { knownFiles, formatter } = this.#context
    const stopped = formatter.undo(id)
    knownFiles.forget(id)
    const { data: children } = await callHost(() => this.#client.session.children({ path: { id } }))
    await Promise.all([stopped, ...(children ?? []).map((child) => this.#undo(child.id))])
  }
}
