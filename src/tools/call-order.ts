/** Runs the calls that use a session's rules one by one, although the host runs the calls of a message in parallel. */
import type { ToolContext } from '@opencode-ai/plugin'
import { findInstructions, type FoundInstructions } from '../discover.ts'
import { hostViewOf } from '../host/host-view.ts'
import { stateFolder } from '../paths/user-folders.ts'
import { withTimeout } from '../safe.ts'
import { abortSignalOf, createAsk, workspaceOf } from '../writing/ask-host.ts'
import { Permissions } from '../writing/ask-permission.ts'
import { KeyedLock, type Release } from '../writing/keyed-lock.ts'
import type { WriteContext } from '../writing/write.ts'
import { type DiscoverToolOptions, type SessionState, sharedSessions, shownTo } from './pipeline-state.ts'

/** The context of one call of rewrite-rules or add-rules. */
export type WriterContext = WriteContext & {
  session: SessionState
  show: (text: string) => void
  messageID: string | undefined
  find: () => Promise<FoundInstructions>
}

const calls = new KeyedLock()

/** `release` lets the session's next call start before `work` has ended. */
export const runInTurn = async <Answer>(
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

// The config decides on a permission within two milliseconds, so a longer wait means that the person is asked.
const RELEASE_AFTER_MS = 100

/** While the person is asked, the next call may start, because checks in `writing/` make overlapping writes safe. */
export const runWriterInTurn = async <Answer>(
  options: DiscoverToolOptions,
  context: ToolContext,
  work: (writer: WriterContext) => Promise<Answer>,
): Promise<Answer> => {
  const { directory, sessions = sharedSessions, config, show = () => {} } = options
  const discovered = shownTo(options, context.sessionID)
  const shownAtStart = discovered.copy()
  const workspace = workspaceOf(context, directory)
  const ask = createAsk(context)
  return runInTurn(context.sessionID, (release) => {
    const askAndRelease: typeof ask = async (question) => {
      const reply = ask(question)
      const isPersonAsked = (await withTimeout(RELEASE_AFTER_MS, reply)).error !== null
      if (isPersonAsked) release()
      return reply
    }
    return work({
      workspace,
      permissions: new Permissions({ workspace, ask: askAndRelease }),
      discovered,
      shownAtStart,
      state: stateFolder(),
      abort: abortSignalOf(context),
      session: sessions.of(context.sessionID),
      show: (text) => show(context, text, 'diff'),
      find: () => findInstructions(context.directory ?? directory, hostViewOf(context, config?.())),
      messageID: context.messageID,
    })
  })
}
