import { relative } from 'node:path'
import type { Log } from '../host/log.ts'
import { isSetByProject } from '../host/plugin-entries.ts'
import type { Toast } from '../host/toast.ts'
import { contains, type Workspace } from '../paths/boundary.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { firstRows, safeName } from '../text/quoted-name.ts'
import type { LeftOut } from './rule-walk.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'

/** Gives the first ten of some faults, and one that counts the others, at the folder of the first of them. */
export const firstFaults = (faults: Array<LeftOut>): Array<LeftOut> => {
  const { rows, more } = firstRows(faults)
  const next = faults[rows.length]
  if (!next) return rows
  return [...rows, {
    folder: next.folder,
    path: next.folder.path,
    reason: `and ${pluralize(more, 'more fault')}`,
  }]
}

type ReportInput = { place: Workspace; log: Log; toast: Toast; debug: (line: string) => void }

/**
 * Makes the function that reports what was found on the disk, each thing once: faults as a toast and with their detail
 * in the log, the rest in the debug log.
 */
export const reporter = ({ place: { directory, worktree }, log, toast, debug }: ReportInput) => {
  const reported = new Set<string>()
  const once = (line: string, report: (line: string) => void): void => {
    if (!reported.has(line)) report(markName(line))
    reported.add(line)
  }
  const warn = (logged: string, shown: string): void =>
    once(logged, (line) => {
      log('warn', line)
      toast(line, markName(shown))
    })
  // What the person names for all projects need not be in each.
  let isOwn: Promise<boolean> | undefined
  const warnOfMissing = async (missing: Array<string>): Promise<void> => {
    if (!await (isOwn ??= isSetByProject({ directory, worktree }))) return
    for (const entry of missing) {
      const words = `rules.directories: there is no folder ${safeName(entry)}`
      warn(words, words)
    }
  }
  return ({ rules, leftOut, missing, folders }: RulesOnDisk): void => {
    for (const { folder, file } of rules) once(`Discovered ${folder.scope} rule: ${file}`, debug)
    for (const { path, line, reason, isSent, isOffered } of firstFaults(leftOut)) {
      const at = line === undefined ? '' : `:${line}`
      const short = contains(worktree, path) ? relative(worktree, path) : path
      const words = (name: string): string =>
        isSent
          ? `Not checked: ${name}${at}: ${reason}`
          : isOffered
          ? `Only offered: ${name}${at}: ${reason}`
          : `Left out the rule file ${name}${at}: ${reason}`
      warn(words(path), words(safeName(short)))
    }
    if (missing.length > 0) void warnOfMissing(missing)
    for (const path of folders) once(`Not read, for rules.directories does not name it: ${path}`, debug)
  }
}
