// Matches an escape (`\p{L}`), a class (`[^a-z]`), the start or end of a group, a repetition (`{2,3}`), or a character.
const PART =
  /\\(?:[pPx]\{[^}]*\}|[^])|\[\^?\]?(?:\\[^]|\[:[a-z^]*:\]|[^\]\\])*\]?|\((?:\?[^:)(]*[:>])?|\)|\{(\d+)(?:,(\d*))?\}|[^]/g

// A Unicode class takes the memory of ten instructions.
const UNICODE_CLASS = /\\p/i
const UNICODE_CLASS_SIZE = 10

/** Estimates the number of instructions of a pattern. Repetitions multiply them: nested, they make it large. */
export const estimatedSize = (source: string): number => {
  const outerSizes: Array<number> = []
  // `size` is that of the innermost open group so far, `last` that of the last part in it.
  let [size, last] = [0, 0]
  for (const [part, min, max] of source.matchAll(PART)) {
    if (part.startsWith('(')) {
      outerSizes.push(size)
      size = 0
    } else if (part === ')') {
      // A group that captures has an instruction at its start and one at its end.
      last = size + 2
      size = (outerSizes.pop() ?? 0) + last
    } else if (min !== undefined) {
      // `{2}` has no `max`, in `{2,}` it is empty. If the number varies, each repetition may need a branch of its own.
      const times = Math.max(1, Number(max || min)) * (max === undefined ? 1 : 2)
      size += last * (times - 1)
      last *= times
    } else {
      last = UNICODE_CLASS.test(part) ? UNICODE_CLASS_SIZE : 1
      size += last
    }
  }
  return outerSizes.reduce((sum, groupSize) => sum + groupSize, size)
}
