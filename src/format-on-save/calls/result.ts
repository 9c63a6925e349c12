import { changedStretch, withLineFeeds } from '../../files/changed-stretch.ts'
import { unifiedDiff } from '../../files/unified-diff.ts'
import { METADATA_KEY } from '../../host/message-parts.ts'

/** One file as a call and the formatter left it. `before` is empty for a new file. */
export type FormattedFile = { from: string; before: string; text: string }

/** A tool's result as the host gives it to `tool.execute.after`. */
export type ToolOutput = { title: string; output: string; metadata: unknown }

type Fields = Record<string, unknown>

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null

// The host waits for the diff, every session of it: a longer change is not compared.
const MAX_CHANGED = 1_000_000

/** A file's patch as the host writes it; null where so much was formatted that it would take too long. */
const patchOf = async ({ from, before, text }: FormattedFile): Promise<string | null> => {
  const [old, now] = [withLineFeeds(before), withLineFeeds(text)]
  const changed = changedStretch(old, now)
  const length = changed.before.end - changed.before.start + changed.after.end - changed.after.start
  if (length > MAX_CHANGED) return null
  return `Index: ${from}\n${'='.repeat(67)}\n${await unifiedDiff(from, old, now)}`
}

const countsOf = (patch: string): { additions: number; deletions: number } => {
  const lines = patch.split('\n').slice(4)
  return {
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
  }
}

const agreeFile = async (file: Fields, results: Array<FormattedFile>): Promise<void> => {
  const result = results.find(({ from }) => from === file['filePath'])
  if (!result) return
  const patch = await patchOf(result)
  if (patch !== null) Object.assign(file, countsOf(patch), { patch })
}

/**
 * Makes the diff, its counts and the patch of each file, which a result shows the person, agree with the formatted
 * files. What the result does not have is not added. Where a change is too long to compare, the host's diff of the
 * call itself stays.
 */
export const agree = async (output: ToolOutput, results: Array<FormattedFile>): Promise<void> => {
  const metadata = fieldsOf(output.metadata)
  if (!metadata) return
  const files = Array.isArray(metadata['files']) ? metadata['files'].map(fieldsOf) : []
  if (files.length > 0) {
    for (const file of files) if (file) await agreeFile(file, results)
    metadata['diff'] = files.map((file) => `${String(file?.['patch'] ?? '')}\n`).join('')
    return
  }
  const [result] = results
  if (!result || typeof metadata['diff'] !== 'string') return
  const patch = await patchOf(result)
  if (patch === null) return
  metadata['diff'] = patch
  const filediff = fieldsOf(metadata['filediff'])
  if (filediff) Object.assign(filediff, countsOf(patch), 'patch' in filediff ? { patch } : {})
}

/** Marks a result for who shows it to the person: which files were formatted, and whether the call was corrected. */
export const markFormatted = (output: ToolOutput, formatted: Array<string>, corrected: boolean): void => {
  output.metadata = { ...fieldsOf(output.metadata), [METADATA_KEY]: { formatted, corrected } }
}

/** A marked result's metadata once its call was corrected; other metadata as it is. */
export const markCorrected = (metadata: Record<string, unknown>): Record<string, unknown> => {
  const marked = fieldsOf(metadata[METADATA_KEY])
  return marked ? { ...metadata, [METADATA_KEY]: { ...marked, corrected: true } } : metadata
}
