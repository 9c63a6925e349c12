/** The order of a session's calls: those of one message arrive at once, and run one after the other. */
import type { ToolContext } from '@opencode-ai/plugin'
import { findInstructions, type FoundInstructions } from '../discover.ts'
import { hostViewOf } from '../host/instruction-files.ts'
import { stateFolder } from '../paths/user-folders.ts'
import { withTimeout } from '../safe.ts'
import { abortSignalOf, askerOf, Permissions, workspaceOf } from '../writing/ask-permission.ts'
import { KeyedLock, type Release } from '../writing/keyed-lock.ts'
import type { WriteContext } from '../writing/write-context.ts'
import type { DiscoverToolOptions } from './discover-rules.ts'
import { type SessionRules, sharedSessions, shownTo } from './pipeline-state.ts'

/** The context of one call of a writing tool; `find` finds the files that the host loads. */
export type Writer = WriteContext & {
  session: SessionRules
  /** Shows a text to the person, as a part of the answer on the screen. */
  show: (text: string) => void
  /** The message of the model with the call. */
  messageID: string | undefined
  find: () => Promise<FoundInstructions>
}

const calls = new KeyedLock()

// The config answers a question within a millisecond or two, a person does not.
const OPEN_AFTER_MS = 100

/** Runs work in the order of the session's calls; `release` lets the next one begin before this one has ended. */
export const inOrder = async <Answer>(
  sessionID: string,
  work: (release: Release) => Promise<Answer>,
): Promise<Answer> => {
  const release = await calls.acquire([sessionID])
  try {
    return await work(release)
  } finally {
    release()
  }
}

/**
 * Runs a writing tool's work in the order of the session's calls. A call whose question stays open lets the others pass
 * from then on: no call waits for another's question. What keeps a file whole does not rest on this order.
 */
export const inCallOrder = async <Answer>(
  { directory, discovered, sessions = sharedSessions, config, show = () => {} }: DiscoverToolOptions,
  context: ToolContext,
  work: (writer: Writer) => Promise<Answer>,
): Promise<Answer> => {
  const shown = shownTo({ discovered, sessions }, context.sessionID)
  const known = shown.copy()
  const workspace = workspaceOf(context, directory)
  const ask = askerOf(context)
  return inOrder(context.sessionID, (release) => {
    const askOrLetPass: typeof ask = async (question) => {
      const asked = ask(question)
      if ((await withTimeout(OPEN_AFTER_MS, asked)).error !== null) release()
      return asked
    }
    return work({
      workspace,
      permissions: new Permissions({ workspace, ask: askOrLetPass }),
      discovered: shown,
      known,
      state: stateFolder(),
      abort: abortSignalOf(context),
      session: sessions.of(context.sessionID),
      show: (text) => show(context, text, 'diff'),
      find: () => findInstructions(context.directory ?? directory, hostViewOf(context, config?.())),
      messageID: context.messageID,
    })
  })
}
