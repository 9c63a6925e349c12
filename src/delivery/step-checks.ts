import { resolve } from 'node:path'
import { answers, type Finding, reminderOf } from '../checks/answer.ts'
import { Judge, type StepFile } from '../checks/judge.ts'
import { filesOfCall, WRITING_TOOLS } from '../host/file-tools.ts'
import { METADATA_KEY, storePart } from '../host/message-parts.ts'
import type { Mark } from '../host/panel-schema.ts'
import { contains } from '../paths/boundary.ts'
import { readText, withoutMark } from '../text/read.ts'
import type { Facts } from './conditions.ts'
import type { DeliveryInput } from './hidden-message.ts'
import type { Entry, EntryPart, History } from './history.ts'
import { callMarkOf, type DonePart, isDone, markKey, marksOf, remindedIn, REMINDER_KEY } from './marks.ts'
import type { Rule } from './rule-files.ts'
import { isFor } from './rules-in-request.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import { fromWorktree } from './touched-files.ts'

/** A file that calls of a step write: its text before the first of them, where a rule checks it, and the calls. */
type Written = { before?: Promise<string | null>; calls: Array<string> }

/** A written file when the step has ended: from the worktree, the last call that wrote it, and its texts. */
type Ended = { path: string; part: DonePart; file: StepFile | null; isThere: boolean }

// Globs that name Markdown, of which code in fences is checked, too.
const MARKDOWN = /\b(?:md|mdx|mdc|markdown)\b/i

const textOf = async (path: string): Promise<string | null> => {
  const { data } = await readText(path)
  return data && withoutMark(data.text)
}

const isChecked = (rule: Rule, path: string, facts: Facts): boolean =>
  rule.checks !== undefined && isFor(rule, facts) && (rule.applies?.(path) ?? true)

const faultNote = (path: string, { line, reason, isSent }: RulesOnDisk['leftOut'][number]): string => {
  const use = isSent ? 'its words are sent, but nothing is checked' : 'it is not used'
  return `The rule file ${path} has a fault${
    line ? ` on line ${line}` : ''
  }: ${reason}. Mend it; until then ${use}.`
}

/** Checks what the calls of a step wrote, once it has ended. */
export class StepChecks {
  readonly #input: DeliveryInput
  /** The files that the present step writes, by their absolute paths. */
  #written = new Map<string, Written>()
  /** The rules with patterns for the facts of the last request. */
  #isChecked: (path: string) => boolean = () => false

  constructor(input: DeliveryInput) {
    this.#input = input
  }

  /** Notes which rules check the next step. */
  begin(rules: Array<Rule>, facts: Facts): void {
    const own = rules.filter(({ checks }) => checks)
    this.#isChecked = (path) => own.some((rule) => isChecked(rule, path, facts))
  }

