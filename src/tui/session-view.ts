/** What the terminal shows of SAT: of a session by its messages' metadata, of the rest as it is on the disk. */
import { METADATA_KEY } from '../host/message-parts.ts'
import { type FormatMark, FormatMarkSchema, type SessionRules } from '../host/panel-schema.ts'
import type { SetupFault } from '../host/plugin-entries.ts'

/** What formatting did in a session: how many files and calls it changed, and what fails now. */
type Formatting = { formatted: number; corrected: number; failing: FormatMark['failed'] }

/** What is shown. */
export type SessionView = Formatting & {
  rules: SessionRules
  /** Whether the session has these rules; if not, its first message will send them. */
  isSent: boolean
  /** Whether the option `rules` is `false`. */
  isOff: boolean
  faults: Array<SetupFault>
}

/** The fields of a part of a message that are read here. */
export type ViewedPart = { type?: string; metadata?: unknown; state?: unknown }

/** Reads the parts of a session, the oldest first. */
export const formattingOf = (parts: Array<ViewedPart>): Formatting => {
  const files = new Set<string>()
  const failing = new Map<string, FormatMark['failed'][number]>()
  let corrected = 0
  for (const { state } of parts) {
    const mark = FormatMarkSchema.safeParse(Object(Object(state).metadata)[METADATA_KEY]).data
    if (!mark) continue
    for (const file of mark.formatted) files.add(file)
    if (mark.corrected) corrected++
    for (const one of mark.failed) failing.set(one.command, one)
    for (const command of mark.mended) failing.delete(command)
  }
  return { formatted: files.size, corrected, failing: [...failing.values()] }
}

// English text and code take about four bytes a token with the tokenizers of today.
const BYTES_PER_TOKEN = 4

/** Estimates the tokens of so many bytes, such as `~120`. */
export const tokensOf = (bytes: number): string => `~${Math.round(bytes / BYTES_PER_TOKEN)}`
