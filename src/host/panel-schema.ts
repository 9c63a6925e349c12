/**
 * What the terminal shows of a session, as it is stored in metadata: of its rules in that of its hidden message, of
 * formatting in that of each call. A session can be shared: a path of a rule is relative to the worktree, or one of
 * the person's own to its rule folder.
 */
import * as z from 'zod'
import { markName } from '../text/hidden-characters.ts'
import { METADATA_KEY } from './message-parts.ts'

const Name = z.string().transform(markName)

// Far more than a session takes; a larger number is made up, and has no room in the panel.
const Bytes = z.number().min(0).max(1e9)

/** A file: `own` marks one of the person's own, outside the project. */
const FileShape = { path: z.string(), own: z.literal(true).optional() }

const RuleSchema = z.object({
  ...FileShape,
  name: Name,
  kind: z.enum(['always', 'file', 'offered', 'manual']),
  /** How many bytes it adds to a request, with its heading and its part of the sentence in front. */
  bytes: Bytes,
  globs: z.array(Name).optional(),
  description: Name.optional(),
  /** The words in a person's message for which it joins. */
  keywords: z.array(Name).optional(),
  /** Its conditions, those that hold and those that do not. */
  met: z.array(Name).optional(),
  unmet: z.array(Name).optional(),
  note: Name.optional(),
})

/** What breaks a rule, as `src/checks` says it; paths are relative to the worktree. */
const BrokenSchema = z.object({
  rule: z.string(),
  path: z.string(),
  line: z.number().optional(),
  text: z.string(),
  more: z.number().optional(),
})

const PanelSchema = z.object({
  rules: z.array(RuleSchema),
  /**
   * The files that rules joined for, relative to the worktree, and what each adds since. Not a record: the terminal adds
   * symbols of its own as keys to its objects, which a record takes for names.
   */
  joined: z.array(z.object({ name: Name, file: Name, bytes: Bytes.optional() })),
  leftOut: z.array(
    z.object({
      ...FileShape,
      line: z.number().optional(),
      reason: Name,
      isSent: z.literal(true).optional(),
      isOffered: z.literal(true).optional(),
    }),
  ),
  /** What breaks rules in the files now, where a step of this session wrote it. */
  broken: z.array(BrokenSchema).catch([]),
  /** What of SAT is off in this session or lacks something, and why. */
  faults: z.array(z.object({ what: Name, why: Name })).catch([]),
  /** The host's own instruction files. */
  instructions: z.array(z.object(FileShape)),
  /** Other tools' rule folders that are there and not read. */
  folders: z.array(z.string()),
})

/** What is stored for the panel, field by field. */
export type Panel = z.infer<typeof PanelSchema>
/** A file as it is stored for the panel. */
export type NamedFile = Panel['instructions'][number]
/** What of SAT is off or lacks something, as it is stored for the panel. */
export type PanelFault = Panel['faults'][number]
/** A rule as it is stored for the panel. */
export type PanelRule = Panel['rules'][number]

/**
 * A rule with its state in a session: in force, in force with the next message, switched off, waiting for a file, offered
 * to the model, or not sent; one is `unmet` where its conditions do not hold.
 */
type RuleState = 'inForce' | 'joining' | 'off' | 'waiting' | 'offered' | 'manual' | 'unmet'

/** Gives the absolute path of a file that is stored for the panel; undefined where it is not known. */
export type PathOf = (file: NamedFile) => string | undefined

/** What the terminal shows of a session's rules, by their state; `file` is the one that a rule joined for. */
export type SessionRules =
  & Omit<Panel, 'rules' | 'joined'>
  & Record<RuleState, Array<PanelRule & { file?: string | undefined }>>

const stateOf = ({ kind, unmet }: PanelRule, file: string | undefined): RuleState => {
  if (unmet) return 'unmet'
  if (kind === 'offered' || kind === 'manual') return kind
  return kind === 'always' || file !== undefined ? 'inForce' : 'waiting'
}

/** Identifies a stored file by one text: no path has a NUL character, and a project may have a folder `~`. */
export const fileKey = ({ path, own }: NamedFile): string => own ? `\0${path}` : path

const NO_KEYS: ReadonlySet<string> = new Set()

