import type { CompletedCall } from '../host/message-parts.ts'

/** Arguments that distinguish calls with the same id: some models restart their call ids in each turn. */
const TEXT_ARGUMENTS = ['filePath', 'content', 'oldString', 'newString', 'patchText']

/** A call by its id and its arguments. */
type Called = { callID: string; args: Record<string, unknown> }

/** Finds the part of a call in a history; undefined if there is none. */
export const findPart = (
  parts: Array<CompletedCall>,
  { callID, args }: Called,
): CompletedCall | undefined => {
  const all = parts.filter((part) => part.callID === callID)
  const isSame = ({ state }: CompletedCall) =>
    TEXT_ARGUMENTS.every((name) => state.input[name] === args[name])
  return all.findLast(isSame) ?? all.at(-1)
}
