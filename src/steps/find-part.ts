import type { CompletedCall } from '../host/message-parts.ts'

// These distinguish calls with the same id: some models restart their call ids in each turn.
const TEXT_ARGUMENTS = ['filePath', 'content', 'oldString', 'newString', 'patchText']

/** Returns the last part with the id and arguments of a call. If no arguments match, the id alone decides. */
export const findPart = (
  parts: Array<CompletedCall>,
  { callID, args }: { callID: string; args: Record<string, unknown> },
): CompletedCall | undefined => {
  const withId = parts.filter((part) => part.callID === callID)
  const hasArgs = ({ state }: CompletedCall) =>
    TEXT_ARGUMENTS.every((name) => state.input[name] === args[name])
  return withId.findLast(hasArgs) ?? withId.at(-1)
}
