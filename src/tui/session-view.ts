/** The folder `tui/`: SAT's panel and dialogs in the terminal. This file defines the data that they show. */
import type { NamedFile, PanelRule, SessionRules, StoredPart } from '../host/panel-schema.ts'
import { findOffPart, isHiddenPart, readSwitchedOff } from '../host/panel-schema.ts'
import type { SetupFault } from '../host/setup.ts'
import type { Activity } from './activity.ts'

export type SessionView = Activity & {
  rules: SessionRules
  /** Whether rules were sent in this session. If not, its next message will send `rules`. */
  areRulesSent: boolean
  /** Whether the option `rules` is `false`. */
  isOff: boolean
  /** Whether the host has not loaded the server half, or is too old for it. If so, only `faults` has a meaning. */
  isUnloaded: boolean
  faults: Array<SetupFault>
}

/** A message part of the host. The `state` of a tool call has the arguments, the result or error, and the metadata. */
export type ViewedPart = StoredPart & { id?: string; messageID?: string; state?: unknown }

/** The message part in which a session stores, or will store, its switched-off rules (`off`). */
export type SwitchedOffPart = { sessionID: string; messageID: string; id: string; off: Array<NamedFile> }

/** Returns the existing or future `SwitchedOffPart`; undefined if the session has no hidden message. */
export const switchedOffPartIn = (
  sessionID: string,
  parts: Array<ViewedPart>,
): SwitchedOffPart | undefined => {
  const { id: firstId, messageID } = parts.find(isHiddenPart) ?? {}
  if (!firstId || !messageID) return undefined
  // A new part gets the suffix 2, because the server half uses the suffix 1 for a part of its own.
  return { sessionID, messageID, id: findOffPart(parts)?.id ?? `${firstId}2`, off: readSwitchedOff(parts) }
}

// Current tokenizers need about one token for four bytes of English text or code.
const BYTES_PER_TOKEN = 4

/** Estimates the number of tokens that rules add to a request. */
export const tokensOf = (...rules: Array<PanelRule>): number =>
  rules.reduce((sum, { bytes }) => sum + Math.round(bytes / BYTES_PER_TOKEN), 0)
