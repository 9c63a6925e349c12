import { tokenize, wordCounts } from '../realign/tokens.ts'

// To count the words of a longer text takes longer than it is worth.
const MAX_LENGTH = 50_000

const countsIn = (text: string): Map<string, number> => wordCounts(tokenize(text, 0, text.length))

/**
 * The lines of a text none of whose words are in what a formatter made of it: an unused import, the second of two that
 * were the same, which is then given once. A line that was only spelt otherwise is none.
 */
export const lostLines = (before: string, after: string): Array<string> => {
  if (before.length > MAX_LENGTH) return []
  const now = countsIn(after)
  const lost = new Map([...countsIn(before)].map(([word, count]) => [word, count - (now.get(word) ?? 0)]))
  const given = new Map<string, number>()
  return before.split(/\r?\n/).filter((line) => {
    const words = countsIn(line)
    const times = (given.get(line.trim()) ?? 0) + 1
    const isLost = words.size > 1 && [...words].every(([word, count]) => lost.get(word)! >= count * times)
    if (isLost) given.set(line.trim(), times)
    return isLost
  })
}
