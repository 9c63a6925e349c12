import type { Client } from '../host/client.ts'
import type { Log } from '../host/log.ts'
import type { AgentAndModel } from './history.ts'
import type { FilesOf } from './rules-in-request.ts'
import type { RulesOnDisk } from './rules-on-disk.ts'

/** What the delivery of one instance of the host works with. */
export type DeliveryInput = {
  client: Client
  log: Log
  /** Logs what was sent to which session and why, where the person asked for it. */
  debug: (line: string) => void
  /** The real path of the project's root. */
  worktree: string
  filesOf: FilesOf
  /** Lists which of some files, as a call names them, are not there yet, relative to the worktree. */
  newFiles: (names: Array<string>) => Promise<Array<string>>
  /** Reads the rules that are the sessions' to have now, and where it `isFresh`, what the host sends by itself. */
  readRules: (isFresh: boolean) => Promise<RulesOnDisk>
  /** Gives the agent and model for a session that nothing is known of; `undefined` where none is right. */
  defaultAgentAndModel: () => AgentAndModel | undefined
  /** The name of the agent that a session has if nobody chose one. */
  defaultAgent: () => string
}
