/** Checks the written files of a session against the rules, and tells the model about violations. */
import { resolve } from 'node:path'
import { TimeBudget } from '../checks/budget.ts'
import { checkStep, type Unchecked } from '../checks/check-step.ts'
import {
  formatNewViolations,
  formatUnchecked,
  formatUnresolved,
  formatViolations,
} from '../checks/format-violations.ts'
import { reformattedViolations } from '../checks/reformatted-violations.ts'
import type { Violation } from '../checks/violations.ts'
import { type CompletedCall, METADATA_KEY, metadataOf } from '../host/message-parts.ts'
import { readCallMark } from '../host/panel-schema.ts'
import { contains } from '../paths/boundary.ts'
import { candidatePaths, pathOrRealPathInWorktree, type SessionPlaces } from '../paths/path-in-worktree.ts'
import type { StepCall } from '../steps/step-call.ts'
import type { DeliveryInput } from './hidden-message.ts'
import type { History, MessagePart } from './history.ts'
import { type CheckedRule, hasChecks } from './rule-files.ts'
import { ruleFileNotes, withLackedPatterns } from './rule-report.ts'
import { checkingRules, meetsConditions, type RequestInput } from './rules-in-request.ts'
import { allRulesOf, ruleFilesOf, type RulesOnDisk } from './rules-on-disk.ts'
import { isForFile } from './touched-files.ts'
import {
  markedParts,
  REMINDER_KEY,
  reminderKeysIn,
  unmentioned,
  unresolvedIn,
  violationKey,
} from './violations-in-session.ts'
import { type WrittenFile, writtenFiles } from './written-files.ts'

const REMINDER = 'What you wrote in an earlier turn still breaks rules. Fix it, or say why it stays:'

type Findings = {
  newViolations: Array<Violation>
  /** The violations that were reported before and that the files still contain. */
  unresolved: Array<Violation>
  /** The `unresolved` violations whose lines a formatter changed in this step. */
  reformatted: Array<Violation>
  unchecked: Array<Unchecked>
}

/** Checks the files that a session wrote in its last step (its calls since its last request). */
export class StepChecks {
  readonly #id: string
  readonly #input: DeliveryInput
  /** The lines that the turn removed, except reported violations. A removed line that returns counts as moved. */
  #removed: Array<string> = []
  /** The rules with checks that were in force at the last check. */
  #rules: Array<CheckedRule> = []
  #ruleFiles: ReadonlySet<string> = new Set()

  constructor(id: string, input: DeliveryInput) {
    this.#id = id
    this.#input = input
  }

