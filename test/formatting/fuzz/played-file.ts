/** Works out what a model believes that a file of the fuzzer contains after its calls. */
import { crlfToLf } from '../../../src/text/line-ending.ts'
import { applyCall, linesRead } from './belief.ts'

/** A file that the model edits. */
export type PlayedFile = {
  /** The absolute path of the file and, in some sessions, that of a link to it. */
  paths: Array<string>
  /** The same paths as patches name them. */
  names: Array<string>
  extension: string
  /** Set if the formatter of the other files also writes this one. */
  isGenerated?: boolean
  read(): string
}

/** A call as the model sends it. */
export type PlayedCall = { tool: string; args: Record<string, unknown> }

/**
 * Applies calls to what the model believed before them, and returns what it then believes. Returns null if a call does
 * not apply, or if a read of a part shows other lines than the file has. The calls are as sent, without an `output`, or
 * as shown.
 */
export const believedAfter = (
  file: PlayedFile,
  before: string,
  calls: Array<PlayedCall & { output?: string }>,
): string | null => {
  let believed: string | null = before
  for (const { tool, args, output = '' } of calls) {
    const { filePath } = args
    // A patch has no `filePath`: `applyCall` selects its sections by their names.
    const isOnOtherFile = typeof filePath === 'string' && !file.paths.includes(filePath)
    // A read that was only sent shows nothing, and a read of long lines shows only their beginnings.
    const showsNothing = (tool === 'read' && output === '') || output.includes('line truncated to')
    if (isOnOtherFile || tool === 'bash' || showsNothing) continue
    believed = tool === 'read'
      ? afterRead(file, believed, args['offset'], output)
      : applyCall(believed, withLf(args), file.names)
    if (believed === null) return null
  }
  return believed
}

/** Returns what the model believes after a read; null if the lines of a read part differ from those of the file. */
const afterRead = (
  file: PlayedFile,
  believed: string,
  offset: unknown,
  output: string,
): string | null => {
  const text = crlfToLf(file.read())
  const lines = linesRead(output)
  const readsAll = offset === undefined || (offset === 1 && output.includes('\n(End of file'))
  // A read does not show whether the last line has an end.
  if (readsAll) return lines.join('\n') + (text.endsWith('\n') ? '\n' : '')
  // A read of a part of a file is the last call of its message, so it shows the present file.
  const current = text.split('\n').slice(Number(offset) - 1)
  return lines.every((line, index) => line === current[index]) ? believed : null
}

const withLf = (args: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, typeof value === 'string' ? crlfToLf(value) : value]),
  )
