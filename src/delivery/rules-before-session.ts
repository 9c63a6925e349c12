/** Reads the rules for the terminal, which shows them even before it has a session. */
import { resolve } from 'node:path'
import type { HostConfig } from '../host/config.ts'
import type { Options } from '../host/options.ts'
import { fileKey, groupByState, type PathOf, type SessionRules } from '../host/panel-schema.ts'
import type { Workspace } from '../paths/boundary.ts'
import { placesOf } from '../paths/path-in-worktree.ts'
import { hiddenContent, storedFile } from './hidden-content.ts'
import type { History } from './history.ts'
import type { Rule } from './rule-files.ts'
import { allRulesOf, type RulesOnDisk, rulesReader, sentByHost } from './rules-on-disk.ts'

export type RulesBeforeSession = {
  rules: SessionRules
  /** Groups all rules by their state in the request that follows `history`. */
  rulesAfter: (history: History) => Promise<SessionRules>
  allRules: Array<Rule>
  missing: RulesOnDisk['missing']
  pathOf: PathOf
}

/** Creates the function with which the terminal reads the rules every two seconds. */
export const rulesBeforeSessionReader = async (
  workspace: Workspace,
  { directories = [], checks }: Exclude<NonNullable<Options['rules']>, false>,
  config: HostConfig,
): Promise<(hostFiles: 'fresh' | 'cached') => Promise<RulesBeforeSession>> => {
  const places = await placesOf(workspace)
  const { worktree } = places.real
  let instructions: Array<string> = []
  const read = rulesReader(places.real, directories, async () => instructions, { withPatterns: checks })
  let last: { onDisk: RulesOnDisk; result: RulesBeforeSession } | undefined
  return async (hostFiles) => {
    if (hostFiles === 'fresh') instructions = await sentByHost(workspace, config)
    const onDisk = await read(hostFiles)
    if (last?.onDisk === onDisk) return last.result
    // Without rules, `onDisk.instructions` is empty, even if the host sends instruction files.
    const withInstructions = { ...onDisk, instructions }
    const rulesAfter = async (history: History): Promise<SessionRules> => {
      const input = { places, config: () => config, findUnresolved: async () => [] }
      return groupByState((await hiddenContent(withInstructions, history, input)).panel)
    }
    // For a file outside the worktree (`own`), only a part of the path is stored, so the full path is looked up.
    const files = [...onDisk.rules, ...onDisk.leftOut, ...instructions.map((path) => ({ path }))]
    const pathsByKey = new Map(files.map((file) => [fileKey(storedFile(file, places.real)), file.path]))
    const pathOf: PathOf = (file) => file.own ? pathsByKey.get(fileKey(file)) : resolve(worktree, file.path)
    const { missing } = onDisk
    const result = { rules: await rulesAfter([]), rulesAfter, allRules: allRulesOf(onDisk), missing, pathOf }
    last = { onDisk, result }
    return result
  }
}
