import { readSaved } from './saved-file.ts'

/** A file that a command changed beside those that it was run for. */
export type FileChange = { path: string; before: string; after: string }

const FILES_READ = 500

/** The texts of files before a command, as far as they are text. */
export const readTexts = async (paths: Array<string>): Promise<Map<string, string>> => {
  const texts = new Map<string, string>()
  for (const path of paths.slice(-FILES_READ)) {
    const saved = await readSaved(path)
    if (saved) texts.set(path, saved.text)
  }
  return texts
}

/** The files that say something else since their texts were read; one that is gone or no text any more says nothing. */
export const changedSince = async (texts: Map<string, string>): Promise<Array<FileChange>> => {
  const now = await readTexts([...texts.keys()])
  return [...texts].flatMap(([path, before]) => {
    const after = now.get(path) ?? ''
    return after === before ? [] : [{ path, before, after }]
  })
}
