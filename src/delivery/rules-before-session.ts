import { basename, resolve } from 'node:path'
import type { HostConfig } from '../host/config.ts'
import type { Options } from '../host/options.ts'
import { type PathOf, type SessionRules, sessionRules } from '../host/panel-schema.ts'
import { contains, type Place } from '../paths/boundary.ts'
import { factsOf } from './conditions.ts'
import { panelOf } from './hidden-content.ts'
import { rulesInRequest } from './rules-in-request.ts'
import { rulesReader, sentByHost } from './rules-on-disk.ts'
import { placesOf } from './touched-files.ts'

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
 * @param option the option `rules`
 * @param config the host's merged config
 */
export const rulesBefore = async (
  place: Place,
  { directories = [], checks }: Exclude<NonNullable<Options['rules']>, false>,
  config: HostConfig,
): Promise<RulesBefore> => {
  const places = await placesOf(place)
  const { worktree } = places.real
  const instructions = await sentByHost(place, config)
  const read = rulesReader(places.real, directories, async () => instructions, undefined, checks)
  const onDisk = { ...await read(true), instructions }
  const facts = await factsOf(undefined, config, onDisk, { worktree })
  const panel = panelOf(onDisk, rulesInRequest(onDisk.rules, NO_FILES, facts), { places, facts, broken: [] })
  const files = [...[...onDisk.rules, ...onDisk.leftOut].map(({ path }) => path), ...instructions]
  const outside = files.filter((path) => !contains(worktree, path))
  return {
    rules: sessionRules(panel),
    missing: onDisk.missing,
    pathOf: ({ path, own }) => own ? outside.find((one) => basename(one) === path) : resolve(worktree, path),
  }
}
