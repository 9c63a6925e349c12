/** Beyond this many changed lines a minimal diff costs more than it tells. */
const MAX_EDIT_LENGTH = 1_000

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

/** The unified diff of two texts, for the permission prompt; texts that share little are shown as one hunk. */
export const unifiedDiff = async (name: string, before: string, after: string): Promise<string> => {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import('diff')
  const patch = createTwoFilesPatch(name, name, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDIT_LENGTH,
    headerOptions: FILE_HEADERS_ONLY,
  })
  return patch ?? wholeDiff(name, before, after)
}
