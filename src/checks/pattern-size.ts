// A part of a pattern: an escaped sign with its braces, a class in brackets, the start or the end of a group, a repetition.
const PART =
  /\\(?:[pPx]\{[^}]*\}|[^])|\[\^?\]?(?:\\[^]|\[:[a-z^]*:\]|[^\]\\])*\]?|\((?:\?[^:)(]*[:>])?|\)|\{(\d+)(?:,(\d*))?\}|[^]/g

// A class such as `\p{L}` has hundreds of ranges, which take the memory of ten instructions.
const UNICODE = /\\p/i
const UNICODE_SIZE = 10

/** Gives about how many instructions a pattern is compiled to, before it is: repetitions of groups make a short one long. */
export const estimatedSize = (source: string): number => {
  const around: Array<number> = []
  // Of the group that is open here, and of its last part, which a repetition repeats.
  let [size, last] = [0, 0]
  for (const [part, least, most] of source.matchAll(PART)) {
    if (part.startsWith('(')) {
      around.push(size)
      size = 0
    } else if (part === ')') {
      last = size + 2
      size = (around.pop() ?? 0) + last
    } else if (least !== undefined) {
      const times = Math.max(1, Number(most || least)) * (most === undefined ? 1 : 2)
      size += last * (times - 1)
      last *= times
    } else {
      last = UNICODE.test(part) ? UNICODE_SIZE : 1
      size += last
    }
  }
  return around.reduce((sum, one) => sum + one, size)
}
