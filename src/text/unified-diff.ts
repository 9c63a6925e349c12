import { changedStretch, countLineEnds } from './changed-stretch.ts'

// With more changed lines than this the search for the shortest diff takes too long.
const MAX_EDIT_LENGTH = 400

// A diff counts lines by their ends: a line end at the end of a text starts no other line.
const diffLines = (text: string): Array<string> => text === '' ? [] : text.replace(/\n$/, '').split('\n')

const NO_NEWLINE = '\\ No newline at end of file'

/** Makes a diff of one hunk that takes every old line out and puts every new one in. */
const wholeDiff = (name: string, before: string, after: string): string => {
  const side = (sign: string, text: string) => [
    ...diffLines(text).map((line) => sign + line),
    ...(text === '' || text.endsWith('\n') ? [] : [NO_NEWLINE]),
  ]
  const range = (text: string) => {
    const { length } = diffLines(text)
    return `${length === 0 ? 0 : 1},${length}`
  }
  const hunk = `@@ -${range(before)} +${range(after)} @@`
  return [`--- ${name}`, `+++ ${name}`, hunk, ...side('-', before), ...side('+', after), ''].join('\n')
}

const CONTEXT = 3

/**
 * Makes the unified diff of two texts, which the permission prompt and the screen show; texts that share little become
 * one hunk. The library is given only the stretch that changed: lines that both texts have cost it ten times as much.
 */
export const unifiedDiff = async (name: string, before: string, after: string): Promise<string> => {
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff/lib/patch/create.js')
  const stretch = changedStretch(before, after, CONTEXT)
  const [old, now] = [
    before.slice(stretch.before.start, stretch.before.end),
    after.slice(stretch.after.start, stretch.after.end),
  ]
  const patch = structuredPatch(name, name, old, now, undefined, undefined, {
    context: CONTEXT,
    maxEditLength: MAX_EDIT_LENGTH,
  })
  if (!patch) return wholeDiff(name, before, after)
  const skipped = countLineEnds(before, stretch.before.start)
  for (const hunk of patch.hunks) {
    hunk.oldStart += skipped
    hunk.newStart += skipped
  }
  return formatPatch(patch, FILE_HEADERS_ONLY)
}
