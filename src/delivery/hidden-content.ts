/**
 * Creates the text of a session's hidden message, and the panel that the message stores for the terminal. A session may
 * be shared, so the message contains no text from the person's own rules (files outside the worktree).
 */
import { basename, dirname, relative } from 'node:path'
import type { HostConfig } from '../host/config.ts'
import { fileKey, type NamedFile, type Panel, type PanelRule, readSwitchedOff } from '../host/panel-schema.ts'
import { contains, pathPattern, withSlashes, type Workspace } from '../paths/boundary.ts'
import type { SessionPlaces } from '../paths/path-in-worktree.ts'
import { excerpt, firstLines } from '../text/quoted-name.ts'
import { type Facts, factsOf } from './conditions.ts'
import { type History, lastAgentAndModelOf, type MessagePart } from './history.ts'
import type { Rule } from './rule-files.ts'
import type { RuleFolder } from './rule-folders.ts'
import { firstFaults } from './rule-warnings.ts'
import {
  bytesAlone,
  bytesInRequest,
  formatRules,
  type PlacedRule,
  type RequestInput,
  rulesInRequest,
} from './rules-in-request.ts'
import { allRulesOf, type RulesOnDisk } from './rules-on-disk.ts'
import { TouchedFiles } from './touched-files.ts'
import type { FindUnresolved } from './violations-in-session.ts'

/** Names a file by its path relative to the worktree or its rule folder, or only by its name. */
export const storedFile = (
  { path, folder }: { path: string; folder?: RuleFolder },
  workspace: Workspace,
): NamedFile => {
  if (contains(workspace.worktree, path)) return { path: pathPattern(workspace, path) }
  if (!folder) return { path: basename(path), own: true }
  // `style.md` in the global folder, `folder/style.md` in a folder that `rules.directories` names
  const base = folder.scope === 'global' ? folder.path : dirname(folder.path)
  return { path: withSlashes(relative(base, path)) || basename(path), own: true }
}

export const isOnIn = (parts: Array<MessagePart>, workspace: Workspace): (rule: Rule) => boolean => {
  const off = new Set(readSwitchedOff(parts).map(fileKey))
  return (rule) => !off.has(fileKey(storedFile(rule, workspace)))
}

const quotedList = (texts: Array<string>): Array<string> => firstLines(texts).map(excerpt)

const panelRule = (rule: Rule, bytes: number, workspace: Workspace, facts: Facts): PanelRule => {
  const { name, kind, globs, keywords, description, conditions = [], note } = rule
  const met = conditions.filter(({ holds }) => holds(facts)).map(({ label }) => label)
  const unmet = conditions.filter(({ holds }) => !holds(facts)).map(({ label }) => label)
  return {
    ...storedFile(rule, workspace),
    name,
    kind,
    bytes,
    globs: kind === 'file' && globs ? quotedList(globs) : undefined,
    description: description && excerpt(description),
    keywords: keywords && quotedList(keywords),
    met: met.length > 0 ? met : undefined,
    unmet: unmet.length > 0 ? unmet : undefined,
    note,
  }
}

/** `placed` includes rules that are off. */
export const panelOf = (
  { onDisk: { rules, leftOut, instructions, notRead }, facts, isOn }: RequestInput,
  placed: Array<PlacedRule>,
  { places: { real }, broken, faults }: Pick<Panel, 'broken' | 'faults'> & { places: SessionPlaces },
): Panel => {
  const bytesOf = bytesInRequest(placed.filter(({ rule }) => isOn(rule)))
  // The size of a `file` rule leaves out the rule's share of the introduction. This share changes whenever a rule
  // is added, and each change would be stored.
  const steadyBytesOf = (rule: Rule): number => rule.kind === 'file' ? bytesAlone(rule) : bytesOf(rule)
  return {
    rules: rules.map((rule) => panelRule(rule, steadyBytesOf(rule), real, facts)),
    joined: placed.flatMap(({ rule, cause, isKeyword }) => {
      if (!cause) return []
      // A keyword of the person's own rules is not stored.
      const isOwnWord = isKeyword && storedFile(rule, real).own
      return [{ name: rule.name, file: isOwnWord ? 'a word of yours' : cause, bytes: bytesOf(rule) }]
    }),
    leftOut: firstFaults(leftOut).map((fault) => {
      const { line, reason, isSent, isOffered } = fault
      return { ...storedFile(fault, real), line, reason, isSent, isOffered }
    }),
    broken,
    faults,
    instructions: instructions.map((path) => storedFile({ path }, real)),
    folders: notRead.map((path) => storedFile({ path }, real).path),
  }
}

/** Removes the texts of the person's own rules, which the terminal reads from the disk. */
export const storedPanel = (panel: Panel): Panel => {
  const shared = {
    ...panel,
    rules: panel.rules.map((rule) => {
      const { path, own, name, kind, bytes, unmet } = rule
      // `[]` says that a condition does not hold, but not which condition.
      return own ? { path, own, name, kind, bytes, unmet: unmet && [] } : rule
    }),
    leftOut: panel.leftOut.map((file) => file.own ? { ...file, reason: 'it has a fault' } : file),
  }
  // Removes undefined fields, because the host drops them, and an unchanged panel must equal the panel in the session.
  return JSON.parse(JSON.stringify(shared))
}

type ContentInput = { places: SessionPlaces; config: () => HostConfig; findUnresolved: FindUnresolved }

/** The panel still contains texts of the person's own rules, which `storedPanel` removes. */
export const hiddenContent = async (
  onDisk: RulesOnDisk,
  history: History,
  { places, config, findUnresolved }: ContentInput,
  agentAndModel = lastAgentAndModelOf(history),
): Promise<{ text: string; panel: Panel }> => {
  const facts = await factsOf(agentAndModel, config(), allRulesOf(onDisk), places.real)
  const touched = await new TouchedFiles(places).read(history).resolveLinks()
  const placed = rulesInRequest(onDisk.rules, touched, facts)
  const isOn = isOnIn(history.flatMap(({ parts }) => parts), places.real)
  const request = { onDisk, facts, isOn }
  const broken = await findUnresolved(history, request)
  const projectRules = placed.flatMap(({ rule }) => {
    const { path, own } = storedFile(rule, places.real)
    return own || !isOn(rule) ? [] : [{ ...rule, path }]
  })
  const text = formatRules(projectRules) || 'No rule of the project applies to this session yet.'
  return { text, panel: panelOf(request, placed, { places, broken, faults: [] }) }
}
