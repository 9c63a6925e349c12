import { readFile, writeFile } from 'node:fs/promises'
import { joinRules } from './rewrite.ts'
import type { Mode } from './rule-schema.ts'
import { safeAsync } from './safe.ts'

export type AppendRulesOptions = { filePath: string; rules: Array<string>; mode?: Mode | undefined }

export type AppendResult =
  | { status: 'success'; path: string; rulesCount: number }
  | { status: 'readError' | 'writeError'; path: string; error: string }

/** What stands between a file's text and rules added to it, so that a blank line parts them. */
export const computeSeparator = (existing: string): string => {
  if (existing === '' || existing.endsWith('\n\n')) return ''
  return existing.endsWith('\n') ? '\n' : '\n\n'
}

/** Adds rules after what is in a file (sat-plan.md, append.ts). */
export const appendRules = async ({ filePath, rules, mode }: AppendRulesOptions): Promise<AppendResult> => {
  const existing = await safeAsync(() => readFile(filePath, 'utf8'))
  if (existing.error !== null) return { status: 'readError', path: filePath, error: existing.error }
  const content = existing.data + computeSeparator(existing.data) + joinRules(rules, mode)
  const written = await safeAsync(() => writeFile(filePath, content))
  return written.error === null
    ? { status: 'success', path: filePath, rulesCount: rules.length }
    : { status: 'writeError', path: filePath, error: written.error }
}
