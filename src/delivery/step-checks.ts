import { resolve } from 'node:path'
import { judgeStep, type StepFile, type Unchecked } from '../checks/judge.ts'
import type { Broken } from '../checks/marks.ts'
import { listBroken, tellBroken, tellStanding, tellUnchecked } from '../checks/tell-broken.ts'
import type { TimeBudget } from '../checks/time-budget.ts'
import { callHost } from '../host/client.ts'
import { filesOfCall, WRITING_TOOLS } from '../host/file-tools.ts'
import {
  type DonePart,
  donePartsOf,
  isDone,
  METADATA_KEY,
  metadataOf,
  storePart,
} from '../host/message-parts.ts'
import { markIn } from '../host/panel-schema.ts'
import { contains } from '../paths/boundary.ts'
import { allBrokenIn, brokenKey, remindedIn, REMINDER_KEY, standing, textOf } from './broken-rules.ts'
import type { DeliveryInput } from './hidden-message.ts'
import type { EntryPart, History } from './history.ts'
import type { Rule } from './rule-files.ts'
import { namingPatterns, reportRule } from './rule-report.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import { fromWorktree, isForFile, namesOf } from './touched-files.ts'

type FileText = ReturnType<typeof textOf>

/** A file that calls of a step write: where a rule checks it, its text before the first and after the last; and the calls. */
type Written = { before?: FileText; after?: FileText; calls: Array<string> }

type PartPlace = Pick<EntryPart, 'id' | 'messageID'>

/** Puts a part into its message of a history, over its last state or where its id belongs. */
const insertPart = (history: History, part: EntryPart): void => {
  const { parts } = history.find(({ info }) => info.id === part.messageID)!
  const at = parts.findIndex(({ id }) => id === part.id)
  parts.splice(at < 0 ? parts.filter(({ id }) => id < part.id).length : at, at < 0 ? 0 : 1, part)
}

const REMINDER = 'What you wrote in an earlier turn still breaks rules. Mend it, or say why it stays:'

const faultNote = (path: string, fault: RulesOnDisk['leftOut'][number]): string => {
  const { line, reason, isSent, isOffered } = fault
  const use = isSent
    ? 'its words are sent, but nothing is checked'
    : isOffered
    ? 'it is only offered by its description'
    : 'it is not used'
  const at = line ? ` on line ${line}` : ''
  const why = reason.replace(/[^?]$/, '$&.')
  return `The rule file ${path} has a fault${at}: ${why} Mend it; until then ${use}.`
}

/** Gives the path of the file that one of some calls moved to a path, as a patch's answer says it; empty where none did. */
const movedFrom = (calls: Array<DonePart>, path: string): string =>
  calls.flatMap((call) => metadataOf(call)['files'] ?? []).map(Object)
    .find(({ movePath }) => movePath === path)?.filePath ?? ''

/** Checks what the calls of a step wrote, once it has ended. */
export class StepChecks {
  readonly #input: DeliveryInput
  /** The files that the present step writes, by their absolute paths. */
  #written = new Map<string, Written>()
  /** The lines that the present turn removed. */
  #removed: Array<string> = []
  /** Gives the rules that check a file, by its names from the worktree. */
  #rulesFor: (names: Array<string>) => Array<Rule & { checks: NonNullable<Rule['checks']> }> = () => []

  constructor(input: DeliveryInput) {
    this.#input = input
  }

