/** Replaces the text in an output of the host's tool `read`, in the format of OpenCode 1.18. */

const MAX_LINE_LENGTH = 2_000
const MAX_LINES = 2_000

const linesOf = (text: string): Array<string> => {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const renderRead = (text: string, { offset, limit }: Record<string, unknown>): string => {
  const all = linesOf(text)
  const first = Number(offset ?? 0) || 1
  const lines = all.slice(first - 1, first - 1 + Number(limit ?? MAX_LINES))
  const last = first + lines.length - 1
  const shown = lines.map((line, index) => {
    const suffix = line.length > MAX_LINE_LENGTH ? `... (line truncated to ${MAX_LINE_LENGTH} chars)` : ''
    return `${first + index}: ${line.slice(0, MAX_LINE_LENGTH)}${suffix}`
  })
  const end = last < all.length
    ? `(Showing lines ${first}-${last} of ${all.length}. Use offset=${last + 1} to continue.)`
    : `(End of file - total ${all.length} lines)`
  return `<content>\n${shown.join('\n')}\n\n${end}\n</content>`
}

export const isWholeRead = ({ offset, limit }: Record<string, unknown>, text: string): boolean =>
  Number(offset ?? 1) <= 1 && linesOf(text).length <= Number(limit ?? MAX_LINES)

/** Returns null if the output lacks the text `shown`. */
export const replaceReadOutput = (
  output: string,
  args: Record<string, unknown>,
  { shown, now }: { shown: string; now: string },
): string | null => {
  const old = renderRead(shown, args)
  return output.includes(old) ? output.replace(old, () => renderRead(now, args)) : null
}
