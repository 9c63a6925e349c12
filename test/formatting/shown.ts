/**
 * Reads the results of formatting stories: a session's calls, as a request shows them to the model and as the host
 * stores them (SAT corrects both when a formatter changed what a call wrote), and SAT's notes in the answers.
 */
import type { Part, Session, Turn } from '../harness/host.ts'
import { callsIn, type ModelRequest } from '../harness/model.ts'

/** Returns the arguments of the calls that a request shows, in order; with `file`, only those of calls on that file. */
export const argsIn = (request: ModelRequest, file?: string): Array<Record<string, string>> =>
  callsIn(request).map(({ args }) => args as Record<string, string>)
    .filter(({ filePath }) => file === undefined || filePath?.endsWith(`/${file}`))

/** Returns the arguments of the calls that the last request of a turn shows, like `argsIn`. */
export const shownArgs = (turn: Pick<Turn, 'requests'>, file?: string): Array<Record<string, string>> =>
  argsIn(turn.requests.at(-1)!, file)

/** Returns the new text in each write and edit that the last request of a turn shows; undefined for another call. */
export const shownTexts = (turn: Pick<Turn, 'requests'>, file?: string): Array<string | undefined> =>
  shownArgs(turn, file).map(({ content, newString }) => content ?? newString)

/** Returns SAT's notes in the answer to a call: all paragraphs below the first one, which is the host's own. */
export const notesBelow = (output: string): string => output.split('\n\n').slice(1).join('\n\n')

/** Returns the calls of a session as the host stores them. */
export const storedCalls = async (session: Session): Promise<Array<Part>> =>
  (await session.messages()).flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool')

/** Returns the arguments of the calls of a session as the host stores them. */
export const storedArgs = async (session: Session): Promise<Array<Record<string, unknown>>> =>
  (await storedCalls(session)).map(({ state }) => state!.input)
