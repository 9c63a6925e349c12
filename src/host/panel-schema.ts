/** Defines and reads the data that SAT stores in a session for the terminal, not for the model. */
import * as z from 'zod'
import { markName } from '../text/hidden-characters.ts'
import { METADATA_KEY } from './message-parts.ts'

const VisibleText = z.string().transform(markName)

// A larger number would not fit into the sidebar.
const Bytes = z.number().min(0).max(1e9)

/** `path` is never absolute, because a session may be shared. `own` is set for a file outside the worktree. */
const FileShape = { path: z.string(), own: z.literal(true).optional() }

const RuleSchema = z.object({
  ...FileShape,
  name: VisibleText,
  /** When the rule is sent: `file` after a matching file or keyword, `offered` as a description, `manual` never. */
  kind: z.enum(['always', 'file', 'offered', 'manual']),
  /** The size of the rule and, except for the kind `file`, its share of the text that introduces the rules. */
  bytes: Bytes,
  globs: z.array(VisibleText).optional(),
  description: VisibleText.optional(),
  keywords: z.array(VisibleText).optional(),
  /** The rule's conditions that hold. They are not stored for the person's own rules. */
  met: z.array(VisibleText).optional(),
  /** The conditions that do not hold, if any. For the person's own rules, `[]` is stored instead of their texts. */
  unmet: z.array(VisibleText).optional(),
  note: VisibleText.optional(),
})

/** A rule of the kind `file`, and the file or keyword that brought it into the session. */
const JoinSchema = z.object({
  name: VisibleText,
  file: VisibleText,
  /** Replaces the rule's `bytes`, and includes its share, if any, of the sentence that introduces the rules. */
  bytes: Bytes.optional(),
})

/** A rule file that is not used, or only in part. */
const LeftOutSchema = z.object({
  ...FileShape,
  line: z.number().optional(),
  reason: VisibleText,
  /** Set if the rule is sent, but the agent's lines are not checked against it. */
  isSent: z.literal(true).optional(),
  isOffered: z.literal(true).optional(),
})

/** The type `Violation` of `src/checks/violations.ts`. */
const BrokenSchema = z.object({
  rule: z.string(),
  path: z.string(),
  line: z.number().optional(),
  text: z.string(),
  more: z.number().optional(),
  tolerated: z.number().optional(),
})

const PanelSchema = z.object({
  rules: z.array(RuleSchema),
  /** An array, because `z.record` rejects the symbol keys that the terminal adds to objects. */
  joined: z.array(JoinSchema),
  leftOut: z.array(LeftOutSchema),
  /** Violations in files that this session wrote, as of its last request. */
  broken: z.array(BrokenSchema).catch([]),
  faults: z.array(z.object({ feature: VisibleText, reason: VisibleText })).catch([]),
  instructions: z.array(z.object(FileShape)),
  /** Existing folders and files with rules of other tools, which SAT does not read. */
  folders: z.array(z.string()),
})

export type Panel = z.infer<typeof PanelSchema>
export type NamedFile = Panel['instructions'][number]
export type PanelFault = Panel['faults'][number]
export type PanelRule = Panel['rules'][number]

/** Returns the absolute path of a stored file, or undefined if it is unknown. */
export type PathOf = (file: NamedFile) => string | undefined

/** Begins with NUL for the person's own files, so that the key never equals the path of a project's file. */
export const fileKey = ({ path, own }: NamedFile): string => own ? `\0${path}` : path

/** SAT's data in a tool call. An invalid field, perhaps from another version of SAT, counts as missing. */
const CallMarkSchema = z.object({
  formatted: z.array(z.string()).catch([]),
  /** Whether the arguments of the call were corrected to the formatted text. */
  corrected: z.boolean().catch(false),
  failed: z.array(z.object({ command: VisibleText, why: VisibleText })).catch([]),
  /** The format commands that failed before this call and now work again. */
  mended: z.array(VisibleText).catch([]),
  broken: z.array(BrokenSchema).catch([]),
  /** How many lines, and how many rules with a `require` pattern, were not checked after this call. */
  unchecked: z.object({ lines: z.number(), rules: z.number() }).optional().catch(undefined),
})

