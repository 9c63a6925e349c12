import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { compareBytes, type FileResult } from './compare.ts'
import type { InstructionFile } from './discover.ts'
import type { Mode } from './rule-schema.ts'
import { safeAsync } from './safe.ts'

export type ProcessFileOptions = { file: InstructionFile; rules: Array<string>; mode?: Mode | undefined }

// Blank lines around a rule are the file's business; an indent at its start is the rule's own.
const trimBlankLines = (rule: string): string => rule.replace(/^\s*\n/, '').trimEnd()

/** The text of a rule file: bullets stand tight, all else has a blank line between; one line break ends it. */
export const joinRules = (rules: Array<string>, mode: Mode = 'balanced'): string =>
  `${rules.map(trimBlankLines).join(mode === 'concise' ? '\n' : '\n\n')}\n`

/** Replaces what is in a file by rules and compares the sizes (sat-plan.md, rewrite.ts). */
export const processFile = async ({ file, rules, mode }: ProcessFileOptions): Promise<FileResult> => {
  const { path } = file
  if (file.error !== undefined) return { status: 'readError', path, error: file.error }
  const content = joinRules(rules, mode)
  const written = await safeAsync(() => writeFile(path, content))
  if (written.error !== null) return { status: 'writeError', path, error: written.error }
  const comparison = compareBytes(basename(path), file.content, content)
  return { status: 'success', path, rulesCount: rules.length, comparison }
}
