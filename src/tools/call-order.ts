/** The order of a session's calls: those of one message arrive at once, and run one after the other. */
import type { ToolContext } from '@opencode-ai/plugin'
import { abortOf, askOf, Permissions, placeOf } from '../host/permissions.ts'
import { stateFolder } from '../paths/user-folders.ts'
import { KeyedLock } from '../writing/lock.ts'
import { type DiscoveredFiles, shownTo } from '../writing/shown-files.ts'
import type { WriteContext } from '../writing/write-context.ts'

const writers = new KeyedLock()

// The config answers a question within a millisecond or two, a person does not.
const OPEN_AFTER_MS = 100

/** Whether a question stays open. */
const isOpen = (asked: Promise<unknown>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), OPEN_AFTER_MS)
    void asked.then(() => {
      clearTimeout(timer)
      resolve(false)
    })
  })

/** Runs work in the order of the session's calls. */
export const inOrder = async <Answer>(sessionID: string, work: () => Promise<Answer>): Promise<Answer> => {
  const release = await writers.take([sessionID])
  return work().finally(release)
}

/**
 * Runs a writing tool's work in the order of the session's calls. A call whose question stays open lets the others pass:
 * no call waits for another's question.
 *
 * @param work gets the write context
 */
export const inCallOrder = async <Answer>(
  { context, directory, discovered }: {
    context: ToolContext
    directory: string
    discovered: Set<string> | DiscoveredFiles
  },
  work: (writeContext: WriteContext) => Promise<Answer>,
): Promise<Answer> => {
  const shown = shownTo(discovered, context.sessionID)
  const known = shown.copy()
  const place = placeOf(context, directory)
  const ask = askOf(context)
  let release = await writers.take([context.sessionID])
  const permissions = new Permissions({
    place,
    ask: async (question) => {
      const asked = ask(question)
      if (!(await isOpen(asked))) return asked
      release()
      const answered = await asked
      release = await writers.take([context.sessionID])
      return answered
    },
  })
  const state = stateFolder()
  return work({ place, permissions, discovered: shown, known, state, abort: abortOf(context) })
    .finally(() => release())
}
