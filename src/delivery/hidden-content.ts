import { basename, dirname, relative } from 'node:path'
import type { Broken } from '../checks/marks.ts'
import type { HostConfig } from '../host/config.ts'
import {
  fileKey,
  type NamedFile,
  type Panel,
  type PanelFault,
  type PanelRule,
  readSwitchedOff,
} from '../host/panel-schema.ts'
import { contains, pathPattern, withSlashes, type Workspace } from '../paths/boundary.ts'
import { excerpt, firstLines } from '../text/quoted-name.ts'
import { type BrokenNow, markedParts } from './broken-rules.ts'
import { type Facts, factsOf } from './conditions.ts'
import { type EntryPart, type History, lastAgentAndModelOf } from './history.ts'
import type { Rule } from './rule-files.ts'
import type { RuleFolder } from './rule-folders.ts'
import { firstFaults } from './rule-warnings.ts'
import { bytesInRequest, formatRules, ownBytes, type PlacedRule, rulesInRequest } from './rules-in-request.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'
import { realNameOf, reasonsIn, type SessionPlaces, TouchedFiles } from './touched-files.ts'

/**
 * Names a file as it may be stored: from the worktree, or one of the person's own from its rule folder, with the name of a
 * folder that the option names.
 */
export const storedFile = (
  { path, folder }: { path: string; folder?: RuleFolder },
  place: Workspace,
): NamedFile => {
  if (contains(place.worktree, path)) return { path: pathPattern(place, path) }
  if (!folder) return { path: basename(path), own: true }
  const from = folder.scope === 'global' ? folder.path : dirname(folder.path)
  return { path: withSlashes(relative(from, path)) || basename(path), own: true }
}

/** Makes the function that says whether a rule is on: the parts of a session may switch some off. */
export const isOnIn = (parts: Array<EntryPart>, place: Workspace): (rule: Rule) => boolean => {
  const off = new Set(readSwitchedOff(parts).map(fileKey))
  return (rule) => !off.has(fileKey(storedFile(rule, place)))
}

const quotedList = (texts: Array<string>): Array<string> => firstLines(texts).map(excerpt)

const panelRule = (rule: Rule, bytes: number, place: Workspace, facts: Facts): PanelRule => {
  const { name, kind, globs, keywords, description, conditions = [], note } = rule
  const [met, unmet] = [true, false].map((holds) =>
    conditions.filter((one) => one.holds(facts) === holds).map(({ words }) => words)
  )
  return {
    ...storedFile(rule, place),
    name,
    kind,
    bytes,
    ...(globs && kind === 'file' ? { globs: quotedList(globs) } : {}),
    ...(description === undefined ? {} : { description: excerpt(description) }),
    ...(keywords ? { keywords: quotedList(keywords) } : {}),
    ...(met?.length ? { met } : {}),
    ...(unmet?.length ? { unmet } : {}),
    ...(note === undefined ? {} : { note }),
  }
}

// A keyword of the person's own rule is not stored, though a message may have it.
const SOME_WORD = 'a word of yours'

type PanelInput = {
  places: SessionPlaces
  facts: Facts
  broken: Array<Broken>
  isOn: (rule: Rule) => boolean
  faults?: Array<PanelFault>
}

/** Makes what the panel shows of a session: the rules of its next request, and of those on the disk the others. */
export const panelOf = (
  { rules, leftOut, instructions, folders }: RulesOnDisk,
  placed: Array<PlacedRule>,
  { places: { real }, facts, broken, isOn, faults = [] }: PanelInput,
): Panel => {
  const bytes = bytesInRequest(placed.filter(({ rule }) => isOn(rule)))
  const bytesOf = (rule: Rule): number => bytes.get(rule) ?? ownBytes(rule)
  return {
    // What a rule for files adds stands with the file: all rules are stored again where one of them changes.
    rules: rules.map((rule) =>
      panelRule(rule, rule.kind === 'file' ? ownBytes(rule) : bytesOf(rule), real, facts)
    ),
    joined: placed.flatMap(({ rule, file }) => {
      const isOwnWord = file && rule.keywords?.includes(file) && storedFile(rule, real).own
      return file ? [{ name: rule.name, file: isOwnWord ? SOME_WORD : file, bytes: bytesOf(rule) }] : []
    }),
    leftOut: firstFaults(leftOut).map(({ line, reason, isSent, isOffered, ...file }) => ({
      ...storedFile(file, real),
      ...(line === undefined ? {} : { line }),
      reason,
      ...(isSent ? { isSent } : {}),
      ...(isOffered ? { isOffered } : {}),
    })),
    broken,
    faults,
    instructions: instructions.map((path) => storedFile({ path }, real)),
    folders: folders.map((path) => storedFile({ path }, real).path),
  }
}

const SOME_FAULT = 'it has a fault'

/**
 * Gives a panel as a session may store it, which can be shared: of the person's own files with their names, kinds and sizes,
 * and none of their words. The terminal reads these itself.
 */
export const withoutOwnWords = (panel: Panel): Panel => ({
  ...panel,
  rules: panel.rules.map((rule) => {
    const { path, name, kind, bytes, unmet } = rule
    return rule.own ? { path, own: true, name, kind, bytes, ...(unmet ? { unmet: [] } : {}) } : rule
  }),
  leftOut: panel.leftOut.map((file) => file.own ? { ...file, reason: SOME_FAULT } : file),
})

type ContentInput = { places: SessionPlaces; config: () => HostConfig; brokenNow: BrokenNow }

/** Makes the panel of a session from its whole history, and gives the rules that its next request has. */
export const panelAfter = async (
  onDisk: RulesOnDisk,
  history: History,
  { places, config, brokenNow }: ContentInput,
  said = lastAgentAndModelOf(history),
) => {
  const facts = await factsOf(said, config(), onDisk, places.real)
  const touched = await new TouchedFiles((entry) => reasonsIn(entry, places)).read(history)
    .follow((name) => realNameOf(name, places))
  const placed = rulesInRequest(onDisk.rules, touched, facts)
  const isOn = isOnIn(history.flatMap(({ parts }) => parts), places.real)
  const broken = await brokenNow(markedParts(history), [...onDisk.rules.filter(isOn), ...onDisk.checking])
  const panel = panelOf(onDisk, placed, { places, facts, broken, isOn })
  return { panel, rules: placed.map(({ rule }) => rule).filter(isOn) }
}

const NO_RULE = 'No rule of the project applies to this session yet.'

/**
 * Makes what a hidden message holds from a session's whole history: the project's rules in force, and the panel.
 *
 * @param said what the person's newest message was said with
 */
export const hiddenContent = async (
  onDisk: RulesOnDisk,
  history: History,
  input: ContentInput,
  said = lastAgentAndModelOf(history),
) => {
  const { panel, rules } = await panelAfter(onDisk, history, input, said)
  const ofProject = rules.flatMap((rule) => {
    const { path, own } = storedFile(rule, input.places.real)
    return own ? [] : [{ ...rule, path }]
  })
  return { text: formatRules(ofProject) || NO_RULE, panel: withoutOwnWords(panel) }
}
