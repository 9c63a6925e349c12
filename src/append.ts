import { joinRules } from './rewrite.ts'
import type { Mode } from './rule-schema.ts'
import { inLineEnding, lineEndingOf, withLineFeeds } from './text/line-ending.ts'
import { type Refusal, unguardedWriteContext, type WriteContext } from './writing/write-context.ts'
import { toTextOf, writeFile } from './writing/write.ts'

/** What to add to which file. */
export type AppendRulesOptions = {
  filePath: string
  rules: Array<string>
  mode?: Mode | undefined
  /** What a tool writes under; a script that calls this by itself needs none. */
  writeContext?: WriteContext
}

/** What became of the file. */
export type AppendResult =
  | {
    status: 'success'
    path: string
    rulesCount: number
    /** Whether the session knew all of what the rules were added to. */
    isKnown: boolean
  }
  | ({ path: string } & Refusal)

/** Gives what to put between a text and the rules after it, so that a blank line parts them. */
export const computeSeparator = (existing: string): string => {
  if (existing === '' || existing.endsWith('\n\n')) return ''
  return existing.endsWith('\n') ? '\n' : '\n\n'
}

/** Puts rules after a text, in its own line ending; no character of the text changes. */
export const addRules = (text: string, rules: Array<string>, mode?: Mode): string => {
  const addition = computeSeparator(withLineFeeds(text)) + joinRules(rules, mode)
  return text + inLineEnding(addition, lineEndingOf(text))
}

/** Adds rules after what is in a file (sat-plan.md, append.ts). */
export const appendRules = async (
  { filePath, rules, mode, writeContext = unguardedWriteContext(filePath) }: AppendRulesOptions,
): Promise<AppendResult> => {
  const toBytes = toTextOf((text) => addRules(text, rules, mode))
  const written = await writeFile(writeContext, { kind: 'append', path: filePath, toBytes })
  return written.error === null
    ? { status: 'success', path: filePath, rulesCount: rules.length, isKnown: written.data.isKnown }
    : { path: filePath, ...written.error }
}
