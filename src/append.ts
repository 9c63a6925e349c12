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

/** The result for the file; `rulesCount` is the number of the rules that it got. */
export type AppendResult = Written & { rulesCount: number } | Unwritten

/** Gives the line breaks between a text and the rules after it, so that a blank line separates them. */
export const computeSeparator = (existing: string): string => {
  if (existing === '' || existing.endsWith('\n\n')) return ''
  return existing.endsWith('\n') ? '\n' : '\n\n'
}

/**
 * Adds rules to a text without a byte-order mark, in its own line ending and form: items after a list, paragraphs after
 * prose. No character of the text changes, and what it says already is not added.
 *
 * @param after words of the text after which the rules stand; the end by default
 * @returns the text, and how many rules it got
 */
export const addRules = async (
  text: string,
  { rules: given, mode, after }: Pick<AppendRulesOptions, 'rules' | 'mode' | 'after'>,
): Promise<Result<{ text: string; count: number }>> => {
  const rules = [...new Set(given)]
  const lineEnding = lineEndingOf(text)
  const before = withLineFeeds(text)
  if (after === undefined && before.trim() === '') {
    const added = inLineEnding(computeSeparator(before) + joinRules(rules, mode), lineEnding)
    return ok({ text: text + added, count: rules.length })
  }
  const { additionTo } = await import('./in-place/index.ts')
  const { data: edit, error } = additionTo(before, rules, mode, after)
  if (error !== null) return fail(error)
  let at = edit.from
  for (const { index } of text.matchAll(/\r\n/g)) if (index < at) at++
  return ok({
    text: text.slice(0, at) + inLineEnding(edit.text, lineEnding) + text.slice(at),
    count: edit.count,
  })
}

/** Adds rules to a file, in the form and the line ending that it has; no character of it changes. */
export const appendRules = async (
  { filePath, rules, mode, after, writeContext = unguardedWriteContext(filePath) }: AppendRulesOptions,
): Promise<AppendResult> => {
  let rulesCount = 0
  const toBytes = toTextOf(async (text) => {
    const { data, error } = await addRules(text, { rules, mode, after })
    if (error !== null) return fail(error)
    rulesCount = data.count
    return ok(data.text)
  })
  const written = await writeFile(writeContext, { kind: 'addition', path: filePath, toBytes })
  return written.status === 'success' ? { ...written, rulesCount } : written
}
