/** Warns the person of faulty rule files and missing rule folders. */
import { relative } from 'node:path'
import type { Log } from '../host/log.ts'
import { readEntries } from '../host/plugin-entries.ts'
import type { Toast } from '../host/toast.ts'
import { contains, type Workspace } from '../paths/boundary.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { firstRows, safeName } from '../text/quoted-name.ts'
import type { RuleFault } from './rule-walk.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'

/** Returns at most ten faults. If there are more, an added fault says how many: `and 3 more faults`. */
export const firstFaults = (faults: Array<RuleFault>): Array<RuleFault> => {
  const { rows, more } = firstRows(faults)
  const folder = faults[rows.length]?.folder
  if (!folder) return rows
  return [...rows, { folder, path: folder.path, reason: `and ${pluralize(more, 'more fault')}` }]
}

type ReportInput = { workspace: Workspace; log: Log; toast: Toast; debug: (line: string) => void }

const consequenceOf = ({ isSent, isOffered }: RuleFault): string =>
  isSent ? 'Not checked:' : isOffered ? 'Only offered:' : 'Left out the rule file'

export const rulesReporter = ({ workspace: { directory, worktree }, log, toast, debug }: ReportInput) => {
  const reported = new Set<string>()
  const reportOnce = (line: string, report: (line: string) => void): void => {
    if (!reported.has(line)) report(markName(line))
    reported.add(line)
  }
  const warn = (logged: string, shown: string): void =>
    reportOnce(logged, (line) => {
      log('warn', line)
      toast(line, markName(shown))
    })
  let entriesOfSat: ReturnType<typeof readEntries> | undefined
  // Warns only if a config of the project loads SAT. The global config may name folders that only some projects have.
  const warnOfMissing = async (missing: Array<string>): Promise<void> => {
    if (!(await (entriesOfSat ??= readEntries({ directory, worktree }))).isProjectEntry) return
    for (const entry of missing) {
      const advice = /\.mdc?$/i.test(entry) ? '; name the folder of the file' : ''
      const words = `rules.directories: there is no folder ${safeName(entry)}${advice}`
      warn(words, words)
    }
  }
  return ({ rules, leftOut, missing, notRead }: RulesOnDisk): void => {
    for (const { folder, file } of rules) reportOnce(`Discovered ${folder.scope} rule: ${file}`, debug)
    for (const fault of firstFaults(leftOut)) {
      const { path, line, reason } = fault
      const position = line === undefined ? '' : `:${line}`
      const warning = (name: string): string => `${consequenceOf(fault)} ${name}${position}: ${reason}`
      const shownPath = contains(worktree, path) ? relative(worktree, path) : path
      warn(warning(path), warning(safeName(shownPath)))
    }
    if (missing.length > 0) void warnOfMissing(missing)
    for (const path of notRead) {
      reportOnce(`Not read, because rules.directories does not name it: ${path}`, debug)
    }
  }
}
