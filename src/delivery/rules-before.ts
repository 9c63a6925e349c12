import { basename, join } from 'node:path'
import { findInstructions } from '../discover.ts'
import { hostViewOf } from '../host/instruction-files.ts'
import { type SessionRules, sessionRules } from '../host/session-rules.ts'
import { contains, type Place, projectRoot } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { configFolder } from '../paths/user-folders.ts'
import { panelOf } from './panel.ts'
import { RuleWarnings } from './rule-warnings.ts'
import { RulesReader } from './rules-on-disk.ts'

/** The rules as they are on the disk, and the absolute path of each file that they name. */
export type RulesBefore = {
  rules: SessionRules
  pathOf: (file: { path: string; own?: true | undefined }) => string | undefined
}

/** Reads the rules that a session's first message would send now; `inForce` are those that it would hold at once. */
export const rulesBefore = async (
  { directory, worktree, directories = [] }: Place & { directories?: Array<string> | undefined },
): Promise<RulesBefore> => {
  const root = projectRoot({ directory, worktree })
  const place = { directory, worktree: root }
  const instructions = (await findInstructions(directory, hostViewOf({ worktree }, undefined))).paths
  const reader = new RulesReader({
    place,
    directories,
    roots: await Promise.all([root, directory, configFolder()].map(realPathOr)),
    warnings: new RuleWarnings({ place, log: () => {}, toast: () => {} }),
    debug: () => {},
    instructions: async () => instructions,
  })
  const onDisk = { ...await reader.read(true), instructions }
  const panel = panelOf(onDisk, { front: [], joining: new Map() }, { worktree: root, agent: 'build' })
  const paths = [...instructions, ...[...onDisk.rules, ...onDisk.leftOut].map(({ path }) => path)]
  return {
    rules: sessionRules(panel),
    pathOf: ({ path, own }) =>
      own ? paths.find((one) => basename(one) === path && !contains(root, one)) : join(root, path),
  }
}
