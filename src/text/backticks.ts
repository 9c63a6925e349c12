/**
 * Puts a text into backticks, in a longer run than any inside of it: "`rm`" becomes "`` `rm` ``". None of it can then
 * close them and be taken for words of somebody.
 */
export const inBackticks = (text: string): string => {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? fence + text + fence : `${fence} ${text} ${fence}`
}
