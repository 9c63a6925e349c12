import { inLineEnding, lineEndingOf } from './line-ending.ts'
import { joinRules } from './rewrite.ts'
import type { Mode } from './rule-schema.ts'
import { type Door, doorTo, type Refusal, writeFile } from './write-file.ts'

export type AppendRulesOptions = {
  filePath: string
  rules: Array<string>
  mode?: Mode | undefined
  /** What the write goes through in a session; a caller of its own needs none. */
  door?: Door
}

export type AppendResult =
  | { status: 'success'; path: string; rulesCount: number }
  | ({ path: string } & Refusal)

/** What stands between a text and rules added to it, so that a blank line parts them. */
export const computeSeparator = (existing: string): string => {
  if (existing === '' || existing.endsWith('\n\n')) return ''
  return existing.endsWith('\n') ? '\n' : '\n\n'
}

/** Puts rules after all that a text says, in the text's own line ending; every earlier character stays. */
export const addRules = (text: string, rules: Array<string>, mode?: Mode): string => {
  const addition = computeSeparator(text.replaceAll('\r\n', '\n')) + joinRules(rules, mode)
  return text + inLineEnding(addition, lineEndingOf(text))
}

/** Adds rules after what is in a file (sat-plan.md, append.ts). */
export const appendRules = async (
  { filePath, rules, mode, door = doorTo(filePath) }: AppendRulesOptions,
): Promise<AppendResult> => {
  const toText = (text: string) => addRules(text, rules, mode)
  const written = await writeFile(door, { path: filePath, toText, backup: false })
  return written.error === null
    ? { status: 'success', path: filePath, rulesCount: rules.length }
    : { path: filePath, ...written.error }
}
