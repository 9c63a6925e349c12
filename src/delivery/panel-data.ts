import { basename, relative, sep } from 'node:path'
import type { Panel, PanelRule } from '../host/panel-schema.ts'
import { contains } from '../paths/boundary.ts'
import type { Rule } from './rule-files.ts'
import { inForceOf, isFor, type RulesInRequest } from './rules-in-request.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'

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
  joined: inForceOf(placed).flatMap((
    { rule: { name }, file },
  ) => (file === undefined ? [] : [{ name, file }])),
  leftOut: leftOut.map(({ path, line, reason }) => ({
    ...storedPath(path, worktree),
    ...(line === undefined ? {} : { line }),
    reason,
  })),
  instructions: instructions.map((path) => storedPath(path, worktree)),
  folders: folders.map((path) => storedPath(path, worktree).path),
})
