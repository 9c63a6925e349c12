import { basename } from 'node:path'
import { compareBytes, type FileResult } from './compare.ts'
import type { InstructionFile } from './discover.ts'
import { splitFrontmatter } from './frontmatter.ts'
import { inLineEnding, lineEndingOf } from './line-ending.ts'
import type { Mode } from './rule-schema.ts'
import { type Door, doorTo, writeFile } from './write-file.ts'

export type ProcessFileOptions = {
  file: InstructionFile
  rules: Array<string>
  mode?: Mode | undefined
  /** What the write goes through in a session; a caller of its own needs none. */
  door?: Door
}

// Blank lines around a rule are the file's business; an indent at its start is the rule's own.
const tidy = (rule: string): string => rule.replace(/\r\n?/g, '\n').replace(/^\s*\n/, '').trimEnd()

/** The text of a rule file: bullets stand tight, all else has a blank line between; one line break ends it. */
export const joinRules = (rules: Array<string>, mode: Mode = 'balanced'): string =>
  `${rules.map(tidy).join(mode === 'concise' ? '\n' : '\n\n')}\n`

/** Puts rules in the place of all that a text says, its frontmatter excepted, whose line ending they then follow. */
export const replaceRules = (text: string, rules: Array<string>, mode?: Mode): string => {
  const { frontmatter } = splitFrontmatter(text)
  const gap = frontmatter === '' ? '' : frontmatter.endsWith('\n') ? '\n' : '\n\n'
  return frontmatter + inLineEnding(gap + joinRules(rules, mode), lineEndingOf(frontmatter))
}

/** Replaces what is in a file by rules and compares the sizes (sat-plan.md, rewrite.ts). */
export const processFile = async (
  { file, rules, mode, door = doorTo(file.path) }: ProcessFileOptions,
): Promise<FileResult> => {
  const { path } = file
  if (file.error !== undefined) return { status: 'readError', path, error: file.error }
  const written = await writeFile(door, {
    path,
    toText: (text) => replaceRules(text, rules, mode),
    backup: true,
  })
  if (written.error !== null) return { path, ...written.error }
  const { before, after, backup } = written.data
  const comparison = compareBytes(basename(path), before, after)
  return { status: 'success', path, rulesCount: rules.length, comparison, backup }
}
