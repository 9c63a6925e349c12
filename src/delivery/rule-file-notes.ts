/** What the model is told about a rule file that it wrote: its faults, or what it checks. */
import { resolve } from 'node:path'
import { reportRule } from './rule-report.ts'
import { ruleFilesOf, type RulesOnDisk } from './rules-on-disk.ts'

const faultNote = (path: string, fault: RulesOnDisk['leftOut'][number]): string => {
  const { line, reason, isSent, isOffered } = fault
  const use = isSent
    ? 'its words are sent, but nothing is checked'
    : isOffered
    ? 'it is only offered by its description'
    : 'it is not used'
  const at = line ? ` on line ${line}` : ''
  const why = reason.replace(/[^?]$/, '$&.')
  return `The rule file ${path} has a fault${at}: ${why} Fix it; until then ${use}.`
}

/** Returns the notes on a file that a step wrote: the faults of a rule file, or what it checks. None for any other file. */
export const ruleFileNotes = async (
  name: string,
  onDisk: RulesOnDisk,
  worktree: string,
): Promise<Array<string>> => {
  const { rules, checkOnly, leftOut } = onDisk
  const isSameFile = (file: { path: string }) => file.path === resolve(worktree, name)
  const faults = leftOut.filter(isSameFile).map((fault) => faultNote(name, fault))
  const rule = [...rules, ...checkOnly].find(isSameFile)
  if (!rule?.checks) return faults
  const ruleFiles = ruleFilesOf(onDisk)
  const report = await reportRule({ ...rule, checks: rule.checks }, worktree, (file) => ruleFiles.has(file))
  return [...faults, report]
}
