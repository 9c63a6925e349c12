import type { DonePart } from '../host/message-parts.ts'

/** Some models restart their call ids in each turn: these arguments distinguish calls with the same id. */
const TEXT_ARGUMENTS = ['filePath', 'content', 'oldString', 'newString', 'patchText']

/** A call by its id and its arguments. */
type Called = { callID: string; args: Record<string, unknown> }

/** Finds the part of a call among those of a history; undefined where there is none. */
export const partOf = (parts: Array<DonePart>, { callID, args }: Called): DonePart | undefined => {
  const all = parts.filter((part) => part.callID === callID)
  const isSame = ({ state }: DonePart) => TEXT_ARGUMENTS.every((name) => state.input[name] === args[name])
  return all.findLast(isSame) ?? all.at(-1)
}
