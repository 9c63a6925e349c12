/** Works out what a model believes that a file of the fuzzer contains after its calls. */
import { readFileSync } from 'node:fs'
import { crlfToLf } from '../../../src/text/line-ending.ts'
import type { ShownCall } from '../../harness/model.ts'
import { applyCall, linesRead } from './belief.ts'

/** A file that the model edits. */
export type PlayedFile = {
  /** The absolute path of the file and, in some sessions, that of a link to it. */
  paths: Array<string>
  /** The same paths as patches name them. */
  names: Array<string>
  /** Set for a file that the formatter of the other files also writes. */
  isGenerated?: boolean
}

/** Reads a file, with LF. */
export const readLf = ({ paths }: PlayedFile): string => crlfToLf(readFileSync(paths[0]!, 'utf8'))

/** A call as the model sends it. */
export type PlayedCall = { tool: string; args: Record<string, unknown> }

/** The calls of a message: as the model sent them, and as the next request shows them. */
export type PlayedMessage = { sent: Array<PlayedCall>; shown: Array<ShownCall> }

/** Returns what the model believes after calls; null if one does not apply, or a read of a part shows other lines. */
export const believedAfter = (
  file: PlayedFile,
  before: string,
  calls: Array<PlayedCall & { output?: string }>,
): string | null => {
  let believed: string | null = before
  for (const { tool, args, output = '' } of calls) {
    // `applyCall` selects the sections of a patch that name the file. A command of the shell is no change of the model.
    const isOnFile = tool === 'apply_patch' || file.paths.includes(String(args['filePath']))
    if (!isOnFile) continue
    believed = tool === 'read'
      ? afterRead(file, believed, args['offset'], output)
      : applyCall(believed, args, file.names)
    if (believed === null) return null
  }
  return believed
}

/** Returns what the model believes after a read; null if the lines of a read part differ from those of the file. */
const afterRead = (file: PlayedFile, believed: string, offset: unknown, output: string): string | null => {
  // A read that was only sent shows nothing, and a read of long lines shows only their beginnings.
  if (output === '' || output.includes('line truncated to')) return believed
  const text = readLf(file)
  const lines = linesRead(output)
  const readsAll = offset === undefined || (offset === 1 && output.includes('\n(End of file'))
  // A read does not show whether the last line has an end.
  if (readsAll) return lines.join('\n') + (text.endsWith('\n') ? '\n' : '')
  // A read of a part of a file is the last call of its message, so it shows the present file.
  const current = text.split('\n').slice(Number(offset) - 1)
  return lines.every((line, index) => line === current[index]) ? believed : null
}
