// A pattern is read part by part; each part is the first of these that fits.
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
  // The sizes of what is read of the innermost open group, and of its last part, which a repetition would multiply.
  let [size, last] = [0, 0]
  for (const [part, min, max] of source.matchAll(PART)) {
    if (part.startsWith('(')) {
      outerSizes.push(size)
      size = 0
    } else if (part === ')') {
      // A capturing group has an instruction at its start and one at its end. Other groups are counted alike.
      last = size + 2
      size = (outerSizes.pop() ?? 0) + last
    } else if (min !== undefined) {
      // `{2}` has no `max`, in `{2,}` it is empty. If the number varies, each repetition may need a branch of its own.
      const times = Math.max(1, Number(max || min)) * (max === undefined ? 1 : 2)
      size += last * (times - 1)
      last *= times
    } else {
      // A Unicode class such as `\p{L}` takes the memory of ten instructions.
      last = /\\p/i.test(part) ? 10 : 1
      size += last
    }
  }
  return outerSizes.reduce((sum, groupSize) => sum + groupSize, size)
}
