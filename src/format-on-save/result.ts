import { unifiedDiff } from '../unified-diff.ts'

/** One file as a call and the formatter left it. `before` is empty for a new file. */
export type FileResult = { from: string; before: string; text: string }

/** A tool's result as the host gives it to `tool.execute.after`. */
export type ToolOutput = { title: string; output: string; metadata: unknown }

type Fields = Record<string, unknown>

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null

const plain = (text: string): string => text.replaceAll('\r\n', '\n')

const patchOf = async ({ from, before, text }: FileResult): Promise<string> =>
  `Index: ${from}\n${'='.repeat(67)}\n${await unifiedDiff(from, plain(before), plain(text))}`

const countsOf = (patch: string): { additions: number; deletions: number } => {
  const lines = patch.split('\n').slice(4)
  return {
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
  }
}

const agreeFile = async (file: Fields, results: Array<FileResult>): Promise<void> => {
  const result = results.find(({ from }) => from === file['filePath'])
  if (!result) return
  const patch = await patchOf(result)
  Object.assign(file, countsOf(patch), { patch })
}

/**
 * Makes what a result tells the person (the diff, its counts, the patch of each file) agree with the files as they
 * are after formatting. Only what the result already tells is told anew.
 */
export const agree = async (output: ToolOutput, results: Array<FileResult>): Promise<void> => {
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
  metadata['diff'] = patch
  const filediff = fieldsOf(metadata['filediff'])
  if (filediff) Object.assign(filediff, countsOf(patch), 'patch' in filediff ? { patch } : {})
}
