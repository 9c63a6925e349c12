import { readSaved, signatureOf } from './saved-file.ts'

/** A file before a command and after it; `before` is empty where it was not kept. */
export type FileChange = { path: string; before: string; after: string }

/** What is kept of a file before a command: its text or, where that is too much, only how it looks on the disk. */
type Kept = { text: string } | { signature: string }

/** What was kept of files, by their paths. */
export type KeptFiles = Map<string, Kept>

// Of all texts together so much is kept in memory.
const FILES_KEPT = 500
const UNITS_KEPT = 40_000_000

/** Keeps what files say before a command; where that is too much, the texts of the last ones. */
export const keepFiles = async (paths: Array<string>): Promise<KeptFiles> => {
  const kept = new Map<string, Kept>()
  let units = 0
  for (const path of paths.toReversed()) {
    const isKept = kept.size < FILES_KEPT && units < UNITS_KEPT
    const saved = isKept ? await readSaved(path) : null
    units += saved?.text.length ?? 0
    kept.set(path, saved ? { text: saved.text } : { signature: await signatureOf(path) })
  }
  return new Map([...kept].reverse())
}

const isChanged = async (path: string, kept: Kept, after: string): Promise<boolean> =>
  'text' in kept ? kept.text !== after : kept.signature !== await signatureOf(path)

/** Lists the files that changed since they were kept; of one that is gone or no text any more, the text is empty. */
export const changedSince = async (files: KeptFiles): Promise<Array<FileChange>> => {
  const changes: Array<FileChange> = []
  for (const [path, kept] of files) {
    const after = (await readSaved(path))?.text ?? ''
    const before = 'text' in kept ? kept.text : ''
    if (before !== after && await isChanged(path, kept, after)) changes.push({ path, before, after })
  }
  return changes
}
