// The parts of a pattern's source. If several match at the same position, the first in this list counts.
const PARTS = [
  /\\(?:[pPx]\{[^}]*\}|[^])/, // an escape: `\p{L}`
  /\[\^?\]?(?:\\[^]|\[:[a-z^]*:\]|[^\]\\])*\]?/, // a class: `[^a-z]`
  /\((?:\?[^:)(]*[:>])?/, // the start of a group: `(?:`
  /\)/,
  /\{(\d+)(?:,(\d*))?\}/, // a repetition: `{2,3}`
  /[^]/,
]
const PART = new RegExp(PARTS.map(({ source }) => source).join('|'), 'g')

/** Estimates how many instructions a pattern is compiled to: one for `a`, nine for `a{9}`, 99 for `(?:a{9}){9}`. */
export const estimatedSize = (source: string): number => {
  const outerSizes: Array<number> = []
  let [groupSize, lastPartSize] = [0, 0]
  for (const [part, min, max] of source.matchAll(PART)) {
    if (part.startsWith('(')) {
      outerSizes.push(groupSize)
      groupSize = 0
    } else if (part === ')') {
      // Each group counts as a capturing group, which has one instruction at its start and one at its end.
      lastPartSize = groupSize + 2
      groupSize = (outerSizes.pop() ?? 0) + lastPartSize
    } else if (min !== undefined) {
      const repetitions = Math.max(1, Number(max || min))
      // In `{2,}` and `{1,2}`, each repetition may add a branch.
      const times = max === undefined ? repetitions : 2 * repetitions
      groupSize += lastPartSize * (times - 1)
      lastPartSize *= times
    } else {
      // A Unicode class such as `\p{L}` takes the memory of ten instructions.
      lastPartSize = /\\p/i.test(part) ? 10 : 1
      groupSize += lastPartSize
    }
  }
  // In an invalid pattern, such as `a(b`, groups are still open.
  return outerSizes.reduce((sum, outerSize) => sum + outerSize, groupSize)
}
