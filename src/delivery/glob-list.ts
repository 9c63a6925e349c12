const OPENS: Record<string, string> = { '}': '{', ']': '[', ')': '(' }

/** Finds the pairs of brackets in one pass: index of the opening one → index of the closing one. */
const closingIndexes = (list: string): Map<number, number> => {
  const open: Record<string, Array<number>> = { '{': [], '[': [], '(': [] }
  const closing = new Map<number, number>()
  for (let index = 0; index < list.length; index++) {
    const character = list[index]!
    open[character]?.push(index)
    const opened = open[OPENS[character] ?? '']?.pop()
    if (opened !== undefined) closing.set(opened, index)
  }
  return closing
}

/**
 * Splits a list of globs at its commas: `*.{ts,tsx}, *.js` are two. A comma in closed brackets or in quotes does not
 * count; quotes stay.
 */
export const splitGlobs = (list: string): Array<string> => {
  const closing = closingIndexes(list)
  const globs: Array<string> = []
  let start = 0
  let isStart = true
  for (let index = 0; index < list.length; index++) {
    const character = list[index]!
    const isQuote = isStart && (character === '"' || character === "'")
    const end = isQuote ? list.indexOf(character, index + 1) : closing.get(index) ?? -1
    isStart &&= character.trim() === ''
    if (end > index) index = end
    else if (character === ',') {
      globs.push(list.slice(start, index))
      start = index + 1
      isStart = true
    }
  }
  globs.push(list.slice(start))
  return globs.map((glob) => glob.trim()).filter((glob) => glob !== '')
}
