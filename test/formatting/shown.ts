/** Reads calls for the formatting stories: as a request shows them to the model, and as the host stores them. */
import type { Part, Session, Turn } from '../harness/host.ts'
import { callsIn, type ModelRequest } from '../harness/model.ts'

/** Returns the arguments of the calls in a request, in order; with `file`, only those whose `filePath` is that file. */
export const argsIn = (request: ModelRequest, file = ''): Array<Record<string, string>> =>
  callsIn(request).map(({ args }) => args as Record<string, string>)
    .filter(({ filePath }) => file === '' || filePath?.endsWith(`/${file}`))

/** Like `argsIn`, for the last request of a turn. */
export const shownArgs = (turn: Pick<Turn, 'requests'>, file?: string): Array<Record<string, string>> =>
  argsIn(turn.requests.at(-1)!, file)

/** Returns the text that each write and edit writes, as the last request of a turn shows it; undefined for others. */
export const shownTexts = (turn: Pick<Turn, 'requests'>, file?: string): Array<string | undefined> =>
  shownArgs(turn, file).map(({ content, newString }) => content ?? newString)

/** Returns the notes in the answer to a call: all below the host's own first paragraph. */
export const notesBelow = (output: string): string => output.split('\n\n').slice(1).join('\n\n')

/** Returns the calls of a session as the host stores them. */
export const storedCalls = async (session: Session): Promise<Array<Part>> =>
  (await session.messages()).flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool')

/** Returns the arguments of the calls of a session as the host stores them. */
export const storedArgs = async (session: Session): Promise<Array<Record<string, unknown>>> =>
  (await storedCalls(session)).map(({ state }) => state!.input)
