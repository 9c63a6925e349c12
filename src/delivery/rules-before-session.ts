import { resolve } from 'node:path'
import type { HostConfig } from '../host/config.ts'
import type { Options } from '../host/options.ts'
import { fileKey, type PathOf, type SessionRules, sessionRules } from '../host/panel-schema.ts'
import type { Workspace } from '../paths/boundary.ts'
import { panelAfter, storedFile } from './hidden-content.ts'
import type { History } from './history.ts'
import type { Rule } from './rule-files.ts'
import { type RulesOnDisk, rulesReader, sentByHost } from './rules-on-disk.ts'
import { placesOf } from './touched-files.ts'

/** The rules as they are on the disk, the entries of `rules.directories` that lead to no folder, and where files are. */
export type RulesBefore = {
  rules: SessionRules
  /** Gives the rules that a session with a history would be sent now. */
  rulesIn?: (history: History) => Promise<SessionRules>
  /** The same as they were read, with what they check. */
  found?: Array<Rule>
  missing: Array<string>
  pathOf: PathOf
}

/**
 * Makes the function that reads the rules that a session's first message would hold now, without a warning; the same
 * object as before where nothing changed, since the terminal asks every two seconds.
 *
 * @param option the option `rules`
 * @param config the host's merged config
 */
export const readerOfRulesBefore = async (
  place: Workspace,
  { directories = [], checks }: Exclude<NonNullable<Options['rules']>, false>,
  config: HostConfig,
): Promise<(isFresh: boolean) => Promise<RulesBefore>> => {
  const places = await placesOf(place)
  const { worktree } = places.real
  let instructions: Array<string> = []
  const read = rulesReader(places.real, directories, async () => instructions, undefined, checks)
  let last: { found: RulesOnDisk; before: RulesBefore } | undefined
  return async (isFresh) => {
    if (isFresh) instructions = await sentByHost(place, config)
    const found = await read(isFresh)
    if (last?.found === found) return last.before
    const onDisk = { ...found, instructions }
    const rulesIn = async (history: History): Promise<SessionRules> => {
      const input = { places, config: () => config, brokenNow: async () => [] }
      return sessionRules((await panelAfter(onDisk, history, input)).panel)
    }
    const files = [...onDisk.rules, ...onDisk.leftOut, ...instructions.map((path) => ({ path }))]
    const paths = new Map(files.map((file) => [fileKey(storedFile(file, places.real)), file.path]))
    const pathOf: PathOf = (file) => file.own ? paths.get(fileKey(file)) : resolve(worktree, file.path)
    last = {
      found,
      before: {
        rules: await rulesIn([]),
        rulesIn,
        found: [...onDisk.rules, ...onDisk.checking],
        missing: onDisk.missing,
        pathOf,
      },
    }
    return last.before
  }
}