  /** Notes which rules check what is written from now on. A rule file's own examples break no rule. */
  #use({ rules, checking, leftOut }: RulesOnDisk, inForce: Array<Rule>): void {
    const { worktree } = this.#input.places.real
    const checked = inForce.flatMap((rule) => (rule.checks ? [{ ...rule, checks: rule.checks }] : []))
    const ruleFiles = new Set([...rules, ...checking, ...leftOut].map((one) => one.path))
    this.#rulesFor = (names) =>
      names.some((name) => ruleFiles.has(resolve(worktree, name)))
        ? []
        : checked.filter((rule) => isForFile(rule, names))
  }

  /** Notes a call before it runs, and the text of its files where a rule checks one of them. */
  async start(tool: string, callID: string, args: unknown): Promise<void> {
    const { places } = this.#input
    const files = WRITING_TOOLS.has(tool) ? filesOfCall(tool, args) : []
    const named = files.map((file) => fromWorktree(file, places) ?? '')
    const names = await Promise.all(named.map((file) => namesOf(file, places)))
    const isRead = names.some((one) => this.#rulesFor(one).length > 0)
    for (const path of files.map((file) => resolve(places.given.directory, file))) {
      const written = this.#written.get(path) ?? { calls: [] }
      this.#written.set(path, written)
      written.calls.push(callID)
      if (isRead) await (written.before ??= textOf(path))
    }
  }

  /** Notes the texts of the files of a call that has run. What others write until the step has ended is not the agent's. */
  async finish(callID: string): Promise<void> {
    for (const [path, written] of this.#written) {
      if (written.before && written.calls.includes(callID)) await (written.after = textOf(path))
    }
  }

  /**
   * Tells the model what its last step broke of the rules in force, in the answers of its calls: in a history, in place,
   * and in the store. The same rules check what is written from now on. Gives the keys of what broke a rule.
   *
   * @param marked gives the marked parts of the session
   */
  async end(
    history: History,
    marked: () => Array<EntryPart>,
    onDisk: RulesOnDisk,
    inForce: Array<Rule>,
    budget: TimeBudget,
  ): Promise<Set<string>> {
    this.#use(onDisk, inForce)
    if (history.at(-1)?.info.role === 'user') this.#removed = []
    if (this.#written.size === 0) return new Set()
    const { worktree } = this.#input.places.real
    const files = await this.#filesOfStep(donePartsOf(history))
    const marks = allBrokenIn(marked())
    const before = files.flatMap(({ path, from }) =>
      marks.filter((one) => one.path === path || one.path === from).map((one) => ({ ...one, path }))
    )
    const earlier = { broken: before, removed: this.#removed }
    const namesBy = new Map(files.map(({ path, names }) => [path, names]))
    const rulesFor = (path: string) => this.#rulesFor(namesBy.get(path) ?? [path])
    const { broken, removed, unchecked } = await judgeStep(files, rulesFor, earlier, budget)
    this.#removed = removed
    const placeOf = ({ rule, path, line }: Broken) => JSON.stringify([rule, path, line])
    const fresh = new Set(broken.map(placeOf))
    const still = (await standing(before, { worktree }, inForce, budget))
      .filter((one) => !fresh.has(placeOf(one)))
    const told = new Set<string>()
    const ruleOf = (name: string) => this.#ruleToTell([...onDisk.rules, ...onDisk.checking], name)
    for (const { path, from, id, messageID, after } of files) {
      const isHere = (one: { path: string }) => one.path === path
      const here = broken.filter(isHere)
      const notes = await this.#ruleFileNotes(path, onDisk)
      const shown = here.map((one) => namingPatterns(one, ruleOf(one.rule), after))
      if (here.length > 0) notes.push(tellBroken(shown, (rule) => ruleOf(rule)?.body, told))
      const stillHere = still.filter(isHere)
      if (stillHere.length > 0) notes.push(tellStanding(stillHere))
      const left = unchecked.find(isHere)
      if (left) notes.push(tellUnchecked(left))
      // A file that was moved keeps its marks.
      const marks = { broken: [...here, ...from ? stillHere : []], left }
      if (notes.length > 0) await this.#tell(history, { id, messageID }, notes, marks)
    }
    return new Set(broken.map(brokenKey))
  }

  /** Lists the files that the last step wrote, each with the id of its last call, in the order of these. */
  async #filesOfStep(
    done: Array<DonePart>,
  ): Promise<Array<StepFile & PartPlace & { at: number; names: Array<string>; from?: string | undefined }>> {
    const written = this.#written
    this.#written = new Map()
    const files = await Promise.all([...written].map(async ([absolute, { before, after, calls }]) => {
      const path = fromWorktree(absolute, this.#input.places)
      const own = done.filter(({ callID }) => calls.includes(callID))
      const part = own.at(-1)
      if (path === undefined || !part) return []
      const isFormatted = markIn(part.state)?.formatted.includes(absolute) ?? false
      const moved = movedFrom(own, absolute)
      const from = moved === '' ? undefined : fromWorktree(moved, this.#input.places)
      const old = await (written.get(moved) ?? { before }).before
      const now = before && await (isFormatted ? textOf(absolute) : after)
      // Of a file that is no text, nothing can be said.
      const isKnown = old !== undefined && now !== undefined
      const texts = isKnown
        ? { before: old, after: now, written: await after }
        : { before: null, after: null }
      const { id, messageID } = part
      const names = await namesOf(path, this.#input.places)
      return [{ path, names, from, id, messageID, at: done.indexOf(part), ...texts, isFormatted }]
    }))
    return files.flat().toSorted((one, other) => one.at - other.at)
  }

  /** Reminds the model of what stands since an earlier turn, once: in the person's message that begins this one. */
  async remind(history: History, marked: Array<EntryPart>, broken: Array<Broken>): Promise<void> {
    const last = history.at(-1)
    const reminded = new Set(marked.flatMap(remindedIn))
    const open = broken.filter((one) => !reminded.has(brokenKey(one)))
    const words = last?.info.role === 'user'
      && last.parts.findLast((part) => part.type === 'text' && !part.synthetic)
    if (!words || open.length === 0) return
    // Without the host's own mark it would stand as the person's words.
    const text = `<system-reminder>\n${REMINDER}\n${listBroken(open)}\n</system-reminder>`
    const { id, sessionID, messageID } = words
    const place = { id: `${id}c`, sessionID, messageID, metadata: { [REMINDER_KEY]: open.map(brokenKey) } }
    const part: EntryPart = { ...place, type: 'text', text, synthetic: true }
    insertPart(history, part)
    await this.#store(part)
  }

  /** Makes the notes on a file that a step wrote where it is a rule file: its faults, or what it does. */
  async #ruleFileNotes(path: string, { rules, checking, leftOut }: RulesOnDisk): Promise<Array<string>> {
    const { worktree } = this.#input.places.real
    const isThis = (one: { path: string }) => one.path === resolve(worktree, path)
    const faults = leftOut.filter(isThis).map((fault) => faultNote(path, fault))
    const rule = [...rules, ...checking].find(isThis)
    if (!rule?.checks) return faults
    const files = new Set([...rules, ...checking, ...leftOut].map((one) => one.path))
    return [
      ...faults,
      await reportRule({ ...rule, checks: rule.checks }, worktree, (file) => files.has(file)),
    ]
  }

  /** Gives a rule whose words may be stored in a session, which can be shared: none of the person's own. */
  #ruleToTell(rules: Array<Rule>, name: string): Rule | undefined {
    const rule = rules.find((one) => one.name === name)
    return rule && contains(this.#input.places.real.worktree, rule.path) ? rule : undefined
  }

  /** Adds notes and marks to the answer of a call, as it stands in a history and as it is stored. */
  async #tell(
    history: History,
    place: PartPlace,
    notes: Array<string>,
    { broken: added, left }: { broken: Array<Broken>; left: Unchecked | undefined },
  ): Promise<void> {
    const own = donePartsOf(history).find(({ id }) => id === place.id)
    if (!own) return
    // Another plugin may have cut what this request holds of the call.
    const path = { id: own.sessionID, messageID: place.messageID }
    const { data } = await callHost(() => this.#input.client.session.message({ path }))
    const stored = data?.parts.find(({ id }) => id === place.id) ?? own
    const told = (part: DonePart): DonePart => {
      const { broken, unchecked } = markIn(part.state) ?? {}
      const mark = {
        ...Object(metadataOf(part)[METADATA_KEY]),
        ...(added.length > 0 && { broken: [...broken ?? [], ...added] }),
        ...(left
          && {
            unchecked: {
              lines: (unchecked?.lines ?? 0) + left.lines,
              rules: (unchecked?.rules ?? 0) + left.rules,
            },
          }),
      }
      const metadata = { ...metadataOf(part), [METADATA_KEY]: mark }
      return {
        ...part,
        state: { ...part.state, output: [part.state.output, ...notes].join('\n\n'), metadata },
      }
    }
    insertPart(history, told(own))
    if (isDone(stored)) await this.#store(told(stored))
  }

  async #store(part: EntryPart): Promise<void> {
    const { error } = await storePart(this.#input.client, part)
    if (error !== null) this.#input.log('warn', `What breaks rules could not be stored: ${error}`)
  }
}
