import { resolve } from 'node:path'
import { type Broken, judgeStep } from '../checks/judge.ts'
import { listBroken, tellBroken } from '../checks/words.ts'
import { filesOfCall, WRITING_TOOLS } from '../host/file-tools.ts'
import { type DonePart, METADATA_KEY, storePart } from '../host/message-parts.ts'
import { markIn } from '../host/panel-schema.ts'
import { contains } from '../paths/boundary.ts'
import type { DeliveryInput } from './hidden-message.ts'
import type { EntryPart, History } from './history.ts'
import { brokenKey, donePartsOf, textOf } from './marks.ts'
import type { Rule } from './rule-files.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import { fromWorktree } from './touched-files.ts'

/** A file that calls of a step write: its text before the first of them, where a rule checks it, and the calls. */
type Written = { before?: Promise<string | null>; calls: Array<string> }

/** The key of the metadata of a reminder: what it names. */
const REMINDER_KEY = 'opencode-sat-reminder'

const REMINDER =
  'What you wrote in an earlier turn still breaks rules. Mend it too, unless it was said that it stays:'

const faultNote = (path: string, { line, reason, isSent }: RulesOnDisk['leftOut'][number]): string => {
  const use = isSent ? 'its words are sent, but nothing is checked' : 'it is not used'
  const at = line ? ` on line ${line}` : ''
  return `The rule file ${path} has a fault${at}: ${reason}. Mend it; until then ${use}.`
}

/** Checks what the calls of a step wrote, once it has ended. */
export class StepChecks {
  readonly #input: DeliveryInput
  /** The files that the present step writes, by their absolute paths. */
  #written = new Map<string, Written>()
  /** Gives the rules that check a file, by its path from the worktree. */
  #rulesFor: (path: string) => Array<Rule & { checks: NonNullable<Rule['checks']> }> = () => []

  constructor(input: DeliveryInput) {
    this.#input = input
  }

  /** Notes which rules check what is written from now on. A rule file's own examples break no rule. */
  use({ rules, leftOut }: RulesOnDisk, inForce: Array<Rule>): void {
    const { worktree } = this.#input.places.real
    const checked = inForce.flatMap((rule) => (rule.checks ? [{ ...rule, checks: rule.checks }] : []))
    const ruleFiles = new Set([...rules, ...leftOut].map((one) => one.path))
    this.#rulesFor = (path) =>
      ruleFiles.has(resolve(worktree, path)) ? [] : checked.filter(({ applies }) => applies?.(path) ?? true)
  }

  /** Notes a call before it runs, and the text of its files where a rule checks one of them. */
  async start(tool: string, callID: string, args: unknown): Promise<void> {
    const { places } = this.#input
    const files = WRITING_TOOLS.has(tool) ? filesOfCall(tool, args) : []
    const isRead = files.some((file) => this.#rulesFor(fromWorktree(file, places) ?? '').length > 0)
    for (const path of files.map((file) => resolve(places.given.directory, file))) {
      const written = this.#written.get(path) ?? { calls: [] }
      this.#written.set(path, written)
      written.calls.push(callID)
      if (isRead) await (written.before ??= textOf(path))
    }
  }

  /** Tells the model what its last step broke, in the answers of its calls: in a history, in place, and in the store. */
  async end(history: History, { rules, leftOut }: RulesOnDisk): Promise<void> {
    if (this.#written.size === 0) return
    const { places } = this.#input
    const [written, done] = [[...this.#written], donePartsOf(history)]
    this.#written = new Map()
    const files = await Promise.all(written.map(async ([absolute, { before, calls }]) => {
      const path = fromWorktree(absolute, places)
      const part = done.findLast(({ callID }) => calls.includes(callID))
      if (path === undefined || !part) return []
      const isFormatted = markIn(part.state)?.formatted.includes(absolute) ?? false
      const [old = null, after] = before ? [await before, await textOf(absolute)] : [null, null]
      return [{ path, id: part.id, before: old, after, isFormatted }]
    }))
    const broken = await judgeStep(files.flat(), this.#rulesFor)
    const told = new Set<string>()
    for (const { path, id } of files.flat()) {
      const own = broken.filter((one) => one.path === path)
      const faults = leftOut.filter((fault) => fault.path === resolve(places.real.worktree, path))
      const notes = faults.map((fault) => faultNote(path, fault))
      if (own.length > 0) notes.push(tellBroken(own, (rule) => this.#bodyOf(rules, rule), told))
      if (notes.length > 0) await this.#tell(history, id, notes, own)
    }
  }

  /** Reminds the model of what stands since an earlier turn, once: in the person's message that begins this one. */
  async remind(history: History, broken: Array<Broken>): Promise<void> {
    const last = history.at(-1)
    const parts = history.flatMap((entry) => entry.parts)
    const reminded = parts.flatMap((part): unknown => part.type === 'text' && part.metadata?.[REMINDER_KEY])
    const open = broken.map(brokenKey).filter((key) => !reminded.flat().includes(key))
    const words = last?.info.role === 'user'
      && last.parts.findLast((part) => part.type === 'text' && !part.synthetic)
    if (!words || open.length === 0) return
    const text = `${REMINDER}\n${listBroken(broken.filter((one) => open.includes(brokenKey(one))))}`
    const { id, sessionID, messageID } = words
    const place = { id: `${id}c`, sessionID, messageID, metadata: { [REMINDER_KEY]: open } }
    await this.#store(history, { ...place, type: 'text', text, synthetic: true })
  }

  /** Gives a rule's words where they may be stored in a session, which can be shared: not those of the person's own. */
  #bodyOf(rules: Array<Rule>, name: string): string | undefined {
    const rule = rules.find((one) => one.name === name)
    return rule && contains(this.#input.places.real.worktree, rule.path) ? rule.body : undefined
  }

  async #tell(history: History, id: string, notes: Array<string>, broken: Array<Broken>): Promise<void> {
    // Another file of the step may have changed it.
    const part = donePartsOf(history).find((one) => one.id === id)!
    const all = [...markIn(part.state)?.broken ?? [], ...broken]
    const mark = { ...Object(part.state.metadata[METADATA_KEY]), ...(all.length > 0 && { broken: all }) }
    const metadata = { ...part.state.metadata, [METADATA_KEY]: mark }
    const output = [part.state.output, ...notes].join('\n\n')
    await this.#store(history, { ...part, state: { ...part.state, output, metadata } } satisfies DonePart)
  }

  /** Puts a part into its message of a history, in the place of the one that it replaces, and into the store. */
  async #store(history: History, part: EntryPart): Promise<void> {
    const { parts } = history.find(({ info }) => info.id === part.messageID)!
    const index = parts.findIndex(({ id }) => id === part.id)
    parts.splice(index < 0 ? parts.length : index, 1, part)
    const { error } = await storePart(this.#input.client, part)
    if (error !== null) this.#input.log('warn', `What breaks rules could not be stored: ${error}`)
  }
}
