import { joinRules } from './rewrite.ts'
import type { Mode } from './rule-schema.ts'
import { inLineEnding, lineEndingOf, withLineFeeds } from './text/line-ending.ts'
import { unguardedWriteContext, type WriteContext } from './writing/write-context.ts'
import { toTextOf, type Unwritten, writeFile, type Written } from './writing/write.ts'

/** What to add to which file. */
export type AppendRulesOptions = {
  filePath: string
  rules: Array<string>
  mode?: Mode | undefined
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

const additionTo = async (text: string, rules: Array<string>, mode?: Mode): Promise<string> => {
  const { itemsAfter } = await import('./in-place/index.ts')
  const items = itemsAfter(text, rules, mode)
  if (items === null) return computeSeparator(withLineFeeds(text)) + joinRules(rules, mode)
  return (/[\r\n]$/.test(text) ? '' : '\n') + items
}

/**
 * Adds rules after a text without a byte-order mark, in its own line ending: items where it ends with a list, else
 * rules with a blank line between. No character of the text changes.
 */
export const addRules = async (text: string, rules: Array<string>, mode?: Mode): Promise<string> =>
  text + inLineEnding(await additionTo(text, rules, mode), lineEndingOf(text))

/** Adds rules after what is in a file, in the form and the line ending that it has; no character before changes. */
export const appendRules = async (
  { filePath, rules, mode, writeContext = unguardedWriteContext(filePath) }: AppendRulesOptions,
): Promise<AppendResult> => {
  const toBytes = toTextOf((text) => addRules(text, rules, mode))
  const written = await writeFile(writeContext, { kind: 'append', path: filePath, toBytes })
  return written.status === 'success' ? { ...written, rulesCount: rules.length } : written
}
