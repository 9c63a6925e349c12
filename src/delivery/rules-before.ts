import { basename, resolve } from 'node:path'
import { findInstructions } from '../discover.ts'
import type { HostConfig } from '../host/config.ts'
import { hostViewOf } from '../host/instruction-files.ts'
import { type PathOf, type SessionRules, sessionRules } from '../host/panel-schema.ts'
import { contains, type Place, projectRoot } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { panelOf } from './hidden-content.ts'
import { rulesInRequest } from './rules-in-request.ts'
import { rulesReader } from './rules-on-disk.ts'

const NO_FILES = { firstFor: () => undefined }

/** The rules as they are on the disk, the entries of `rules.directories` that lead to no folder, and where files are. */
export type RulesBefore = {
  rules: SessionRules
  missing: Array<string>
  pathOf: PathOf
}

/**
 * Reads the rules that a session's first message would hold now, without a warning.
 *
 * @param directories the option `rules.directories`
 * @param config the host's merged config
 */
export const rulesBefore = async (
  given: Place,
  directories: Array<string>,
  config: HostConfig,
): Promise<RulesBefore> => {
  const [directory, worktree] = await Promise.all([
    realPathOr(given.directory),
    realPathOr(projectRoot(given)),
  ])
  const instructions = (await findInstructions(directory, hostViewOf({ worktree }, config))).paths
  const read = rulesReader({ directory, worktree }, directories, async () => instructions)
  const onDisk = { ...await read(true), instructions }
  const agent = 'build'
  const panel = panelOf(onDisk, rulesInRequest(onDisk.rules, NO_FILES, agent), { worktree, agent })
  const files = [...[...onDisk.rules, ...onDisk.leftOut].map(({ path }) => path), ...instructions]
  const outside = files.filter((path) => !contains(worktree, path))
  return {
    rules: sessionRules(panel),
    missing: onDisk.missing,
    pathOf: ({ path, own }) => own ? outside.find((one) => basename(one) === path) : resolve(worktree, path),
  }
}
