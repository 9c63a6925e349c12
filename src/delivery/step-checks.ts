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
import { Turn } from '../checks/moved-lines.ts'
import { reformattedViolations } from '../checks/unresolved.ts'
import { groupBy, type Violation } from '../checks/violations.ts'
import { type CompletedCall, METADATA_KEY, metadataOf } from '../host/message-parts.ts'
import { readCallMark } from '../host/panel-schema.ts'
import { contains } from '../paths/boundary.ts'
import { candidatePaths, pathOrRealPathInWorktree } from '../paths/path-in-worktree.ts'
import type { StepCall } from '../steps/step-call.ts'
import type { DeliveryInput } from './hidden-message.ts'
import type { History, MessagePart } from './history.ts'
import { type CheckedRule, hasChecks } from './rule-files.ts'
import { ruleFileNotes, withLackedPatterns } from './rule-report.ts'
import { checkingRules, meetsConditions, type RequestInput } from './rules-in-request.ts'
import { allRulesOf, ruleFilesOf, type RulesOnDisk } from './rules-on-disk.ts'
import { isForFile } from './touched-files.ts'
import {
  allMarkedParts,
  REMINDER_KEY,
  reminderKeysIn,
  toRemind,
  unresolvedIn,
  violationKey,
} from './violations-in-session.ts'
import { type WrittenFile, writtenFiles } from './written-files.ts'

const REMINDER = 'What you wrote in an earlier turn still breaks rules. Fix it, or say why it stays:'