  /** Reads the files of a call before it runs, if a rule checks one of them. */
  async beforeCall({ named, files }: StepCall): Promise<void> {
    const { places, steps } = this.#input
    const pathsOfFiles = await Promise.all(
      named.map(({ path, real }) =>
        candidatePaths(pathOrRealPathInWorktree(path, real, places) ?? '', places)
      ),
    )
    if (!pathsOfFiles.some((paths) => this.#rulesFor(paths).length > 0)) return
    for (const file of files) await steps.readBefore(file)
  }

  /** Calls `checkAndReport`, and reminds the model of earlier turns' violations. Returns all unresolved violations. */
  async checkAndRemind(history: History, request: RequestInput) {
    const budget = new TimeBudget()
    const newKeys = await this.checkAndReport(history, request, budget)
    const marked = allMarkedParts(history, request)
    const violations = await this.#input.findUnresolved(marked, checkingRules(request), budget)
    // Violations that this check reported, or an earlier reminder listed, need no reminder.
    const mentioned = [...newKeys, ...marked.flatMap(reminderKeysIn)]
    await this.#remind(history, unmentioned(violations, mentioned))
    return { violations, uncheckedCount: budget.uncheckedViolations }
  }

  /** Checks the last step, and adds the findings to the answers of its calls. Returns the keys of new violations. */
  async checkAndReport(history: History, request: RequestInput, budget = new TimeBudget()) {
    const { onDisk, facts } = request
    this.#rules = checkingRules(request).filter(hasChecks).filter((rule) => meetsConditions(rule, facts))
    this.#ruleFiles = ruleFilesOf(onDisk)
    const isNewTurn = history.at(-1)?.info.role === 'user'
    if (isNewTurn) this.#removed = []
    const files = await writtenFiles(history, this.#id, this.#input)
    if (files.length === 0) return []
    const recorded = await this.#input.findRecorded(allMarkedParts(history, request))
    const earlier = await violationsOfFiles(files, recorded, this.#input.places)
    const findings = await this.#findIn(files, earlier, budget)
    await this.#reportFindings(files, findings, onDisk)
    return findings.newViolations.map(violationKey)
  }

  /** Finds the new violations of the last step, and the `earlier` violations that its files still contain. */
  async #findIn(files: Array<WrittenFile>, earlier: Array<Violation>, budget: TimeBudget): Promise<Findings> {
    const { places, steps } = this.#input
    const pathsOf = new Map(files.map(({ path, paths }) => [path, paths]))
    // Imported only here: a session that writes no files does not need this code.
    const { linesAfterFormatting } = await import('../steps/lines-after-formatting.ts')
    const { broken: newViolations, removed, unchecked } = await checkStep(
      files,
      (path) => this.#rulesFor(pathsOf.get(path) ?? [path]),
      linesAfterFormatting,
      { broken: earlier, removed: this.#removed },
      budget,
    )
    this.#removed = removed
    const read = (path: string) => steps.presentFiles.read(path)
    const stillThere = await unresolvedIn(earlier, places.real, this.#rules, budget, read)
    // If a new violation has the rule, file and line number of an earlier one, only the new one is reported.
    const newPositions = new Set(newViolations.map(positionKey))
    const unresolved = stillThere.filter((violation) => !newPositions.has(positionKey(violation)))
    const knownPositions = new Set([...newViolations, ...stillThere].map(positionKey))
    const reformatted: Array<Violation> = []
    for (const file of files) {
      const checksOf = (name: string) => this.#rulesFor(file.paths).find((rule) => rule.name === name)?.checks
      const found = await reformattedViolations(earlier, file, checksOf, linesAfterFormatting, budget)
      for (const violation of found) {
        const position = positionKey(violation)
        if (!knownPositions.has(position)) reformatted.push(violation)
        knownPositions.add(position)
      }
    }
    return { newViolations, unresolved: [...unresolved, ...reformatted], reformatted, unchecked }
  }

  /** Returns the rules that check a file. A rule file is not checked, because its examples may break the rule. */
  #rulesFor(paths: Array<string>): Array<CheckedRule> {
    const { worktree } = this.#input.places.real
    const isRuleFile = paths.some((path) => this.#ruleFiles.has(resolve(worktree, path)))
    return isRuleFile ? [] : this.#rules.filter((rule) => isForFile(rule, paths))
  }

  async #reportFindings(files: Array<WrittenFile>, findings: Findings, onDisk: RulesOnDisk): Promise<void> {
    const { worktree } = this.#input.places.real
    // Filled by `formatNewViolations`, so that a step quotes each rule only once.
    const quotedRules = new Set<string>()
    // The person's own rules are not quoted, because a session can be shared.
    const projectRuleOf = (name: string) =>
      allRulesOf(onDisk).find((rule) => rule.name === name && contains(worktree, rule.path))
    for (const { path, paths, previousPath, part, presentText } of files) {
      const isInFile = (finding: { path: string }) => finding.path === path
      const newViolations = findings.newViolations.filter(isInFile)
      const unresolved = findings.unresolved.filter(isInFile)
      const unchecked = findings.unchecked.find(isInFile)
      const notes = await ruleFileNotes({ path, paths }, onDisk, worktree)
      if (newViolations.length > 0) {
        const shown = newViolations.map((violation) =>
          withLackedPatterns(violation, projectRuleOf(violation.rule), presentText)
        )
        notes.push(formatNewViolations(shown, (rule) => projectRuleOf(rule)?.body, quotedRules))
      }
      if (unresolved.length > 0) notes.push(formatUnresolved(unresolved))
      if (unchecked) notes.push(formatUnchecked(unchecked))
      // Stores the unresolved violations again if the file has a new path, or their lines a new text.
      const toStore = [...newViolations, ...previousPath ? unresolved : findings.reformatted.filter(isInFile)]
      if (notes.length > 0) await this.#addToAnswer(part, notes, toStore, unchecked)
    }
  }

  async #addToAnswer(
    part: CompletedCall,
    notes: Array<string>,
    violations: Array<Violation>,
    unchecked: Unchecked | undefined,
  ): Promise<void> {
    await this.#input.steps.parts.change(part, (stored) => {
      // A call may write several files: their violations and counts add up.
      const before = readCallMark(stored.state)
      const { lines = 0, rules = 0 } = before?.unchecked ?? {}
      const mark = {
        ...Object(metadataOf(stored)[METADATA_KEY]),
        ...(violations.length > 0 && { broken: [...before?.broken ?? [], ...violations] }),
        ...(unchecked && { unchecked: { lines: lines + unchecked.lines, rules: rules + unchecked.rules } }),
      }
      const metadata = { ...metadataOf(stored), [METADATA_KEY]: mark }
      return { ...stored.state, output: [stored.state.output, ...notes].join('\n\n'), metadata }
    })
  }

  /** Adds a reminder to the newest message, if that is the person's. */
  async #remind(history: History, violations: Array<Violation>): Promise<void> {
    const last = history.at(-1)
    const personText = last?.info.role === 'user'
      && last.parts.findLast((part) => part.type === 'text' && !part.synthetic)
    if (!personText || violations.length === 0) return
    // The host marks its own reminders with this tag. Without it, the text would look like the person's words.
    const text = `<system-reminder>\n${REMINDER}\n${formatViolations(violations)}\n</system-reminder>`
    const { id, sessionID, messageID } = personText
    const metadata = { [REMINDER_KEY]: violations.map(violationKey) }
    // The host sorts parts by id, so this one comes directly after the person's text.
    const ids = { id: `${id}c`, sessionID, messageID }
    await this.#input.steps.parts.add(history, { ...ids, metadata, type: 'text', text, synthetic: true })
  }
}

/** Lists the `markedParts` of a session, including parts that the history lacks; `[]` if no rule has checks. */
const allMarkedParts = (history: History, request: RequestInput): Array<MessagePart> =>
  checkingRules(request).some(hasChecks) ? [...request.earlierMarked ?? [], ...markedParts(history)] : []

/** Selects the violations recorded under any path of a step's files, and sets their `path` to the present path. */
const violationsOfFiles = async (
  files: Array<WrittenFile>,
  recorded: Array<Violation>,
  places: SessionPlaces,
): Promise<Array<Violation>> => {
  const recordedPaths = [...new Set(recorded.map(({ path }) => path))]
  const candidates = await Promise.all(recordedPaths.map((path) => candidatePaths(path, places)))
  return files.flatMap(({ path, paths, previousPath }) => {
    const isOfFile = (candidate: string) => candidate === previousPath || paths.includes(candidate)
    const pathsOfFile = recordedPaths.filter((_, index) => candidates[index]!.some(isOfFile))
    return recorded.filter((each) => pathsOfFile.includes(each.path)).map((each) => ({ ...each, path }))
  })
}

const positionKey = ({ rule, path, line }: Violation): string => JSON.stringify([rule, path, line])
