import { changedStretch, countLineEnds } from './changed-stretch.ts'

/** Beyond this many changed lines a minimal diff costs more than it tells. */
const MAX_EDIT_LENGTH = 400

const linesOf = (text: string): Array<string> => text === '' ? [] : text.replace(/\n$/, '').split('\n')

const NO_NEWLINE = '\\ No newline at end of file'

/** A diff of one hunk that takes every old line out and puts every new one in. */
const wholeDiff = (name: string, before: string, after: string): string => {
  const side = (sign: string, text: string) => [
    ...linesOf(text).map((line) => sign + line),
    ...(text === '' || text.endsWith('\n') ? [] : [NO_NEWLINE]),
  ]
  const range = (text: string) => {
    const { length } = linesOf(text)
    return `${length === 0 ? 0 : 1},${length}`
  }
  const hunk = `@@ -${range(before)} +${range(after)} @@`
  return [`--- ${name}`, `+++ ${name}`, hunk, ...side('-', before), ...side('+', after), ''].join('\n')
}

const CONTEXT = 3

/**
 * The unified diff of two texts, for the permission prompt and for who looks at a call; texts that share little are
 * shown as one hunk. The library takes ten times as long for lines that both texts have.
 */
export const unifiedDiff = async (name: string, before: string, after: string): Promise<string> => {
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff')
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
