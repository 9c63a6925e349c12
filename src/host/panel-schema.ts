/**
 * Defines and reads the data that SAT stores in a session for the terminal, not for the model: the rules and their
 * faults (`Panel`, in SAT's hidden message), the results of formatting and checks (`CallMark`, in the call), and the
 * switched-off rules. A session may be shared, so paths are relative to the worktree or the person's folder.
 */
import * as z from 'zod'
import { markName } from '../text/hidden-characters.ts'
import { METADATA_KEY } from './message-parts.ts'

/** A text for the screen, with its hidden characters made visible. */
const VisibleText = z.string().transform(markName)

// The limit is far more than a session needs. A larger number is invalid: it would not fit into the sidebar.
const Bytes = z.number().min(0).max(1e9)

/** `path` is relative to the worktree or, for the person's `own` file, to a folder which is not stored. */
const FileShape = { path: z.string(), own: z.literal(true).optional() }

const RuleSchema = z.object({
  ...FileShape,
  name: VisibleText,
  /**
   * `always`: the rule is sent; `file`: it is sent after a matching file or keyword came up; `offered`: only its
   * description is sent; `manual`: nothing is sent.
   */
  kind: z.enum(['always', 'file', 'offered', 'manual']),
  /** The rule's bytes in a request. Except for the kind `file`, they include a share of the rules' introduction. */
  bytes: Bytes,
  globs: z.array(VisibleText).optional(),
  description: VisibleText.optional(),
  keywords: z.array(VisibleText).optional(),
  /** The conditions of the rule that hold now; not stored for the person's own rules. */
  met: z.array(VisibleText).optional(),
  /** The conditions that do not hold; missing if all hold. In the person's own rules, `[]` replaces the conditions. */
  unmet: z.array(VisibleText).optional(),
  /** Something that the person may want to fix. */
  note: VisibleText.optional(),
})

/** A rule of the kind `file` that is in the session now. `file` is the file or keyword that brought it in. */
const JoinSchema = z.object({
  name: VisibleText,
  file: VisibleText,
  /** How many bytes the rule adds to each later request. Replaces the `bytes` of `RuleSchema`. */
  bytes: Bytes.optional(),
})

/** A rule file that is not used, or only in part. */
const LeftOutSchema = z.object({
  ...FileShape,
  line: z.number().optional(),
  reason: VisibleText,
  /** Set if the rule is sent, but not checked. */
  isSent: z.literal(true).optional(),
  /** Set if the rule is only offered: the model sees its description and may read the file. */
  isOffered: z.literal(true).optional(),
})

/** A violation of a rule: the type `Violation` of `src/checks/violations.ts`. */
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
  /** A list, not a record by name: the terminal adds symbol keys to objects, and a record would read them as names. */
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

/** Returns the absolute path of a stored file; undefined if it is unknown. */
export type PathOf = (file: NamedFile) => string | undefined

/** Returns a key for a stored file. The key of the person's own file begins with NUL, which no path contains. */
export const fileKey = ({ path, own }: NamedFile): string => own ? `\0${path}` : path

/** Formatting and check results of a call. An invalid field, perhaps from another version of SAT, counts as missing. */
const CallMarkSchema = z.object({
  formatted: z.array(z.string()).catch([]),
  /** Whether the arguments of the call were corrected to the formatted text. */
  corrected: z.boolean().catch(false),
  failed: z.array(z.object({ command: VisibleText, why: VisibleText })).catch([]),
  /** The format commands that failed before this call and now work again. */
  mended: z.array(VisibleText).catch([]),
  broken: z.array(BrokenSchema).catch([]),
  /** How many lines, and how many rules with a `require`, were not checked after this call. */
  unchecked: z.object({ lines: z.number(), rules: z.number() }).optional().catch(undefined),
})

export type CallMark = z.infer<typeof CallMarkSchema>

/** Reads the stored data of a call from its state; undefined if it has none, or if the data is not an object. */
export const readCallMark = (state: unknown): CallMark | undefined => {
  const metadata = Object(Object(state).metadata)
  return METADATA_KEY in metadata ? CallMarkSchema.safeParse(metadata[METADATA_KEY]).data : undefined
}

export const RULE_STATES = [
  'inForce',
  'joining', // new on the disk: in force or offered from the next message on
  'off', // switched off by the person
  'waiting', // for a file or a keyword
  'offered', // to the model, which sees the description and may read the file
  'manual', // never sent
  'unmet', // one of its conditions does not hold
] as const

export type RuleState = (typeof RULE_STATES)[number]

/** `file` is the file or keyword that brought the rule in. If `file` is set, `bytes` is that of `JoinSchema`. */
export type SessionRule = PanelRule & { file?: string | undefined }

type RulesByState = Record<RuleState, Array<SessionRule>>
export type SessionRules = Omit<Panel, 'rules' | 'joined'> & RulesByState

/** Returns the state of a rule that is not off. Only the terminal knows which rules are `joining`. */
const stateOf = ({ kind, unmet }: PanelRule, file: string | undefined): RuleState => {
  if (unmet) return 'unmet'
  if (kind === 'offered' || kind === 'manual') return kind
  return kind === 'always' || file !== undefined ? 'inForce' : 'waiting'
}

/**
 * Groups the rules by state. If a rule's `fileKey` is in `off`, drops its violations, and its entries in `leftOut` that
 * have `isSent`.
 */
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

/** Whether a part belongs to the hidden message, and stores the panel or some of its fields. */
export const isHiddenPart = (part: StoredPart): boolean => typeof dataOf(part) === 'object'

/** Reads a session's panel from its parts, each field from the last part that has it; null if the panel is invalid. */
export const readPanel = (parts: Array<StoredPart>): Panel | null =>
  PanelSchema.safeParse(Object.assign({}, ...parts.map(dataOf))).data ?? null

const OFF_KEY = `${METADATA_KEY}-off`
const OffSchema = z.array(z.object(FileShape)).catch([])

/** Creates the metadata that switches the rules in these files off, and all other rules on. */
export const offMetadata = (files: Array<NamedFile>) => ({
  [OFF_KEY]: files.map(({ path, own }) => ({ path, ...(own ? { own } : {}) })),
})

/** Finds the part that lists the switched-off rules. Does not search by id, because a fork has other ids. */
export const findOffPart = <Part extends StoredPart>(parts: Array<Part>): Part | undefined =>
  parts.findLast(({ metadata }) => Object(metadata)[OFF_KEY])

/** Reads the switched-off rules from the parts of a session. */
export const readSwitchedOff = (parts: Array<StoredPart>): Array<NamedFile> =>
  OffSchema.parse(Object(findOffPart(parts)?.metadata)[OFF_KEY])

/** Reads the rules of a session; null if no valid panel is stored. By default, `off` is read from the session. */
export const readSessionRules = (
  parts: Array<StoredPart>,
  off: ReadonlySet<string> = new Set(readSwitchedOff(parts).map(fileKey)),
): SessionRules | null => {
  const panel = readPanel(parts)
  return panel && groupByState(panel, off)
}