  /** Notes a call before it runs, and the text of its files where a rule checks one of them. */
  async start(tool: string, callID: string, args: unknown): Promise<void> {
    const { places } = this.#input
    const files = WRITING_TOOLS.has(tool) ? filesOfCall(tool, args) : []
    const isRead = files.some((file) => this.#isChecked(fromWorktree(file, places) ?? ''))
    for (const path of files.map((file) => resolve(places.given.directory, file))) {
      const written = this.#written.get(path) ?? { calls: [] }
      this.#written.set(path, written)
      written.calls.push(callID)
      if (isRead) await (written.before ??= textOf(path))
    }
  }

  /** Tells the model what its last step broke, in the answers of its calls: in a history, in place, and in the store. */
  async end(history: History, onDisk: RulesOnDisk, facts: Facts): Promise<void> {
    const written = [...this.#written]
    this.#written = new Map()
    const done = written.length > 0 ? history.flatMap(({ parts }) => parts).filter(isDone) : []
    const ended: Array<Ended> = []
    for (const one of written) ended.push(...await this.#ended(one, done))
    const judge = new Judge(ended.flatMap(({ file }) => file ?? []))
    const answer = answers()
    for (const { path, part, file, isThere } of ended) {
      const faults = onDisk.leftOut.filter((fault) => this.#absolute(path) === fault.path)
      const findings: Array<Finding> = []
      for (const rule of file && isThere && !this.#isRuleFile(path, onDisk) ? onDisk.rules : []) {
        if (!isChecked(rule, path, facts)) continue
        const breaks = await judge.breaks(file!, rule.checks!, MARKDOWN.test(rule.globs?.join() ?? ''))
        if (breaks.length > 0) findings.push({ rule: rule.name, words: this.#wordsOf(rule), breaks })
      }
      const notes = faults.map((fault) => faultNote(path, fault))
      if (findings.length > 0) notes.push(answer(path, findings))
      const marks = findings.flatMap(({ rule, breaks }) => marksOf(rule, path, breaks))
      if (notes.length > 0) await this.#tell(history, part, notes, marks)
    }
  }

  /** Reminds the model of what stands since an earlier turn, once: in the person's message that begins this one. */
  async remind(history: History, standing: Array<Mark>): Promise<void> {
    const last = history.at(-1)
    const reminded = remindedIn(history)
    const marks = standing.filter((mark) => !reminded.has(markKey(mark)))
    const said = last?.info.role === 'user'
      ? last.parts.findLast((part) => part.type === 'text' && !part.synthetic)
      : null
    if (!last || !said || marks.length === 0) return
    const { sessionID, messageID } = said
    const metadata = { [REMINDER_KEY]: marks.map(markKey) }
    const text = reminderOf(marks)
    await this.#store(last, {
      id: `${said.id}c`,
      sessionID,
      messageID,
      type: 'text',
      text,
      synthetic: true,
      metadata,
    })
  }

  async #ended([path, { before, calls }]: [string, Written], done: Array<DonePart>): Promise<Array<Ended>> {
    const relative = fromWorktree(path, this.#input.places)
    const part = done.findLast(({ callID }) => calls.includes(callID))
    if (relative === undefined || !part) return []
    const after = before ? await textOf(path) : null
    const isFormatted = callMarkOf(part)?.formatted.includes(path) ?? false
    const file = before ? { path: relative, before: await before, after: after ?? '', isFormatted } : null
    return [{ path: relative, part, file, isThere: after !== null }]
  }

  #absolute(path: string): string {
    return resolve(this.#input.places.real.worktree, path)
  }

  /** Whether a file is a rule file: its own examples break no rule. */
  #isRuleFile(path: string, { rules, leftOut }: RulesOnDisk): boolean {
    return [...rules, ...leftOut].some((one) => one.path === this.#absolute(path))
  }

  /** Gives a rule's words where they may be stored in a session, which can be shared: not those of the person's own. */
  #wordsOf({ path, body }: Rule): string | undefined {
    return contains(this.#input.places.real.worktree, path) ? body : undefined
  }

  async #tell(history: History, { id }: DonePart, notes: Array<string>, marks: Array<Mark>): Promise<void> {
    // An earlier file of the step may have changed it.
    const entry = history.find(({ parts }) => parts.some((part) => part.id === id))
    const part = entry?.parts.find((part): part is DonePart => part.id === id && isDone(part))
    if (!entry || !part) return
    const { state } = part
    const own = Object(state.metadata[METADATA_KEY])
    const broken = [...callMarkOf(part)?.broken ?? [], ...marks]
    const metadata = marks.length > 0
      ? { ...state.metadata, [METADATA_KEY]: { ...own, broken } }
      : state.metadata
    const output = [state.output, ...notes].join('\n\n')
    await this.#store(entry, { ...part, state: { ...state, output, metadata } })
  }

  /** Puts a part into a message of a request, and into the host's store. */
  async #store({ parts }: Entry, part: EntryPart): Promise<void> {
    const index = parts.findIndex(({ id }) => id === part.id)
    parts.splice(index < 0 ? parts.length : index, 1, part)
    const { error } = await storePart(this.#input.client, part)
    if (error !== null) this.#input.log('warn', `What breaks rules could not be stored: ${error}`)
  }
}