/** Creates the checks of one session. */
export const stepChecks = (sessionID: string, input: DeliveryInput) => {
  const { places, steps } = input
  const { worktree } = places.real
  let turn = new Turn()
  let rules: Array<CheckedRule> = []
  let ruleFiles: ReadonlySet<string> = new Set()

  /** Returns no rules for a rule file, because its examples may break the rule. */
  const rulesFor = (paths: Array<string>): Array<CheckedRule> => {
    const isRuleFile = paths.some((path) => ruleFiles.has(resolve(worktree, path)))
    return isRuleFile ? [] : rules.filter((rule) => isForFile(rule, paths))
  }

  /** Selects the recorded violations of these files, and sets their `path` to the file's present path. */
  const violationsOfFiles = async (files: Array<WrittenFile>, recorded: Array<Violation>) => {
    const recordedPaths = [...new Set(recorded.map(({ path }) => path))]
    const candidates = await Promise.all(recordedPaths.map((path) => candidatePaths(path, places)))
    return files.flatMap(({ path, paths, previousPath }) => {
      const isOfFile = (candidate: string) => candidate === previousPath || paths.includes(candidate)
      const pathsOfFile = recordedPaths.filter((_, index) => candidates[index]!.some(isOfFile))
      return recorded.filter((each) => pathsOfFile.includes(each.path)).map((each) => ({ ...each, path }))
    })
  }

  const findIn = async (files: Array<WrittenFile>, earlier: Array<Violation>, budget: TimeBudget) => {
    const pathsOf = new Map(files.map(({ path, paths }) => [path, paths]))
    const read = (path: string) => steps.presentFiles.read(path)
    // Imported only here, because a session that writes no files does not need this code.
    const { linesAfterFormatting } = await import('../steps/lines-after-formatting.ts')
    const { broken: newViolations, unchecked } = await checkStep(
      files,
      (path) => rulesFor(pathsOf.get(path)!),
      linesAfterFormatting,
      { earlier, turn, readPresent: async (path) => (await read(resolve(worktree, path)))?.text ?? null },
      budget,
    )
    const stillThere = await unresolvedIn(earlier, places.real, rules, budget, read)
    const newPositions = new Set(newViolations.map(positionKey))
    const unresolved = stillThere.filter((violation) => !newPositions.has(positionKey(violation)))
    const found: Array<Violation> = []
    for (const file of files) {
      const checksOf = (name: string) => rulesFor(file.paths).find((rule) => rule.name === name)?.checks
      found.push(...await reformattedViolations(earlier, file, checksOf, linesAfterFormatting, budget))
    }
    const known = new Set([...newViolations, ...stillThere].map(positionKey))
    // The unresolved violations whose lines a formatter changed in this step.
    const reformatted = [...groupBy(found, positionKey)].flatMap(([key, [first]]) =>
      known.has(key) ? [] : first!
    )
    return { newViolations, unresolved: [...unresolved, ...reformatted], reformatted, unchecked }
  }

  const reportFindings = async (
    files: Array<WrittenFile>,
    findings: Awaited<ReturnType<typeof findIn>>,
    onDisk: RulesOnDisk,
  ): Promise<void> => {
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
      if (notes.length === 0) continue
      // Unresolved violations are stored again if their file was moved, or if a formatter changed their lines.
      const toStore = [...newViolations, ...previousPath ? unresolved : findings.reformatted.filter(isInFile)]
      await steps.parts.change(part, (stored) => withFindings(stored, notes, toStore, unchecked))
    }
  }

  /** Adds findings to the answers of the last step's calls, and returns the keys of new violations. */
  const checkAndReport = async (history: History, request: RequestInput, budget = new TimeBudget()) => {
    const { onDisk, facts } = request
    rules = checkingRules(request).filter(hasChecks).filter((rule) => meetsConditions(rule, facts))
    ruleFiles = ruleFilesOf(onDisk)
    const isNewTurn = history.at(-1)?.info.role === 'user'
    if (isNewTurn) turn = new Turn()
    const files = await writtenFiles(history, sessionID, input)
    if (files.length === 0) return []
    const recorded = await input.findRecorded(allMarkedParts(history, request))
    const findings = await findIn(files, await violationsOfFiles(files, recorded), budget)
    await reportFindings(files, findings, onDisk)
    return findings.newViolations.map(violationKey)
  }

  const remind = async (
    history: History,
    unresolved: Array<Violation>,
    marked: Array<MessagePart>,
    newKeys: Array<string>,
  ): Promise<void> => {
    const last = history.at(-1)
    const personText = last?.info.role === 'user'
      && last.parts.findLast((part) => part.type === 'text' && !part.synthetic)
    if (!personText || unresolved.length === 0) return
    const mentioned = [...newKeys, ...marked.flatMap(reminderKeysIn)]
    const { violations, keys } = toRemind(unresolved, await input.findRecorded(marked), mentioned)
    if (violations.length === 0) return
    // Without the host's tag for reminders, the text would look like the person's words.
    const text = `<system-reminder>\n${REMINDER}\n${formatViolations(violations)}\n</system-reminder>`
    const metadata = { [REMINDER_KEY]: keys }
    const { id, sessionID, messageID } = personText
    // The host sorts parts by id, so this one comes directly after the person's text.
    const ids = { id: `${id}c`, sessionID, messageID }
    await steps.parts.add(history, { ...ids, metadata, type: 'text', text, synthetic: true })
  }

  return {
    checkAndReport,
    /** Calls `checkAndReport`, then reminds the model of violations from earlier turns. */
    checkAndRemind: async (history: History, request: RequestInput) => {
      const budget = new TimeBudget()
      const newKeys = await checkAndReport(history, request, budget)
      const violations = await input.findUnresolved(history, request, budget)
      await remind(history, violations, allMarkedParts(history, request), newKeys)
      return { violations, uncheckedCount: budget.uncheckedViolations }
    },
    /** Before a call runs, reads its files if a rule checks one of them. */
    beforeCall: async ({ named, files }: StepCall): Promise<void> => {
      const paths = named.map(({ path, real }) => pathOrRealPathInWorktree(path, real, places) ?? '')
      const pathsOfFiles = await Promise.all(paths.map((path) => candidatePaths(path, places)))
      if (!pathsOfFiles.some((ofFile) => rulesFor(ofFile).length > 0)) return
      for (const file of files) await steps.readBefore(file)
    },
  }
}

/** Returns a call's state with the notes in its output, for the model, and the violations in its metadata. */
const withFindings = (
  call: CompletedCall,
  notes: Array<string>,
  violations: Array<Violation>,
  unchecked: Unchecked | undefined,
): CompletedCall['state'] => {
  const before = readCallMark(call.state)
  const { lines = 0, rules = 0 } = before?.unchecked ?? {}
  const metadata = metadataOf(call)
  metadata[METADATA_KEY] = {
    ...Object(metadata[METADATA_KEY]),
    ...(violations.length > 0 && { broken: [...before?.broken ?? [], ...violations] }),
    ...(unchecked && { unchecked: { lines: lines + unchecked.lines, rules: rules + unchecked.rules } }),
  }
  return { ...call.state, output: [call.state.output, ...notes].join('\n\n'), metadata }
}

const positionKey = ({ rule, path, line }: Violation): string => JSON.stringify([rule, path, line])
