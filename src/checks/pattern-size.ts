// A pattern is split into these parts. If several fit at the same place, the first is taken.
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
  // The size of the innermost open group so far, and of its last part, which a repetition multiplies.
  let [size, lastSize] = [0, 0]
  for (const [part, min, max] of source.matchAll(PART)) {
    if (part.startsWith('(')) {
      outerSizes.push(size)
      size = 0
    } else if (part === ')') {
      // A capturing group has an instruction at its start and one at its end. Other groups are counted alike.
      lastSize = size + 2
      size = (outerSizes.pop() ?? 0) + lastSize
    } else if (min !== undefined) {
      const repetitions = Math.max(1, Number(max || min)) // 2 for `{2}`, `{2,}` and `{1,2}`
      const isFixed = max === undefined // `{2}` is fixed. In `{2,}` and `{1,2}`, each repetition may add a branch.
      const times = isFixed ? repetitions : 2 * repetitions
      size += lastSize * (times - 1)
      lastSize *= times
    } else {
      // A Unicode class such as `\p{L}` takes the memory of ten instructions.
      lastSize = /\\p/i.test(part) ? 10 : 1
      size += lastSize
    }
  }
  // In an invalid pattern, such as `a(b`, groups are still open.
  return outerSizes.reduce((sum, groupSize) => sum + groupSize, size)
}
