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

/** What two texts do not share at their ends, with the lines around it, and how many lines lie before that. */
const changedPart = (before: string, after: string) => {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const skipped = Math.max(0, head - CONTEXT)
  // Behind the last line end there is no line.
  const cut = Math.max(0, tail - CONTEXT - 1)
  const partOf = (lines: Array<string>) =>
    lines.slice(skipped, lines.length - cut).join('\n') + (cut > 0 ? '\n' : '')
  return { skipped, before: partOf(old), after: partOf(now) }
}

/**
 * The unified diff of two texts, for the permission prompt and for who looks at a call; texts that share little are
 * shown as one hunk. The library takes ten times as long for lines that both texts have.
 */
export const unifiedDiff = async (name: string, before: string, after: string): Promise<string> => {
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff')
  const part = changedPart(before, after)
  const patch = structuredPatch(name, name, part.before, part.after, undefined, undefined, {
    context: CONTEXT,
    maxEditLength: MAX_EDIT_LENGTH,
  })
  if (!patch) return wholeDiff(name, before, after)
  for (const hunk of patch.hunks) {
    hunk.oldStart += part.skipped
    hunk.newStart += part.skipped
  }
  return formatPatch(patch, FILE_HEADERS_ONLY)
}
