/** Reads tool calls from a request or from the host's storage, and SAT's notes from the outputs of calls. */
import type { Part, Session, Turn } from '../harness/host.ts'
import { callsIn, type ModelRequest, textOf } from '../harness/model.ts'

export const argsIn = (request: ModelRequest, file?: string): Array<Record<string, string>> =>
  callsIn(request).map(({ args }) => args as Record<string, string>)
    .filter(({ filePath }) => file === undefined || filePath?.endsWith(`/${file}`))

export const shownArgs = (turn: Pick<Turn, 'requests'>, file?: string): Array<Record<string, string>> =>
  argsIn(turn.requests.at(-1)!, file)

/** Returns the new text of a write or an edit, and undefined for a call of another tool. */
export const newTextOf = <Value>({ content, newString }: Record<string, Value>): Value | undefined =>
  content ?? newString

export const shownTexts = (turn: Pick<Turn, 'requests'>, file?: string): Array<string | undefined> =>
  shownArgs(turn, file).map(newTextOf)

/** Returns SAT's notes, which follow the host's own paragraph in an output. */
export const notesBelow = (output: string): string => output.split('\n\n').slice(1).join('\n\n')

export const formattedNote = (file: string, hunk: string): string =>
  `${file} was formatted and differs from what you saw:\n${hunk}`

/** Returns the sorted notes in the person's message, or [''] if the message has no notes. */
export const notesAtStart = ({ requests: [request] }: Turn): Array<string> =>
  textOf(request!.messages.at(-1)!).replace(/^go\n?/, '').split('\n\n').toSorted()

export const storedCalls = async (session: Session): Promise<Array<Part>> =>
  (await session.messages()).flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool')

export const storedArgs = async (session: Session): Promise<Array<Record<string, unknown>>> =>
  (await storedCalls(session)).map(({ state }) => state!.input)
