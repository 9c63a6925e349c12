import { basename } from 'node:path'
import { compareBytes, type FileResult } from './compare.ts'
import type { InstructionFile } from './discover.ts'
import { splitFrontmatter } from './markdown/frontmatter.ts'
import type { Mode } from './rule-schema.ts'
import { fail, ok } from './safe.ts'
import { inLineEnding, lineEndingOf, withLineFeeds } from './text/line-ending.ts'
import { withoutMark } from './text/read.ts'
import { unguardedWriteContext, type WriteContext } from './writing/write-context.ts'
import { type Change, toTextOf, writeFile } from './writing/write.ts'

/** Which rules to write to which file. */
export type ProcessFileOptions = {
  file: InstructionFile
  rules: Array<string>
  mode?: Mode | undefined
  /** The sources of each rule, where rules have some: then the rest of the file stays as it is. */
  sources?: Array<Array<string>> | undefined
  /** The context of a tool's call; a script needs none. */
  writeContext?: WriteContext
}

// Removes the blank lines around a rule, since `joinRules` adds its own. An indent before the first word stays.
const tidy = (rule: string): string => withLineFeeds(rule).replace(/^\s*\n/, '').trimEnd()

/** Joins rules to the text of a file: one line break between concise rules, a blank line between others, one at the end. */
export const joinRules = (rules: Array<string>, mode: Mode = 'balanced'): string =>
  `${rules.map(tidy).join(mode === 'concise' ? '\n' : '\n\n')}\n`

/** Replaces a text, but for its frontmatter, by rules, in the text's own line ending. */
export const replaceRules = (text: string, rules: Array<string>, mode?: Mode): string => {
  const { frontmatter } = splitFrontmatter(text)
  const gap = frontmatter === '' ? '' : /[\r\n]$/.test(frontmatter) ? '\n' : '\n\n'
  return frontmatter + inLineEnding(gap + joinRules(rules, mode), lineEndingOf(text))
}

const SOURCES_GONE =
  'the words that the rules restate are not there any more. Call discover-rules, parse-rules and format-rules again'

/** Makes the change that replaces sources by their rules. */
const inPlace =
  (sources: Array<Array<string>>, rules: Array<string>, mode?: Mode): Change['toBytes'] =>
  async (current, realPath) => {
    const { SourcedText } = await import('./in-place/index.ts')
    const sourced = new SourcedText(withoutMark(current?.text ?? ''), sources)
    if (sourced.faults.length > 0) return fail(SOURCES_GONE)
    return toTextOf(() => ok(sourced.withRules(rules, mode)))(current, realPath)
  }

/** Replaces sources, or the whole file, by rules, and compares the sizes. */
export const processFile = async (
  { file, rules, mode, sources, writeContext = unguardedWriteContext(file.path) }: ProcessFileOptions,
): Promise<FileResult> => {
  const { path } = file
  if (file.error !== undefined) return { status: 'readError', path, error: file.error }
  const written = await writeFile(writeContext, {
    kind: 'rewrite',
    path,
    toBytes: sources === undefined
      ? toTextOf((text) => ok(replaceRules(text, rules, mode)))
      : inPlace(sources, rules, mode),
  })
  if (written.status !== 'success') return written
  const comparison = compareBytes(basename(path), written.before, written.after)
  return { ...written, rulesCount: rules.length, comparison }
}
