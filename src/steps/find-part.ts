import type { CompletedCall } from '../host/message-parts.ts'

// These distinguish calls with the same id: some models restart their call ids in each turn.
const TEXT_ARGUMENTS = ['filePath', 'content', 'oldString', 'newString', 'patchText']

/** Finds the part of a call: the last one with its id and arguments, or else the last one with its id. */
export const findPart = (
  parts: Array<CompletedCall>,
  { callID, args }: { callID: string; args: Record<string, unknown> },
): CompletedCall | undefined => {
  const withId = parts.filter((part) => part.callID === callID)
  const hasArgs = ({ state }: CompletedCall) =>
    TEXT_ARGUMENTS.every((name) => state.input[name] === args[name])
  return withId.findLast(hasArgs) ?? withId.at(-1)
}
