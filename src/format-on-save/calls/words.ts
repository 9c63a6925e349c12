const WORD = /[\p{L}\p{N}_$]+/gu

const wordsOf = (text: string): Array<string> => text.toLowerCase().match(WORD) ?? []

const countWords = (text: string): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** The words of a text in their order, in which a row of them is found whatever stands between. */
const inRow = (text: string): string => wordsOf(text).map((word) => ` ${word} `).join('')

/** Lists the words, in small letters, that one text has more often than another. */
const missingWords = (text: string, other: string): Array<string> => {
  const counts = countWords(other)
  return [...countWords(text)].flatMap(([word, count]) => count > (counts.get(word) ?? 0) ? [word] : [])
}

// Runs on the host's only thread: in a longer text no word is counted.
const MAX_LENGTH = 50_000

const NUMBER = /^\p{N}/u

/**
 * Lists the lines of a call's text that hold a word which the formatter dropped, such as an unused import's name. A line
 * whose words all stand in their order has lost none. Numbers are not words: formatters rewrite them.
 *
 * @param file the file before and after the formatting: a word that only moved within it is not lost
 */
export const lostLines = (sent: string, now: string, file: { raw: string; text: string }): Array<string> => {
  if (sent.length > MAX_LENGTH || sent === now) return []
  const gone = missingWords(sent, now).filter((word) => !NUMBER.test(word))
  if (gone.length === 0) return []
  const all = file.raw.length > MAX_LENGTH ? gone : missingWords(file.raw, file.text)
  const lost = new Set(gone.filter((word) => all.includes(word)))
  const kept = inRow(now)
  const given = new Map<string, number>()
  return sent.split(/\r?\n/).filter((line) => {
    const words = inRow(line)
    const count = (given.get(words) ?? 0) + 1
    given.set(words, count)
    return wordsOf(line).some((word) => lost.has(word)) && kept.split(words).length <= count
  })
}
