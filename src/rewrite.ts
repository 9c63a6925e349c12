/**
 * Rewrites an instruction file: rules replace their sources (the words that they were made from) or, without sources,
 * everything below the frontmatter.
 */
import { basename } from 'node:path'
import { compareBytes, type FileResult } from './compare.ts'
import type { InstructionFile } from './discover.ts'
import { splitFrontmatter } from './markdown/frontmatter.ts'
import type { Mode } from './rule-schema.ts'
import { fail, ok } from './safe.ts'
import { lineEndingOf, withLineEnding, withLineFeeds } from './text/line-ending.ts'
import type { Unwritten, WriteContext } from './writing/write.ts'
import { changeText, unguardedWriteContext, writeFile } from './writing/write.ts'

type ProcessFileOptions = {
  file: InstructionFile
  rules: Array<string>
  mode?: Mode | undefined
  /** For each rule, the words to replace. */
  sources?: Array<Array<string>> | undefined
  writeContext?: WriteContext
}

/** `unchanged` lists the indexes of the rules that have the same words as their sources. */
export type RewriteResult = Exclude<FileResult, Unwritten> & { unchanged: Array<number> } | Unwritten

const trimBlankLines = (rule: string): string => withLineFeeds(rule).replace(/^\s*\n/, '').trimEnd()

export const joinRules = (rules: Array<string>, mode?: Mode): string =>
  `${rules.map(trimBlankLines).join(breaksBetweenRules(mode))}\n`

export const breaksBetweenRules = (mode: Mode = 'balanced'): string => mode === 'concise' ? '\n' : '\n\n'

/** Replaces everything below the frontmatter. */
export const replaceBody = (text: string, rules: Array<string>, mode?: Mode): string => {
  const { frontmatter } = splitFrontmatter(text)
  if (frontmatter === '') return withLineEnding(joinRules(rules, mode), lineEndingOf(text))
  const blankLine = /[\r\n]$/.test(frontmatter) ? '\n' : '\n\n'
  return frontmatter + withLineEnding(blankLine + joinRules(rules, mode), lineEndingOf(text))
}

const SOURCES_GONE =
  'the words that the rules replace are no longer in the file. Call discover-rules, parse-rules and format-rules again'

export const processFile = async (
  { file, rules, mode, sources, writeContext = unguardedWriteContext(file.path) }: ProcessFileOptions,
): Promise<RewriteResult> => {
  const { path } = file
  if (file.error !== undefined) return { status: 'readError', path, error: file.error }
  let unchanged: Array<number> = []
  const toBytes = changeText(async (text) => {
    if (sources === undefined) return ok(replaceBody(text, rules, mode))
    const { sourcedText } = await import('./in-place/index.ts')
    const sourced = sourcedText(text, sources)
    if (sourced.faults.length > 0) return fail(SOURCES_GONE)
    const replaced = sourced.withRules(rules, mode)
    unchanged = replaced.unchanged
    return ok(replaced.text)
  })
  const written = await writeFile(writeContext, { kind: 'rewrite', path, toBytes })
  if (written.status !== 'success') return written
  const comparison = compareBytes(basename(path), written.before, written.after)
  return { ...written, rulesCount: rules.length, comparison, unchanged }
}
