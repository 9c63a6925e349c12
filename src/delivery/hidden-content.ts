import { basename } from 'node:path'
import type { HostConfig } from '../host/config.ts'
import { keyOf, type NamedFile, offIn, type Panel, type PanelRule } from '../host/panel-schema.ts'
import { contains, pathPattern, type Place } from '../paths/boundary.ts'
import { agentOf, type EntryPart, type History, lastAgentAndModelOf } from './history.ts'
import type { Rule } from './rule-files.ts'
import {
  bytesInRequest,
  formatRules,
  isFor,
  ownBytes,
  type PlacedRule,
  rulesInRequest,
} from './rules-in-request.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import { type SessionPlaces, TouchedFiles, touchedFiles } from './touched-files.ts'

/** Gives a path as it may be stored: relative to the worktree, or of the person's own file its name alone. */
const storedPath = (path: string, place: Place): NamedFile =>
  contains(place.worktree, path) ? { path: pathPattern(place, path) } : { path: basename(path), own: true }

/** Makes the function that says whether a rule is in force though the parts of a session may switch some off. */
export const isOnIn = (parts: Array<EntryPart>, place: Place): (rule: Rule) => boolean => {
  const off = new Set(offIn(parts).map(keyOf))
  return ({ path }) => !off.has(keyOf(storedPath(path, place)))
}

const panelRule = (rule: Rule, bytes: number, place: Place, agent: string): PanelRule => {
  const { name, path, kind, globs, description, agents, note } = rule
  return {
    ...storedPath(path, place),
    name,
    kind,
    bytes,
    ...(globs ? { globs } : {}),
    ...(description === undefined ? {} : { description }),
    ...(agents && !isFor(rule, agent) ? { agents } : {}),
    ...(note === undefined ? {} : { note }),
  }
}

/** Makes what the panel shows of a session: the rules of its next request, and of those on the disk the others. */
export const panelOf = (
  { rules, leftOut, instructions, folders }: RulesOnDisk,
  placed: Array<PlacedRule>,
  { places: { real }, agent }: { places: SessionPlaces; agent: string },
): Panel => {
  const bytes = bytesInRequest(placed)
  const bytesOf = (rule: Rule): number => bytes.get(rule) ?? ownBytes(rule)
  return {
    // What a rule for files adds stands with the file: all rules are stored again where one of them changes.
    rules: rules.map((rule) =>
      panelRule(rule, rule.kind === 'file' ? ownBytes(rule) : bytesOf(rule), real, agent)
    ),
    joined: placed.flatMap(({ rule, file }) => file ? [{ name: rule.name, file, bytes: bytesOf(rule) }] : []),
    leftOut: leftOut.map(({ path, line, reason }) => ({
      ...storedPath(path, real),
      ...(line === undefined ? {} : { line }),
      reason,
    })),
    instructions: instructions.map((path) => storedPath(path, real)),
    folders: folders.map((path) => storedPath(path, real).path),
  }
}

const NO_RULE = 'No rule of the project applies to this session yet.'

/**
 * Makes what a hidden message holds from a session's whole history: the project's rules in force, and the panel.
 *
 * @param said what the person's newest message was said with
 */
export const hiddenContent = (
  onDisk: RulesOnDisk,
  history: History,
  { places, config }: { places: SessionPlaces; config: () => HostConfig },
  said = lastAgentAndModelOf(history),
) => {
  const agent = agentOf(said, config())
  const touched = new TouchedFiles((entry) => touchedFiles(entry, places)).read(history)
  const placed = rulesInRequest(onDisk.rules, touched, agent)
  const isOn = isOnIn(history.flatMap(({ parts }) => parts), places.real)
  const ofProject = placed.filter(({ rule }) => isOn(rule)).flatMap(({ rule }) => {
    const { path, own } = storedPath(rule.path, places.real)
    return own ? [] : [{ ...rule, path }]
  })
  return { text: formatRules(ofProject) || NO_RULE, panel: panelOf(onDisk, placed, { places, agent }) }
}
