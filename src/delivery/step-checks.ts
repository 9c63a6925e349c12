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
  remindedKeys,
  REMINDER_KEY,
  unmentioned,
  unresolvedIn,
  violationKey,
} from './violations-in-session.ts'
import { type WrittenFile, writtenFiles } from './written-files.ts'

const REMINDER = 'What you wrote in an earlier turn still breaks rules. Fix it, or say why it stays:'

type Findings = {
  newViolations: Array<Violation>
  unresolved: Array<Violation>
  /** The `unresolved` violations whose lines a formatter changed in this step. */
  reformatted: Array<Violation>
  unchecked: Array<Unchecked>
}

export class StepChecks {
  readonly #id: string
  readonly #input: DeliveryInput
  /** The lines that the turn removed, because a removed line that returns counts as moved. */
  #removed: Array<string> = []
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

  /** Calls `checkAndReport`, then reminds the model of violations from earlier turns. */
  async checkAndRemind(history: History, request: RequestInput) {
    const budget = new TimeBudget()
    const newKeys = await this.checkAndReport(history, request, budget)
    const marked = allMarkedParts(history, request)
    const violations = await this.#input.findUnresolved(marked, checkingRules(request), budget)
    const mentioned = [...newKeys, ...remindedKeys(marked)]
    await this.#remind(history, unmentioned(violations, mentioned))
    return { violations, uncheckedCount: budget.uncheckedViolations }
  }

  /** Adds findings to the answers of the last step's calls, and returns the keys of new violations. */
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

  async #findIn(files: Array<WrittenFile>, earlier: Array<Violation>, budget: TimeBudget): Promise<Findings> {
    const { places, steps } = this.#input
    const pathsOf = new Map(files.map(({ path, paths }) => [path, paths]))
    // A session that writes no files does not need this code.
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

  /** Returns no rules for a rule file, because its examples may break the rule. */
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
      // Unresolved violations are stored again if the file has a new path, or their lines a new text.
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

  async #remind(history: History, violations: Array<Violation>): Promise<void> {
    const last = history.at(-1)
    const personText = last?.info.role === 'user'
      && last.parts.findLast((part) => part.type === 'text' && !part.synthetic)
    if (!personText || violations.length === 0) return
    // Without the host's tag for reminders, the text would look like the person's words.
    const text = `<system-reminder>\n${REMINDER}\n${formatViolations(violations)}\n</system-reminder>`
    const { id, sessionID, messageID } = personText
    const metadata = { [REMINDER_KEY]: violations.map(violationKey) }
    // The host sorts parts by id, so this one comes directly after the person's text.
    const ids = { id: `${id}c`, sessionID, messageID }
    await this.#input.steps.parts.add(history, { ...ids, metadata, type: 'text', text, synthetic: true })
  }
}

const allMarkedParts = (history: History, request: RequestInput): Array<MessagePart> =>
  checkingRules(request).some(hasChecks) ? [...request.earlierMarked ?? [], ...markedParts(history)] : []

/** Selects the recorded violations of these files, and sets their `path` to the file's present path. */
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
