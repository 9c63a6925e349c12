/** The folder `tui/`: SAT's panel and dialogs in the terminal. This file defines their data. */
import type { PanelRule, SessionRules, StoredPart } from '../host/panel-schema.ts'
import { findOffPart, isHiddenPart, readSwitchedOff } from '../host/panel-schema.ts'
import type { SetupFault } from '../host/setup.ts'
import type { Activity } from './activity.ts'

export type SessionView = Activity & {
  rules: SessionRules
  /** If false, the session's next message will send `rules`. */
  areRulesSent: boolean
  /** Whether the option `rules` is `false`. */
  isOff: boolean
  /** Whether the host is too old or did not load `sat.ts`. If so, the screen shows only `faults`. */
  isUnloaded: boolean
  faults: Array<SetupFault>
}

export type ViewedPart = StoredPart & { id?: string; messageID?: string; state?: unknown }

export type SwitchedOffPart = NonNullable<ReturnType<typeof switchedOffPartIn>>

/**
 * Finds the message part in which a session stores, or will store, its switched-off rules (`off`). Returns undefined if
 * the session does not have the hidden message in which SAT stores the data of the panel.
 */
export const switchedOffPartIn = (sessionID: string, parts: Array<ViewedPart>) => {
  const { id: firstId, messageID } = parts.find(isHiddenPart) ?? {}
  if (!firstId || !messageID) return undefined
  // The suffix is 2, because `sat.ts` stores the changes of the panel in the part with the suffix 1.
  return { sessionID, messageID, id: findOffPart(parts)?.id ?? `${firstId}2`, off: readSwitchedOff(parts) }
}

const ESTIMATED_BYTES_PER_TOKEN = 4

export const tokensOf = (...rules: Array<PanelRule>): number =>
  rules.reduce((sum, { bytes }) => sum + Math.round(bytes / ESTIMATED_BYTES_PER_TOKEN), 0)