export type CallMark = z.infer<typeof CallMarkSchema>

/** Returns undefined if the call has no data of SAT, or data that is not an object. */
export const readCallMark = (state: unknown): CallMark | undefined => {
  const metadata = Object(Object(state).metadata)
  return METADATA_KEY in metadata ? CallMarkSchema.safeParse(metadata[METADATA_KEY]).data : undefined
}

export const RULE_STATES = [
  'inForce',
  'joining', // new on the disk: in force or offered from the next message on
  'off',
  'waiting',
  'offered',
  'manual',
  'unmet',
] as const

export type RuleState = (typeof RULE_STATES)[number]

export type SessionRule = PanelRule & { file?: string | undefined }

type RulesByState = Record<RuleState, Array<SessionRule>>
export type SessionRules = Omit<Panel, 'rules' | 'joined'> & RulesByState

/** Never returns `joining`, which the terminal sets when it compares the session's rules with the disk. */
const stateOf = ({ kind, unmet }: PanelRule, file: string | undefined): RuleState => {
  if (unmet) return 'unmet'
  if (kind === 'offered' || kind === 'manual') return kind
  return kind === 'always' || file !== undefined ? 'inForce' : 'waiting'
}

/** `off` contains the `fileKey` of each rule that is switched off. */
export const groupByState = (panel: Panel, off: ReadonlySet<string> = new Set()): SessionRules => {
  const { rules, joined, leftOut, broken, ...rest } = panel
  const isOff = (file: NamedFile): boolean => off.has(fileKey(file))
  const offNames = new Set(rules.filter(isOff).map(({ name }) => name))
  const joinsByName = new Map(joined.map((join) => [join.name, join]))
  const byState: RulesByState = Object.assign({}, ...RULE_STATES.map((state) => ({ [state]: [] })))
  for (const rule of rules) {
    const { file, bytes = rule.bytes } = joinsByName.get(rule.name) ?? {}
    const state = isOff(rule) ? 'off' : stateOf(rule, file)
    byState[state].push({ ...rule, file, bytes })
  }
  return {
    ...byState,
    ...rest,
    leftOut: leftOut.filter((fault) => !(fault.isSent && isOff(fault))),
    broken: broken.filter(({ rule }) => !offNames.has(rule)),
  }
}

export const NO_RULES = groupByState(
  { rules: [], joined: [], leftOut: [], broken: [], faults: [], instructions: [], folders: [] },
)

export type StoredPart = { type?: string; metadata?: unknown }

const dataOf = ({ type, metadata }: StoredPart): unknown =>
  type === 'text' ? Object(metadata)[METADATA_KEY] : undefined

/** Whether a part stores the panel, or some of its fields. */
export const isHiddenPart = (part: StoredPart): boolean => typeof dataOf(part) === 'object'

/** Reads each field from the last part that has it, and returns null if the panel is invalid. */
export const readPanel = (parts: Array<StoredPart>): Panel | null =>
  PanelSchema.safeParse(Object.assign({}, ...parts.map(dataOf))).data ?? null

const OFF_KEY = `${METADATA_KEY}-off`
const OffSchema = z.array(z.object(FileShape)).catch([])

/** Creates the metadata that switches the rules in these files off, and all other rules on. */
export const offMetadata = (files: Array<NamedFile>) => ({ [OFF_KEY]: OffSchema.parse(files) })

/** Searches by key instead of id, because a forked session gives each part a new id. */
export const findOffPart = <Part extends StoredPart>(parts: Array<Part>): Part | undefined =>
  parts.findLast(({ metadata }) => Object(metadata)[OFF_KEY])

export const readSwitchedOff = (parts: Array<StoredPart>): Array<NamedFile> =>
  OffSchema.parse(Object(findOffPart(parts)?.metadata)[OFF_KEY])

/** Returns null if the session stores no valid panel. */
export const readSessionRules = (
  parts: Array<StoredPart>,
  off: ReadonlySet<string> = new Set(readSwitchedOff(parts).map(fileKey)),
): SessionRules | null => {
  const panel = readPanel(parts)
  return panel && groupByState(panel, off)
}
