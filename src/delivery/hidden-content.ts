import { basename, relative, sep } from 'node:path'
import type { Panel, PanelRule } from '../host/panel-schema.ts'
import { contains } from '../paths/boundary.ts'
import type { History } from './history.ts'
import type { Rule } from './rule-files.ts'
import { formatRules, inForceOf, isFor, type RulesInRequest, rulesInRequest } from './rules-in-request.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import { type SessionPlaces, TouchedFiles, touchedFiles } from './touched-files.ts'

/** Gives a path as it may be stored: relative to the worktree, or of the person's own file its name alone. */
export const storedPath = (path: string, worktree: string): { path: string; own?: true } =>
  contains(worktree, path)
    ? { path: relative(worktree, path).split(sep).join('/') }
    : { path: basename(path), own: true }

const panelRule = (rule: Rule, worktree: string, agent: string): PanelRule => {
  const { name, path, kind, globs, description, agents, note, body } = rule
  return {
    ...storedPath(path, worktree),
    name,
    kind: kind === 'manual' ? 'offered' : kind,
    bytes: Buffer.byteLength(kind === 'offered' ? description ?? '' : body),
    ...(globs ? { globs } : {}),
    ...(description === undefined ? {} : { description }),
    ...(agents && !isFor(rule, agent) ? { agents } : {}),
    ...(note === undefined ? {} : { note }),
  }
}

/** Makes what the panel shows of a session: the rules of its next request, and of those on the disk the others. */
export const panelOf = (
  { rules, leftOut, instructions, folders }: RulesOnDisk,
  placed: RulesInRequest,
  { worktree, agent }: { worktree: string; agent: string },
): Panel => ({
  rules: rules.filter(({ kind }) => kind !== 'manual').map((rule) => panelRule(rule, worktree, agent)),
  joined: inForceOf(placed).flatMap(({ rule, file }) => file ? [{ name: rule.name, file }] : []),
  leftOut: leftOut.map(({ path, line, reason }) => ({
    ...storedPath(path, worktree),
    ...(line === undefined ? {} : { line }),
    reason,
  })),
  instructions: instructions.map((path) => storedPath(path, worktree)),
  folders: folders.map((path) => storedPath(path, worktree).path),
})

const NO_RULE = 'No rule of the project applies to this session yet.'

/** What a hidden message holds: the project's rules in force, and what the panel shows. */
export type HiddenContent = { text: string; panel: Panel }

/** Makes the hidden message of a session from its whole history. */
export const hiddenContent = (
  onDisk: RulesOnDisk,
  history: History,
  { places, agent }: { places: SessionPlaces; agent: string },
): HiddenContent => {
  const { worktree } = places.real
  const touched = new TouchedFiles((entry) => touchedFiles(entry, places)).read(history)
  const placed = rulesInRequest(onDisk.rules, touched, agent)
  const stored = (rule: Rule) => storedPath(rule.path, worktree)
  const ofProject = inForceOf(placed).flatMap(({ rule }) => stored(rule).own ? [] : [rule])
  const text = formatRules(ofProject, (rule) => stored(rule).path)
  return { text: text || NO_RULE, panel: panelOf(onDisk, placed, { worktree, agent }) }
}
