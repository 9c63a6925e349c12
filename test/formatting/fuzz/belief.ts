/** Computes the text that the fuzzer's model believes a file to have, from its reads, writes, edits and patches. */
import { readFileSync } from 'node:fs'
import { parsePatch } from '../../../src/steps/patch-text.ts'
import { onlyIndexOf } from '../../../src/steps/realign/bare-text.ts'
import { crlfToLf } from '../../../src/text/line-ending.ts'
import type { ShownCall } from '../../harness/model.ts'

export type PlayedFile = {
  /** The absolute paths of the file and, in some sessions, of a link to it. */
  paths: Array<string>
  /** The same paths in the same order, relative to the project, as patches and SAT's notes name them. */
  names: Array<string>
  isGenerated?: boolean
}

export type Beliefs = Map<PlayedFile, string>

export const readLf = ({ paths }: PlayedFile): string => crlfToLf(readFileSync(paths[0]!, 'utf8'))

export type PlayedCall = { tool: string; args: Record<string, unknown> }

/** The calls as the model sent them, and as the next request shows them. */
export type PlayedMessage = { sent: Array<PlayedCall>; shown: Array<ShownCall> }

/** Returns a text after a write, an edit or a patch, or null if the call does not apply. */
export const applyCall = (
  text: string,
  args: Record<string, unknown>,
  names: Array<string> = [],
): string | null => {
  const lfText = (name: string) => crlfToLf(String(args[name]))
  if ('content' in args) return lfText('content')
  if ('patchText' in args) return applyPatch(text, lfText('patchText'), names)
  const partsBetween = text.split(lfText('oldString'))
  const foundCount = partsBetween.length - 1
  const applies = args['replaceAll'] === true ? foundCount > 0 : foundCount === 1
  return applies ? partsBetween.join(lfText('newString')) : null
}

const applyPatch = (text: string, patchText: string, names: Array<string>): string | null => {
  const sections = parsePatch(patchText).filter(({ path }) => names.length === 0 || names.includes(path))
  if (sections.length === 0) return text
  // The line feeds before `text` and around `oldLines` let only whole lines match.
  let result = `\n${text}`
  for (const { lines } of sections.flatMap(({ hunks }) => hunks)) {
    const linesWithout = (sign: '+' | '-') =>
      ['', ...lines.filter((line) => line.sign !== sign).map((line) => line.text), ''].join('\n')
    const [oldLines, newLines] = [linesWithout('+'), linesWithout('-')]
    const at = onlyIndexOf(result, oldLines)
    if (at < 0) return null
    result = result.slice(0, at) + newLines + result.slice(at + oldLines.length)
  }
  // Like the host, drops a blank last line.
  return result.slice(1).replace(/\n\n$/, '\n')
}

/** Returns null if a call does not apply, or if a partial read differs from the file. */
export const believedAfter = (
  file: PlayedFile,
  before: string,
  calls: Array<PlayedCall & { output?: string }>,
): string | null => {
  let believed: string | null = before
  for (const { tool, args, output = '' } of calls) {
    if (tool === 'apply_patch') believed = applyCall(believed, args, file.names)
    else if (!file.paths.includes(String(args['filePath']))) continue
    else if (tool === 'read') believed = afterRead(file, believed, args['offset'], output)
    else believed = applyCall(believed, args)
    if (believed === null) return null
  }
  return believed
}

const afterRead = (file: PlayedFile, believed: string, offset: unknown, output: string): string | null => {
  if (output === '') return believed
  const areLinesCut = output.includes('line truncated to')
  if (areLinesCut) return believed
  const shownLines = linesRead(output)
  const text = readLf(file)
  const isFullRead = offset === undefined || (offset === 1 && output.includes('\n(End of file'))
  // The output does not show whether the last line ends with a line feed, so the file decides.
  if (isFullRead) return shownLines.join('\n') + (text.endsWith('\n') ? '\n' : '')
  // After a partial read, a message at most adds a last line (by a shell command), so the shown lines must remain.
  const lines = text.split('\n').slice(Number(offset) - 1)
  return shownLines.every((line, index) => line === lines[index]) ? believed : null
}

/** Returns the lines that the answer of a read shows: `12: let a` → `let a`. */
export const linesRead = (output: string): Array<string> =>
  [...output.matchAll(/^\d+: (.*)$/gm)].map(([, line]) => line!)
