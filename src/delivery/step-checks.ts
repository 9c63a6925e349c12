import { resolve } from 'node:path'
import type { TimeBudget } from '../checks/budget.ts'
import { checkStep, type StepFile, type Unchecked, type Written } from '../checks/check-step.ts'
import {
  formatNewViolations,
  formatUnchecked,
  formatUnresolved,
  formatViolations,
} from '../checks/format-violations.ts'
import type { Violation } from '../checks/violations.ts'
import { WRITING_TOOLS } from '../host/file-tools.ts'
import { type CompletedCall, completedCallsOf, METADATA_KEY, metadataOf } from '../host/message-parts.ts'
import { readFormatMark } from '../host/panel-schema.ts'
import { contains } from '../paths/boundary.ts'
import { candidatePaths, pathInWorktree } from '../paths/path-in-worktree.ts'
import { findPart } from '../steps/find-part.ts'
import { type CallFile, readState, type StepCall } from '../steps/step-call.ts'
import type { DeliveryInput } from './hidden-message.ts'
import type { History, MessagePart } from './history.ts'
import { ruleFileNotes } from './rule-file-notes.ts'
import type { Rule } from './rule-files.ts'
import { withLackedPatterns } from './rule-report.ts'
import { ruleFilesOf, type RulesOnDisk } from './rules-on-disk.ts'
import { isForFile } from './touched-files.ts'
import {
  cachedTextReader,
  type FileTextReader,
  MarkedParts,
  REMINDER_KEY,
  reminderKeysIn,
  unresolvedIn,
  violationKey,
  violationsIn,
} from './violations-in-session.ts'

const REMINDER = 'What you wrote in an earlier turn still breaks rules. Fix it, or say why it stays:'

/** A file that a step wrote. */
type WrittenFile = StepFile & {
  /** The paths that rules are matched with: as the call named the file, and with links resolved. */
  paths: Array<string>
  /** The path before the step, if the step moved the file. */
  previousPath: string | undefined
  /** The part of the last call that wrote it, and the index of that part in the history's completed calls. */
  part: CompletedCall
  partIndex: number
}

/**
 * Adds a call's change of a file. If it is certain what this call and the last one changed, and nothing changed the file
 * in between, merges the two.
 */
const addWritten = (written: Array<Written>, { before, after, replayed }: CallFile): void => {
  const [old, now] = [before?.text, after?.text]
  // A file that is not text cannot be checked.
  if (old === undefined || now === undefined || !replayed) return
  const last = written.at(-1)
  const { applied, args } = replayed
  const writtenText = applied && now !== null ? applied.raw : now
  if (last && !last.words && applied && last.after === old) last.after = writtenText
  else {
    const isCertain = applied !== null || now === null
    written.push({ before: old, after: writtenText, ...(!isCertain && { words: wordsOf(args) }) })
  }
}

const wordsOf = (args: Record<string, unknown>): string => Object.values(args).map(String).join('\n')

