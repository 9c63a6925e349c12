import { readSaved } from './saved-file.ts'

/** A file before a command and after it. */
export type FileChange = { path: string; before: string; after: string }

const FILES_READ = 500

/** Reads the texts of files; one that is no text is left out. */
export const readTexts = async (paths: Array<string>): Promise<Map<string, string>> => {
  const texts = new Map<string, string>()
  for (const path of paths.slice(-FILES_READ)) {
    const saved = await readSaved(path)
    if (saved) texts.set(path, saved.text)
  }
  return texts
}

/**
 * Lists the files that changed since their texts were read; of one that is gone or no text any more, the text is
 * empty.
 */
export const changedSince = async (texts: Map<string, string>): Promise<Array<FileChange>> => {
  const now = await readTexts([...texts.keys()])
  return [...texts].flatMap(([path, before]) => {
    const after = now.get(path) ?? ''
    return after === before ? [] : [{ path, before, after }]
  })
}
