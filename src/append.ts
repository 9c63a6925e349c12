import { joinRules } from './rewrite.ts'
import type { Mode } from './rule-schema.ts'
import { fail, ok, type Result } from './safe.ts'
import { inLineEnding, lineEndingOf, withLineFeeds } from './text/line-ending.ts'
import { unguardedWriteContext, type WriteContext } from './writing/write-context.ts'
import { toTextOf, type Unwritten, writeFile, type Written } from './writing/write.ts'

/** What to add to which file. */
export type AppendRulesOptions = {
  filePath: string
  rules: Array<string>
  mode?: Mode | undefined
  /** Words of the file after which the rules stand: in the part of a heading, after an item or a paragraph. */
  after?: string | undefined
  /** The context of a tool's call; a script needs none. */
  writeContext?: WriteContext
}

/** The result for the file. */
export type AppendResult = Written & { rulesCount: number } | Unwritten

/** Gives the line breaks between a text and the rules after it, so that a blank line separates them. */
export const computeSeparator = (existing: string): string => {
  if (existing === '' || existing.endsWith('\n\n')) return ''
  return existing.endsWith('\n') ? '\n' : '\n\n'
}

/**
 * Adds rules to a text without a byte-order mark, in its own line ending and form: items after a list, paragraphs after
 * prose. No character of the text changes.
 *
 * @param after words of the text after which the rules stand; the end by default
 */
export const addRules = async (
  text: string,
  { rules, mode, after }: Pick<AppendRulesOptions, 'rules' | 'mode' | 'after'>,
): Promise<Result<string>> => {
  const lineEnding = lineEndingOf(text)
  const before = withLineFeeds(text)
  if (after === undefined && before.trim() === '') {
    return ok(text + inLineEnding(computeSeparator(before) + joinRules(rules, mode), lineEnding))
  }
  const { additionTo } = await import('./in-place/index.ts')
  const { data: edit, error } = additionTo(before, rules, mode, after)
  if (error !== null) return fail(error)
  const at = text.length - inLineEnding(before.slice(edit.from), lineEnding).length
  return ok(text.slice(0, at) + inLineEnding(edit.text, lineEnding) + text.slice(at))
}

/** Adds rules to a file, in the form and the line ending that it has; no character of it changes. */
export const appendRules = async (
  { filePath, rules, mode, after, writeContext = unguardedWriteContext(filePath) }: AppendRulesOptions,
): Promise<AppendResult> => {
  const toBytes = toTextOf((text) => addRules(text, { rules, mode, after }))
  const written = await writeFile(writeContext, { kind: 'append', path: filePath, toBytes })
  return written.status === 'success' ? { ...written, rulesCount: rules.length } : written
}
