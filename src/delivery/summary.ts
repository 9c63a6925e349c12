import { isStanding } from './rule-changes.ts'
import type { LeftOut } from './rule-walk.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import { fitting, TOO_MANY } from './session-limits.ts'
import { rulesOf, type Told } from './told.ts'
import type { TouchedFiles } from './touched-files.ts'

/** A rule that the session has; `held` says whether its next request has it. */
type InForce = {
  name: string
  path: string
  why: 'always' | 'file'
  file?: string | undefined
  bytes: number
  description?: string | undefined
  held: boolean
}

/** What the panel shows of a session's rules (spec.md, Seen). Paths are absolute; `file` is relative to the worktree. */
export type Summary = {
  /** The paths of the rules in force. */
  rules: Array<string>
  inForce: Array<InForce>
  waiting: Array<{ name: string; path: string; globs: Array<string>; description?: string }>
  offered: Array<{ name: string; path: string; description: string }>
  leftOut: Array<LeftOut>
  instructions: Array<string>
  folders?: Array<string>
}

const described = (description: string | undefined) => (description === undefined ? {} : { description })

/**
 * Makes the summary that the panel shows: what the session was told, and of the rules on the disk what it was not.
 *
 * @param held the paths of the rules that the last request had, or that the next one will have
 * @param touched the files that rules join by
 */
export const summaryOf = (
  told: Told,
  onDisk: RulesOnDisk,
  held: ReadonlySet<string>,
  touched: TouchedFiles,
): Summary => {
  const had = rulesOf(told)
  const inForce = [...had.values()].flatMap((rule): Array<InForce> => {
    const { name, path, why, file, bytes, description } = rule
    if (why === 'offered') return []
    const byFile = file === undefined ? {} : { file }
    return [{ name, path, why, ...byFile, bytes, ...described(description), held: held.has(path) }]
  })
  const others = onDisk.rules.filter(({ path }) => !had.has(path))
  // An applying rule that was not told is too much for the session, or it was added a moment ago and comes next.
  const applying = others.filter((rule) => isStanding(rule) || touched.matchOf(rule) !== undefined)
  const fits = new Set(fitting(applying, had.values()))
  const tooMany = new Set(applying.filter((rule) => !fits.has(rule)))
  return {
    rules: inForce.map(({ path }) => path),
    inForce,
    waiting: others.filter((rule) => rule.kind === 'file' && !tooMany.has(rule))
      .map(({ name, path, globs = [], description }) => ({ name, path, globs, ...described(description) })),
    offered: [...had.values()].filter(({ why }) => why === 'offered')
      .map(({ name, path, description = '' }) => ({ name, path, description })),
    leftOut: [...onDisk.leftOut, ...[...tooMany].map(({ path }) => ({ path, reason: TOO_MANY }))],
    instructions: onDisk.instructions,
    ...(onDisk.folders.length > 0 ? { folders: onDisk.folders } : {}),
  }
}