/** Checks the files that the calls of a step wrote, after the step. */
export class StepChecks {
  /** The parts of the session's history that record violations. */
  readonly marked: MarkedParts
  readonly #id: string
  readonly #input: DeliveryInput
  /** The lines that the present turn removed, except those that were reported. */
  #removed: Array<string> = []
  /** Returns the rules that check a file with these paths, which are relative to the worktree. */
  #rulesFor: (names: Array<string>) => Array<Rule & { checks: NonNullable<Rule['checks']> }> = () => []

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
    this.marked = new MarkedParts(input.steps.messageReaderOf(id))
  }

  /** Sets the rules that check later calls. Rule files are not checked: they contain examples of what is forbidden. */
  #setRules(onDisk: RulesOnDisk, inForce: Array<Rule>): void {
    const { worktree } = this.#input.places.real
    const checked = inForce.flatMap((rule) => (rule.checks ? [{ ...rule, checks: rule.checks }] : []))
    const ruleFiles = ruleFilesOf(onDisk)
    this.#rulesFor = (names) =>
      names.some((name) => ruleFiles.has(resolve(worktree, name)))
        ? []
        : checked.filter((rule) => isForFile(rule, names))
  }

  /** Reads the files of a call before it runs, if a rule checks one of them. */
  async beforeCall({ named, files }: StepCall): Promise<void> {
    const { places, steps } = this.#input
    const all = await Promise.all(
      named.map(({ path }) => candidatePaths(pathInWorktree(path, places) ?? '', places)),
    )
    if (!all.some((names) => this.#rulesFor(names).length > 0)) return
    for (const file of files) await steps.readBefore(file)
  }

  /**
   * Checks the last step against the rules in force, and reports violations in the answers of its calls, both in the
   * history and in the store. Until the next check, `beforeCall` uses the same rules. Returns the keys of the new
   * violations, and a reader of present texts, which already knows the files that the step changed.
   *
   * @param listMarked returns the marked parts of the session
   */
  async checkStep(
    history: History,
    listMarked: () => Array<MessagePart>,
    onDisk: RulesOnDisk,
    inForce: Array<Rule>,
    budget: TimeBudget,
  ): Promise<{ reported: Set<string>; read: FileTextReader }> {
    this.#setRules(onDisk, inForce)
    if (history.at(-1)?.info.role === 'user') this.#removed = []
    const { worktree } = this.#input.places.real
    const files = await this.#filesOfStep(history)
    const hasChanges = ({ written }: WrittenFile) => written.length > 0
    const read = cachedTextReader(
      new Map(
        files.filter(hasChanges).map(({ path, presentText }) => [resolve(worktree, path), presentText]),
      ),
    )
    if (files.length === 0) return { reported: new Set(), read }
    const recorded = violationsIn(listMarked())
    const brokenBefore = files.flatMap(({ path, previousPath }) =>
      recorded.filter((violation) => violation.path === path || violation.path === previousPath)
        .map((violation) => ({ ...violation, path }))
    )
    const earlier = { broken: brokenBefore, removed: this.#removed }
    const pathsOf = new Map(files.map(({ path, paths }) => [path, paths]))
    const rulesFor = (path: string) => this.#rulesFor(pathsOf.get(path) ?? [path])
    const { linesNow } = await import('../steps/lines-now.ts')
    const { broken, removed, unchecked } = await checkStep(files, rulesFor, linesNow, earlier, budget)
    this.#removed = removed
    const positionKey = ({ rule, path, line }: Violation) => JSON.stringify([rule, path, line])
    const newPositions = new Set(broken.map(positionKey))
    const unresolved = (await unresolvedIn(brokenBefore, { worktree }, inForce, budget, read))
      .filter((violation) => !newPositions.has(positionKey(violation)))
    // `formatNewViolations` adds the rules of each file to these.
    const reportedRules = new Set<string>()
    const ruleOf = (name: string) => this.#sharedRule([...onDisk.rules, ...onDisk.checkOnly], name)
    for (const { path, previousPath, part, presentText } of files) {
      const isInFile = (found: { path: string }) => found.path === path
      const newInFile = broken.filter(isInFile)
      const notes = await ruleFileNotes(path, onDisk, worktree)
      const shown = newInFile.map((violation) =>
        withLackedPatterns(violation, ruleOf(violation.rule), presentText)
      )
      if (newInFile.length > 0) {
        notes.push(formatNewViolations(shown, (rule) => ruleOf(rule)?.body, reportedRules))
      }
      const unresolvedInFile = unresolved.filter(isInFile)
      if (unresolvedInFile.length > 0) notes.push(formatUnresolved(unresolvedInFile))
      const uncheckedInFile = unchecked.find(isInFile)
      if (uncheckedInFile) notes.push(formatUnchecked(uncheckedInFile))
      // The marks of a moved file are stored again under its new path.
      const findings = {
        broken: [...newInFile, ...previousPath ? unresolvedInFile : []],
        unchecked: uncheckedInFile,
      }
      if (notes.length > 0) await this.#report(part, notes, findings)
    }
    return { reported: new Set(broken.map(violationKey)), read }
  }

  /** Returns the files that the last step wrote, each at the position of the last call that wrote it. */
  async #filesOfStep(history: History): Promise<Array<WrittenFile>> {
    const { places, steps } = this.#input
    const calls = steps.callsOf(this.#id)
    const done = calls.length > 0 ? completedCallsOf(history) : []
    const files = new Map<string, WrittenFile>()
    for (const { host: { tool, callID }, args, files: own } of calls) {
      const part = WRITING_TOOLS.has(tool) && findPart(done, { callID, args })
      for (const written of part ? own : []) {
        const { file, real } = written
        const path = pathInWorktree(file.path, places)
        const last = files.get(real.from)
        if (path === undefined || !part) continue
        files.delete(real.from)
        const changes = last?.written ?? []
        addWritten(changes, written)
        const now = written.after ? (await readState(file.path)).text ?? null : null
        const previousPath = real.from === real.to
          ? last?.previousPath
          : last?.previousPath ?? pathInWorktree(file.from, places)
        const paths = await candidatePaths(path, places)
        files.set(real.to, {
          path,
          paths,
          previousPath,
          written: changes,
          presentText: now,
          part,
          partIndex: done.indexOf(part),
        })
      }
    }
    return [...files.values()].toSorted((file, other) => file.partIndex - other.partIndex)
  }

  /** Reminds the model once of violations from earlier turns, in the person's message that begins this turn. */
  async remind(history: History, markedParts: Array<MessagePart>, broken: Array<Violation>): Promise<void> {
    const last = history.at(-1)
    const reminded = new Set(markedParts.flatMap(reminderKeysIn))
    const unmentioned = broken.filter((violation) => !reminded.has(violationKey(violation)))
    const personText = last?.info.role === 'user'
      && last.parts.findLast((part) => part.type === 'text' && !part.synthetic)
    if (!personText || unmentioned.length === 0) return
    // Without the tag, which is the host's own, the model would mistake this for the person's words.
    const text = `<system-reminder>\n${REMINDER}\n${formatViolations(unmentioned)}\n</system-reminder>`
    const { id, sessionID, messageID } = personText
    const metadata = { [REMINDER_KEY]: unmentioned.map(violationKey) }
    const ids = { id: `${id}c`, sessionID, messageID }
    await this.#input.steps.parts.add(history, { ...ids, metadata, type: 'text', text, synthetic: true })
  }

  /** Finds a rule of the project by its name. The person's own rules are excluded, because a session can be shared. */
  #sharedRule(rules: Array<Rule>, name: string): Rule | undefined {
    const rule = rules.find((rule) => rule.name === name)
    return rule && contains(this.#input.places.real.worktree, rule.path) ? rule : undefined
  }

  /** Adds notes to the answer of a call, and findings to its metadata. */
  async #report(
    part: CompletedCall,
    notes: Array<string>,
    { broken: added, unchecked: notChecked }: { broken: Array<Violation>; unchecked: Unchecked | undefined },
  ): Promise<void> {
    await this.#input.steps.parts.change(part, (stored) => {
      const { broken, unchecked } = readFormatMark(stored.state) ?? {}
      const { lines = 0, rules = 0 } = unchecked ?? {}
      const mark = {
        ...Object(metadataOf(stored)[METADATA_KEY]),
        ...(added.length > 0 && { broken: [...broken ?? [], ...added] }),
        ...(notChecked
          && { unchecked: { lines: lines + notChecked.lines, rules: rules + notChecked.rules } }),
      }
      const metadata = { ...metadataOf(stored), [METADATA_KEY]: mark }
      return { ...stored.state, output: [stored.state.output, ...notes].join('\n\n'), metadata }
    })
    if (added.length > 0) this.marked.add(part)
  }
}