/** Sorts the rules of a panel by their state; `off` has the keys of those that are switched off, and check nothing. */
export const sessionRules = ({ rules, joined, ...others }: Panel, off = NO_KEYS): SessionRules => {
  const isOff = (file: NamedFile): boolean => off.has(fileKey(file))
  const unchecked = new Set(rules.filter(isOff).map(({ name }) => name))
  const shown: SessionRules = {
    inForce: [],
    joining: [],
    off: [],
    waiting: [],
    offered: [],
    manual: [],
    unmet: [],
    ...others,
    leftOut: others.leftOut.filter((file) => !file.isSent || !isOff(file)),
    broken: others.broken.filter(({ rule }) => !unchecked.has(rule)),
  }
  const files = new Map(joined.map(({ name, ...one }) => [name, one]))
  for (const rule of rules) {
    const { file, bytes = rule.bytes } = files.get(rule.name) ?? {}
    shown[off.has(fileKey(rule)) ? 'off' : stateOf(rule, file)].push({ ...rule, file, bytes })
  }
  return shown
}

const NO_FAULTS = { leftOut: [], broken: [], faults: [] }

/** What is shown where there is nothing. */
export const NO_RULES = sessionRules({ ...NO_FAULTS, rules: [], joined: [], instructions: [], folders: [] })

/** The formatting and the checks after a call; what is invalid, or of another version, is left out. */
const FormatMarkSchema = z.object({
  /** The files that were formatted, and whether the call was corrected. */
  formatted: z.array(z.string()).catch([]),
  corrected: z.boolean().catch(false),
  /** The formatters that failed after this call, and those that failed before and work again. */
  failed: z.array(z.object({ command: Name, why: Name })).catch([]),
  mended: z.array(Name).catch([]),
  /** What broke rules after this call. */
  broken: z.array(BrokenSchema).catch([]),
  /** What was not checked after this call: lines, and rules that require something. */
  unchecked: z.object({ lines: z.number(), rules: z.number() }).optional().catch(undefined),
})

/** What is stored of the formatting and the checks after a call. */
export type FormatMark = z.infer<typeof FormatMarkSchema>

/** Reads what is stored of the formatting and the checks after a call from its state. */
export const markIn = (state: unknown): FormatMark | undefined => {
  const metadata = Object(Object(state).metadata)
  return METADATA_KEY in metadata ? FormatMarkSchema.safeParse(metadata[METADATA_KEY]).data : undefined
}

/** The fields of a part of a message that are read here. */
export type StoredPart = { type?: string; metadata?: unknown }

const dataOf = ({ type, metadata }: StoredPart): unknown =>
  type === 'text' ? Object(metadata)[METADATA_KEY] : undefined

/** Whether a part belongs to the hidden message of a session. */
export const isHiddenPart = (part: StoredPart): boolean => typeof dataOf(part) === 'object'

/** Reads the panel from the parts of a session; a field of a later part replaces that of an earlier one. */
export const panelIn = (parts: Array<StoredPart>): Panel | null =>
  PanelSchema.safeParse(Object.assign({}, ...parts.map(dataOf))).data ?? null

/** The key of the rules that are switched off for a session, in the metadata of a part of its hidden message. */
const OFF_KEY = `${METADATA_KEY}-off`

const OffSchema = z.array(z.object(FileShape)).catch([])

/** Makes the metadata that switches rules off. */
export const offMetadata = (files: Array<NamedFile>) => ({
  [OFF_KEY]: files.map(({ path, own }) => ({ path, ...(own ? { own } : {}) })),
})

/** Finds the part of a session that says which rules are switched off. A fork's has an id of its own. */
export const offPartIn = <Part extends StoredPart>(parts: Array<Part>): Part | undefined =>
  parts.findLast(({ metadata }) => Object(metadata)[OFF_KEY])

/** Reads which rules are switched off from the parts of a session. */
export const offIn = (parts: Array<StoredPart>): Array<NamedFile> =>
  OffSchema.parse(Object(offPartIn(parts)?.metadata)[OFF_KEY])

/**
 * Reads what to show of a session's rules; `null` where nothing is stored, or what is stored is of another version.
 *
 * @param off the keys of the rules that are switched off
 */
export const sessionRulesOf = (
  parts: Array<StoredPart>,
  off: ReadonlySet<string> = new Set(offIn(parts).map(fileKey)),
): SessionRules | null => {
  const panel = panelIn(parts)
  return panel && sessionRules(panel, off)
}
