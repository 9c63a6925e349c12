const WORD = /[\p{L}\p{N}_$]+/gu

// Runs on the host's only thread: in a longer text no word is counted.
const MAX_LENGTH = 50_000

/** Counts each word of a text, capitals as small letters. */
export const wordCounts = (text: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const [word] of text.toLowerCase().matchAll(WORD)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

const NUMBER = /^\p{N}/u

/** Lists the words that a text lost when another replaced it, but not numbers, which formatters rewrite. */
const lostWords = (sent: string, now: string): Array<string> => {
  const counts = wordCounts(now)
  return [...wordCounts(sent)].flatMap(([word, count]) =>
    count > (counts.get(word) ?? 0) && !NUMBER.test(word) ? [word] : []
  )
}

/**
 * Lists the lines of a call's text that hold a word which the formatter dropped, such as an unused import's name.
 *
 * @param file the file before and after the formatting: a word that only moved within it is not lost
 */
export const lostLines = (sent: string, now: string, file: { raw: string; text: string }): Array<string> => {
  if (sent.length > MAX_LENGTH || sent === now) return []
  const gone = new Set(lostWords(sent, now))
  if (gone.size === 0) return []
  const lost = file.raw.length > MAX_LENGTH
    ? gone
    : new Set(lostWords(file.raw, file.text).filter((word) => gone.has(word)))
  const left = new Set(now.split('\n').map((line) => line.trim()))
  const given = new Set<string>()
  return sent.split(/\r?\n/).filter((line) => {
    const isLost = [...wordCounts(line).keys()].some((word) => lost.has(word))
    const isFirst = !given.has(line) && left.has(line.trim())
    given.add(line)
    return isLost && !isFirst
  })
}
